package mcpclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// pagesOf answers with the page behind a cursor, "-" for the first, and with an error for others.
func pagesOf(pages map[string]string) func(context.Context, string) (wire.Message, error) {
	return func(_ context.Context, members string) (wire.Message, error) {
		at := "-"
		if members != "" {
			at = rawjson.LastMember("{"+members+"}", "cursor")
		}
		page, ok := pages[at]
		if !ok {
			return wire.Message{}, &wire.AnswerError{Code: mcp.CodeInvalidParams}
		}
		if page == "fails" {
			return wire.Message{}, &wire.AnswerError{Code: -32603}
		}
		return wire.Message{Result: page}, nil
	}
}

// Every cursor is followed once, whatever it is; the list is whole if none is left.
func TestEveryCursorIsFollowedOnce(t *testing.T) {
	const a, b = `{"tools":[{"name":"a"}]`, `{"tools":[{"name":"b"}]`
	for _, tt := range []struct {
		name  string
		pages map[string]string
		found string
		err   string // begins so
	}{
		{"one page", map[string]string{"-": a + `}`}, "a", ""},
		{"null ends", map[string]string{"-": a + `,"nextCursor":null}`}, "a", ""},
		{"two pages", map[string]string{"-": a + `,"nextCursor":"x"}`, `"x"`: b + `}`}, "a b", ""},
		{"behind an empty cursor", map[string]string{"-": a + `,"nextCursor":""}`, `""`: b + `}`}, "a b", ""},
		{"an empty cursor that means the end", map[string]string{"-": a + `,"nextCursor":""}`, `""`: a + `,"nextCursor":""}`}, "a", ""},
		{"an empty cursor that is refused", map[string]string{"-": a + `,"nextCursor":""}`}, "a", ""},
		{"an empty cursor behind which the server fails", map[string]string{"-": a + `,"nextCursor":""}`, `""`: "fails"}, "a", "page 2: "},
		{"an empty cursor behind two pages", map[string]string{"-": a + `,"nextCursor":"x"}`, `"x"`: b + `,"nextCursor":""}`, `""`: a + `,"nextCursor":"x"}`}, "a b", ""},
		{"an empty cursor that goes on for ever", map[string]string{"-": a + `,"nextCursor":""}`, `""`: b + `,"nextCursor":""}`}, "a b", `page 2: the cursor "" came a second time`},
		{"a blank cursor", map[string]string{"-": a + `,"nextCursor":" "}`, `" "`: b + `}`}, "a b", ""},
		{"a circle", map[string]string{"-": a + `,"nextCursor":"x"}`, `"x"`: b + `,"nextCursor":"x"}`}, "a b", `page 2: the cursor "x" came a second time`},
		{"two cursors", map[string]string{"-": a + `,"nextCursor":"","NextCursor":"x"}`, `"x"`: b + `}`}, "a b", "an answer has 2 cursors"},
		{"behind a page without a list", map[string]string{"-": `{"nextCursor":"x"}`, `"x"`: b + `}`}, "b", "page 1: the answer has no tools"},
		{"a number", map[string]string{"-": a + `,"nextCursor":2}`}, "a", "page 1: nextCursor is not a string but a number"},
		{"a cursor that is refused", map[string]string{"-": a + `,"nextCursor":"x"}`}, "a", "page 2: "},
		{"more than is taken", map[string]string{"-": a + `,"nextCursor":"x"}`, `"x"`: `{"tools":[` + strings.Repeat(`{"name":"b"},`, 9) + `{"name":"c"}]}`}, "a b b b b b b b", "page 2: more than 8 items"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var noted error
			w := &Walk{List: mcp.Lists[0], Ask: pagesOf(tt.pages), Items: 8, Note: func(gap string) { noted = errors.New(gap) }}
			err := cmp.Or(w.Read(t.Context()), noted)
			if fmt.Sprint(err) != tt.err && (tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.err))) {
				t.Errorf("Read = %v, want %q", err, tt.err)
			}
			var names []string
			for _, raw := range w.Found {
				names = append(names, rawjson.LastText(raw, "name"))
			}
			if got := strings.Join(names, " "); got != tt.found {
				t.Errorf("found %q, want %q", got, tt.found)
			}
		})
	}
}

func FuzzWalk(f *testing.F) {
	f.Add(`{"tools":[{"name":"a"}],"nextCursor":""}`, `{"tools":[],"nextCursor":"x"}`)
	f.Fuzz(func(t *testing.T, first, rest string) {
		pages := 0
		w := &Walk{List: mcp.Lists[0], Pages: 20, Items: 50, Ask: func(_ context.Context, members string) (wire.Message, error) {
			page := rest
			if pages++; members == "" {
				page = first
			}
			m := wire.Decode(`{"jsonrpc":"2.0","id":1,"result":` + page + `}`)
			if m.Kind != wire.Response {
				return m, fmt.Errorf("no answer")
			}
			return m, nil
		}}
		err := w.Read(t.Context())
		if pages > 20 || len(w.Found) > 50 {
			t.Errorf("%d pages asked for, %d items found: %v", pages, len(w.Found), err)
		}
	})
}
