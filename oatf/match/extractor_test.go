package match

import (
	"context"
	"errors"
	"testing"
	"time"

	"gauntlet/rawjson"
)

func TestExtractors(t *testing.T) {
	for _, tt := range []struct {
		name, language, selector, content string
		want                              string
		ok                                bool
	}{
		{"a string as it is", "json_path", `$.tools[0].name`, `{"tools":[{"name":"a\"b"}]}`, `a"b`, true},
		{"the first of several", "json_path", `$.tools[*].name`, `{"tools":[{"name":"a"},{"name":"b"}]}`, `a`, true},
		{"an object, compact, in its order", "json_path", `$.s`, `{"s": {"z": 1, "a": [1.0]}}`, `{"z":1,"a":[1.0]}`, true},
		{"a number as it was sent", "json_path", `$.n`, `{"n":1.50}`, `1.50`, true},
		{"null", "json_path", `$.n`, `{"n":null}`, `null`, true},
		{"the empty string is something", "json_path", `$.n`, `{"n":""}`, ``, true},
		{"nothing", "json_path", `$.missing`, `{}`, ``, false},
		{"nothing in nothing", "json_path", `$`, ``, ``, false},
		{"a group", "regex", `key=(\w+)`, `"api key=abc123 here"`, `abc123`, true},
		{"the first of several groups", "regex", `https?://([^/]+)(/.*)`, `"visit https://evil.example/x"`, `evil.example`, true},
		{"in an object, compact", "regex", `"token":"([^"]*)"`, `{ "token" : "t1" }`, `t1`, true},
		{"an empty group is something", "regex", `a(x*)b`, `"ab"`, ``, true},
		{"a group that took no part", "regex", `a|(b)`, `"a"`, ``, false},
		{"no match", "regex", `key=(\w+)`, `"none"`, ``, false},
		{"no group", "regex", `key=\w+`, `"key=abc"`, ``, false},
		{"a match in nothing", "regex", `(.*)`, ``, ``, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, err := ParseExtractor(tt.language, tt.selector)
			if err != nil {
				t.Fatal(err)
			}
			var content rawjson.Value
			if tt.content != "" {
				content = mustParse(t, tt.content)
			}
			if got, ok, err := x.Extract(content); got != tt.want || ok != tt.ok || err != nil {
				t.Errorf("%s in %s: %q, %v, %v, want %q, %v", tt.selector, tt.content, got, ok, err, tt.want, tt.ok)
			}
		})
	}
	for _, tt := range [][2]string{{"json_path", "a.b"}, {"regex", "("}, {"regex", "(?=a)"}, {"css", "a"}, {"", ""}} {
		if _, err := ParseExtractor(tt[0], tt[1]); err == nil {
			t.Errorf("%q %q was taken for an extractor", tt[0], tt[1])
		}
	}
}

func TestDispatch(t *testing.T) {
	const catchAll = `{"content":"any"}`
	add, fetch := `{"when":{"name":"add"},"content":1}`, `{"when":{"name":{"starts_with":"f"}},"content":2}`
	for _, tt := range []struct{ name, list, request, want string }{
		{"the first that holds", `[` + add + `,` + fetch + `]`, `{"name":"add"}`, add},
		{"the second", `[` + add + `,` + fetch + `]`, `{"name":"fetch"}`, fetch},
		{"the first of two that hold", `[{"when":{},"content":0},` + add + `]`, `{"name":"add"}`, `{"when":{},"content":0}`},
		{"none, and a fallback", `[` + add + `,` + catchAll + `]`, `{"name":"x"}`, catchAll},
		{"none, and no fallback", `[` + add + `]`, `{"name":"x"}`, ``},
		{"a fallback in front waits", `[` + catchAll + `,` + add + `]`, `{"name":"add"}`, add},
		{"when: null is no when", `[{"when":null,"content":3}]`, `{}`, `{"when":null,"content":3}`},
		{"no entries", `[]`, `{"name":"x"}`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := ParseDispatch(mustParse(t, tt.list))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := d.Select(t.Context(), mustParse(t, tt.request)); err != nil || got.Raw() != tt.want {
				t.Errorf("%s for %s gave %s, want %s", tt.list, tt.request, got.Raw(), tt.want)
			}
		})
	}
	for _, list := range []string{`{}`, `[1]`, `[{"when":[]}]`, `[{"when":{"a[*]":1}}]`} {
		if _, err := ParseDispatch(mustParse(t, list)); err == nil {
			t.Errorf("%s was taken for a dispatch list", list)
		}
	}
}

