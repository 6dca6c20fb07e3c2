package mcpclient

import (
	"testing"

	"gauntlet/internal/runtime/wire"
)

// Servers refuse a method that they do not have in many forms. None of them leaves a list unread that no capability promises.
func TestUndeclaredListThatIsRefused(t *testing.T) {
	answer := func(raw string) wire.Asked {
		m := wire.Decode(raw)
		if m.Kind == wire.Invalid {
			return wire.Asked{Answer: m, Err: &wire.InvalidError{Note: m.Note}}
		}
		return wire.Asked{Answer: m}
	}
	failed := func(status int, empty bool, ignored string) wire.Asked {
		e := &wire.RequestError{Empty: empty, Ignored: ignored}
		if status > 0 {
			e.HTTP = &wire.HTTPAnswer{Status: status}
		}
		return wire.Asked{Err: e}
	}
	for _, tt := range []struct {
		name  string
		asked wire.Asked
		want  bool
	}{
		{"a text for a result", answer(`{"jsonrpc":"2.0","id":1,"result":"not supported"}`), true},
		{"a text for an error", answer(`{"jsonrpc":"2.0","id":1,"error":"not supported"}`), true},
		{"nothing in the body", failed(202, true, ""), true},
		{"a closed connection", failed(0, true, ""), true},
		{"401", failed(401, false, ""), true},
		{"403", failed(403, false, ""), true},
		{"a list", answer(`{"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"p"}]}}`), false},
		{"items for a result", answer(`{"jsonrpc":"2.0","id":1,"result":[{"name":"p"}]}`), false},
		{"a text for an error beside a result", answer(`{"jsonrpc":"2.0","id":1,"error":"x","result":{"prompts":[{"name":"p"}]}}`), false},
		{"an answer behind a byte order mark", wire.Asked{Err: &wire.InvalidError{Note: "a byte order mark stands before it"}}, false},
		{"a page of HTML", failed(200, false, ""), false},
		{"a stream that held something else", failed(200, true, "1 answer with an unknown id"), false},
		{"come back later", failed(503, false, ""), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &conversation{out: &Snapshot{Init: `{"capabilities":{"tools":{}}}`}}
			if got := c.notOffered(t.Context(), 1, &tt.asked); got != tt.want {
				t.Errorf("not offered: %t, want %t: %+v", got, tt.want, tt.asked)
			}
		})
	}
}
