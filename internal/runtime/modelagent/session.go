package modelagent

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A session is the session with one server.
type session struct {
	name      string
	conn      wire.Conn
	mcp       *mcpclient.Session
	stateless bool
	listed    [sha256.Size]byte // hash of everything the server lists
	init      string
	lists     [4][]string // in the order of catalog.Kinds
}

// readLists reads what the server offers.
func (s *session) readLists(ctx context.Context) {
	snap := s.mcp.Read(ctx)
	s.stateless = snap.Era == mcpclient.Modern
	s.init = strings.Clone(snap.Init)
	h := sha256.New()
	for i := range snap.Lists {
		s.lists[i] = nil
		for _, item := range snap.Lists[i].Items {
			s.lists[i] = append(s.lists[i], strings.Clone(item))
			_, _ = h.Write([]byte(item + "\x00")) // never fails
		}
	}
	s.listed = [sha256.Size]byte(h.Sum(nil))
}

// callServer sends a request and returns the text of the answer for the model.
func (s *session) callServer(ctx context.Context, method, params string) (text string, failed bool) {
	m, err := s.mcp.Call(ctx, method, params)
	var refused *wire.AnswerError
	switch {
	case errors.As(err, &refused):
		return clipResult(refused.Message), true
	case err != nil:
		return "the server did not answer: " + clipResult(err.Error()), true
	}
	return resultText(m.Result)
}

func clipResult(s string) string {
	if len(s) > longestResult {
		return strings.ToValidUTF8(s[:longestResult], "") + "\n[cut off]"
	}
	return s
}

// resultText converts a result of tools/call, resources/read or prompts/get to text, as hosts do.
func resultText(result string) (text string, failed bool) {
	var tree rawjson.Tree
	if tree.Parse(result, 0) != nil {
		return clipResult(result), false
	}
	root := tree.Root()
	var parts []string
	for _, list := range [...]string{"content", "contents"} {
		for _, v := range root.Get(list).Elements() {
			parts = append(parts, blockText(v))
		}
	}
	for _, v := range root.Get("messages").Elements() {
		if c := v.Get("content"); c.Kind() == rawjson.Array {
			for _, inner := range c.Elements() {
				parts = append(parts, blockText(inner))
			}
		} else {
			parts = append(parts, blockText(c))
		}
	}
	if v := root.Get("structuredContent"); v.Exists() {
		parts = append(parts, v.Raw())
	}
	if len(parts) == 0 {
		parts = append(parts, root.Raw())
	}
	failed, _ = root.Get("isError").Bool()
	return clipResult(strings.Join(parts, "\n\n")), failed
}

// blockText converts a content block to text: text unchanged, other kinds by their name, links as JSON on a line.
func blockText(v rawjson.Value) string {
	switch {
	case v.Kind() == rawjson.String:
		return strings.Clone(v.Text())
	case v.Get("type").Is("resource_link"):
		return v.Compact()
	case v.Get("text").Exists():
		return strings.Clone(v.Get("text").Text())
	case v.Get("resource").Get("text").Exists():
		return strings.Clone(v.Get("resource").Get("text").Text())
	}
	return "[" + strings.Clone(v.Get("type").Text()) + " content]"
}

// The host's tools, by which a model reads resources and prompts.
const (
	resourceTool = "read_resource"
	promptTool   = "get_prompt"
)

// An offeredTool is a tool the model may call, and what calling it means.
type offeredTool struct {
	server *session
	name   string // the server's name for it, "" for a host tool
	method string
}

func (t *offeredTool) params(arguments rawjson.Value) string {
	if t.method == mcp.ToolsCall {
		return `{"name":` + rawjson.Quote(t.name) + `,"arguments":` + arguments.Raw() + `}`
	}
	return arguments.Raw()
}