func TestDispatchBehindItsTime(t *testing.T) {
	d, err := ParseDispatch(mustParse(t, `[{"when":{"a":1},"n":1},{"n":2}]`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := d.Select(ctx, mustParse(t, `{"a":1}`)); !errors.Is(err, context.Canceled) || got.Raw() != `{"n":2}` {
		t.Errorf("%s with the error %v, want the entry without when and that the time is over", got.Raw(), err)
	}
}

func TestTriggers(t *testing.T) {
	content := mustParse(t, `{"name":"calc"}`)
	var none rawjson.Value
	for _, tt := range []struct {
		name     string
		event    string // of the trigger
		count    int
		match    string
		after    string
		happened string
		elapsed  time.Duration
		seen     int
		want     Reason
		wantSeen int
	}{
		{"time is up", "", 0, "", "30s", "", 31 * time.Second, 0, TimedOut, 0},
		{"time is up to the second", "", 0, "", "PT30S", "", 30 * time.Second, 0, TimedOut, 0},
		{"time is not up", "", 0, "", "30s", "", 29 * time.Second, 0, "", 0},
		{"the event", "tools/call", 0, "", "", "tools/call", 0, 0, EventMatched, 1},
		{"another event", "tools/call", 1, "", "", "tools/list", 0, 0, "", 0},
		{"a method that nobody knows yet", "vendor/new", 1, "", "", "vendor/new", 0, 0, EventMatched, 1},
		{"the second of three", "tools/call", 3, "", "", "tools/call", 0, 1, "", 2},
		{"the third of three", "tools/call", 3, "", "", "tools/call", 0, 2, EventMatched, 3},
		{"its content too", "tools/call", 1, `{"name":"calc"}`, "", "tools/call", 0, 0, EventMatched, 1},
		{"not its content", "tools/call", 1, `{"name":"other"}`, "", "tools/call", 0, 0, "", 0},
		{"time comes before the event and does not count it", "tools/call", 1, "", "10s", "tools/call", 15 * time.Second, 0, TimedOut, 0},
		{"time passes, nothing happens", "tools/call", 1, "", "", "", time.Hour, 0, "", 0},
		{"no time at all", "", 0, "", "0s", "", 0, 0, TimedOut, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			match := none
			if tt.match != "" {
				match = mustParse(t, tt.match)
			}
			trigger, err := ParseTrigger(tt.event, tt.count, match, tt.after)
			if err != nil {
				t.Fatal(err)
			}
			seen := tt.seen
			if got, err := trigger.Advance(t.Context(), tt.happened, content, tt.elapsed, &seen); err != nil || got != tt.want || seen != tt.wantSeen {
				t.Errorf("got %q and %d seen, want %q and %d", got, seen, tt.want, tt.wantSeen)
			}
		})
	}
	trigger, err := ParseTrigger("", 0, none, "5m")
	if d, ok := trigger.After(); err != nil || d != 5*time.Minute || !ok {
		t.Errorf("After = %v, %v, %v", d, ok, err)
	}
	if _, err := ParseTrigger("a", 1, mustParse(t, `[]`), ""); err == nil {
		t.Error("a list was taken for a predicate")
	}
	if _, err := ParseTrigger("", 0, none, "soon"); err == nil {
		t.Error("soon was taken for a duration")
	}
}

func TestEffectiveState(t *testing.T) {
	one, two, null := mustParse(t, `{"tools":[1],"prompts":[]}`), mustParse(t, `{"tools":[]}`), mustParse(t, `null`)
	var none rawjson.Value
	for _, tt := range []struct {
		name   string
		states []rawjson.Value
		phase  int
		want   string
	}{
		{"its own", []rawjson.Value{one}, 0, one.Raw()},
		{"that before", []rawjson.Value{one, none, null}, 2, one.Raw()},
		{"replaced whole, nothing merged", []rawjson.Value{one, two}, 1, two.Raw()},
		{"the phase before is what it was", []rawjson.Value{one, two}, 0, one.Raw()},
		{"none at all", []rawjson.Value{none}, 0, ""},
		{"no phases", nil, 0, ""},
	} {
		if got := EffectiveState(tt.states, tt.phase).Raw(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
