package testagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/leaf/a2a"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

const (
	timeout = 30 * time.Second // for the card, and per message
	longest = 4 << 20          // bytes of an answer
)

// connectSkills reads the card of the agent at a URL and connects to a server that offers its skills as tools. The caller closes
// the connection.
func connectSkills(url string) (wire.Conn, error) {
	b := &bridge{url: strings.TrimSuffix(url, "/"), http: &http.Client{Timeout: timeout, Transport: &http.Transport{}}}
	card, err := b.do(context.Background(), http.MethodGet, b.url+a2a.CardPath, "")
	if err != nil {
		b.http.CloseIdleConnections()
		return nil, fmt.Errorf("the card of the agent: %w", err)
	}
	server, err := mcpserver.New(b.state(card), mcpserver.Options{})
	if err != nil {
		b.http.CloseIdleConnections()
		return nil, err
	}
	return &conn{mcpserver.ConnectInMemory(server, nil), b.http.CloseIdleConnections}, nil
}

type bridge struct {
	url  string
	http *http.Client
	sent int
	mu   sync.Mutex
}

// state returns a server state with a tool for each skill.
func (b *bridge) state(card string) mcpserver.State {
	var tree rawjson.Tree
	_ = tree.Parse(card, 0) // an invalid card has no skills
	root := tree.Root()
	s := mcpserver.State{
		Name: "a2a", Identity: []string{`{"name":` + rawjson.Quote(root.Get("name").Text()) + `,"version":"1"}`},
		Capabilities: []string{`{"tools":{}}`}, Call: b.call,
	}
	if about := root.Get("description").Text(); about != "" {
		s.Instructions = []string{rawjson.Quote(root.Get("name").Text() + ": " + about)}
	}
	s.Lists[0].Present = true
	for _, skill := range root.Get("skills").Elements() {
		if id := skill.Get("id").Text(); id != "" {
			s.Lists[0].Items = append(s.Lists[0].Items, toolOf(id, root, skill))
		}
	}
	if s.Lists[0].Items == nil {
		s.Lists[0].Items = []string{toolOf("send_message", root, rawjson.Value{})}
	}
	return s
}

// toolOf returns a tool definition with everything the card says about the skill and the agent.
func toolOf(id string, card, skill rawjson.Value) string {
	var about []string
	for _, text := range []string{skill.Get("name").Text(), skill.Get("description").Text(), card.Get("name").Text(), card.Get("description").Text()} {
		if text != "" {
			about = append(about, strings.TrimSuffix(text, "."))
		}
	}
	return `{"name":` + rawjson.Quote(id) + `,"description":` + rawjson.Quote(strings.Join(about, ". ")+".") +
		`,"inputSchema":{"type":"object","properties":{"message":{"type":"string","description":"What the agent is asked, in words, with the data that it needs"}},"required":["message"]}}`
}

// call sends a message to the agent and returns its whole answer.
func (b *bridge) call(ctx context.Context, c mcpserver.Call) (string, error) {
	var tree rawjson.Tree
	if err := tree.Parse(c.Params, 0); err != nil {
		return "", err
	}
	arguments := tree.Root().Get("arguments")
	text := cmp.Or(arguments.Get("message").Text(), arguments.Compact())
	b.mu.Lock()
	b.sent++
	id := fmt.Sprint(b.sent)
	b.mu.Unlock()
	body := `{"jsonrpc":"2.0","id":` + id + `,"method":"message/send","params":{"message":{"kind":"message","role":"user","messageId":"message-` + id +
		`","parts":[{"kind":"text","text":` + rawjson.Quote(text) + `}]},"metadata":{"skillId":` + rawjson.Quote(c.Name) + `}}}`
	answer, err := b.do(ctx, http.MethodPost, b.url+"/", body)
	if err != nil {
		return "", err
	}
	m := wire.Decode(answer)
	if m.Error != "" {
		return `{"content":[{"type":"text","text":` + rawjson.Quote(m.Error) + `}],"isError":true}`, nil
	}
	return `{"content":[{"type":"text","text":` + rawjson.Quote(m.Result) + `}]}`, nil
}

func (b *bridge) do(ctx context.Context, method, url, body string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	r, err := b.http.Do(req)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(io.LimitReader(r.Body, longest+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > longest:
		return "", errors.New("the answer is too long")
	case r.StatusCode/100 != 2:
		return "", fmt.Errorf("HTTP %d", r.StatusCode)
	}
	return string(text), nil
}

// conn closes its HTTP connections with it.
type conn struct {
	wire.Conn
	end func()
}

// Close also ends the server.
func (c *conn) Close() error {
	err := c.Conn.Close()
	c.end()
	return err
}
