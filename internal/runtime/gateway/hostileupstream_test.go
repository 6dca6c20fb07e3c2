package gateway

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A client that gives up is heard of by the server, in both eras.
func TestCancelled(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			begun, over := make(chan struct{}), make(chan struct{})
			a := back(t, "mail", "send")
			a.opt.Revisions = []string{revision}
			a.state.Call = func(ctx context.Context, _ mcpserver.Call) (string, error) {
				close(begun)
				select {
				case <-ctx.Done():
				case <-over:
				}
				return "", context.Canceled
			}
			a.tap = func() wire.Tap {
				return func(p wire.Passage) {
					if p.Message.Method == "notifications/cancelled" && strings.Contains(p.Message.Raw, `"requestId":1`) {
						close(over)
					}
				}
			}
			f := open(t, Options{}, a, back(t, "web", "fetch"))
			f.begin("{}")
			say := func(line string) {
				if err := f.pipe.Send(t.Context(), []byte(line)); err != nil {
					t.Fatal(err)
				}
			}
			say(`{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"send"}}`)
			wait := func(done chan struct{}, what string) {
				select {
				case <-done:
				case <-time.After(20 * time.Second):
					t.Fatal(what)
				}
			}
			wait(begun, "the call never came")
			say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`)
			wait(over, "the server never heard of it")
		})
	}
}

// A server that reads nothing costs a bounded number of waiting notifications, and others
// nothing.
func TestNotificationsNobodyTakes(t *testing.T) {
	deaf := Upstream{"deaf", func() (wire.Conn, error) {
		fromServer, server := io.Pipe()
		client, toServer := io.Pipe()
		go func() { // reads the beginning, and then no more; ends with the pipes
			lines := make([]byte, 1<<16)
			n, _ := client.Read(lines)
			id := rawjson.LastMember(strings.TrimSpace(string(lines[:n])), "id")
			_, _ = io.WriteString(server, `{"jsonrpc":"2.0","id":`+id+`,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"deaf","version":"1"}}}`+"\n")
		}()
		return &pipe{wire.NewStream(fromServer, toServer, wire.Limits{}, nil), func() { _ = server.Close(); _ = client.Close() }}, nil
	}}
	a := back(t, "web", "fetch")
	f := open(t, Options{Connect: time.Second, Upstreams: []Upstream{deaf}}, a)
	f.begin("{}")
	for range 4 * maxOutbox {
		if err := f.client.Notify(t.Context(), "notifications/roots/list_changed", "{}"); err != nil {
			t.Fatal(err)
		}
	}
	f.told("deaf does not read its notifications")
	if got := f.call("tools/call", `{"name":"fetch"}`); !strings.Contains(got, "web did fetch") {
		t.Errorf("its neighbour said %s", got)
	}
}

// Two servers that ask with one progress token each get the progress of their own question.
func TestTokensThatCollide(t *testing.T) {
	h := &clientSession{questionTokens: map[string]questionToken{}}
	one, two := &upstream{}, &upstream{}
	question := `{"_meta":{"progressToken":1},"x":2}`
	first, done := h.renameToken(one, question)
	second, over := h.renameToken(two, question)
	if first != question || second != `{"_meta":{"progressToken":"gateway-1"},"x":2}` {
		t.Errorf("the client is asked %s and %s", first, second)
	}
	if h.questionTokens["1"] != (questionToken{one, "1"}) || h.questionTokens[`"gateway-1"`] != (questionToken{two, "1"}) {
		t.Errorf("asking %v", h.questionTokens)
	}
	done()
	over()
	if len(h.questionTokens) != 0 {
		t.Errorf("left behind: %v", h.questionTokens)
	}
}
