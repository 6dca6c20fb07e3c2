package trace

import (
	"testing"
	"time"
)

func TestFloodMeter(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(1000, 0).Add(time.Duration(ms) * time.Millisecond) }
	for _, tt := range []struct {
		name string
		n    int // messages
		over int // milliseconds that they take
		want int // floods that are told
	}{
		{"as many as may be, at once", FloodMessages, 0, 0},
		{"one more", FloodMessages + 1, 0, 1},
		{"one more, over a window", FloodMessages + 1, 1000, 1},
		{"as many in each of two windows", 2 * FloodMessages, 2002, 0},
		{"many times as many are told once", 10 * FloodMessages, 5000, 1},
	} {
		var f FloodMeter
		told := 0
		for n := range tt.n {
			if f.Count(at(n * tt.over / max(1, tt.n-1))) {
				told++
			}
		}
		if told != tt.want {
			t.Errorf("%s: told %d times, want %d", tt.name, told, tt.want)
		}
	}
}

// Unasked is what a server sends without an answer or a question in it; a stray answer is one whatever made it stray.
func TestUnasked(t *testing.T) {
	for _, tt := range []struct {
		m    Message
		want bool
	}{
		{Message{Kind: Notification}, true},
		{Message{Kind: Invalid}, true},
		{Message{Kind: Response, Stray: Duplicate}, true},
		{Message{Kind: Response, Stray: UnknownID}, true},
		{Message{Kind: Error, Stray: Duplicate}, true},
		{Message{Kind: Error, Stray: UnknownID}, true},
		{Message{Kind: Response}, false},
		{Message{Kind: Error}, false},
		{Message{Kind: Request}, false},
		{Message{Kind: Batch}, false},
		{Message{Kind: Event}, false},
	} {
		tt.m.Direction = ToClient
		if got := tt.m.Unasked(); got != tt.want {
			t.Errorf("%s, stray %q: %t, want %t", tt.m.Kind, tt.m.Stray, got, tt.want)
		}
		if tt.m.Direction = ToServer; tt.m.Unasked() {
			t.Errorf("%s, stray %q, of a client", tt.m.Kind, tt.m.Stray)
		}
	}
}

// A bare request is a GET or a DELETE of a client without a message; each difference makes it something else.
func TestBareRequest(t *testing.T) {
	for _, method := range []string{"GET", "DELETE"} {
		bare := func() Message {
			return Message{Kind: Invalid, Direction: ToServer, HTTP: &HTTP{Method: method}}
		}
		if m := bare(); !m.IsBareRequest() {
			t.Errorf("%s is none", method)
		}
		for what, change := range map[string]func(*Message){
			"another kind":      func(m *Message) { m.Kind = Notification },
			"another direction": func(m *Message) { m.Direction = ToClient },
			"a text":            func(m *Message) { m.Raw = "x" },
			"no HTTP":           func(m *Message) { m.HTTP = nil },
			"POST":              func(m *Message) { m.HTTP.Method = "POST" },
			"an unknown method": func(m *Message) { m.HTTP.Method = "" },
		} {
			m := bare()
			if change(&m); m.IsBareRequest() {
				t.Errorf("%s with %s is one", method, what)
			}
		}
	}
}
