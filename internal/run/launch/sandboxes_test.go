package launch

import (
	"fmt"
	"slices"
	"testing"

	"gauntlet/internal/runtime/sandbox"
	"gauntlet/result"
)

// A shell that connects and waits for orders says nothing, and ports can spell what none of their connections says.
func TestConnectionWithoutBytesIsAContact(t *testing.T) {
	connect := func(addr string) sandbox.Event {
		return sandbox.Event{Kind: sandbox.Connection, Host: "203.0.113.66", Addr: addr}
	}
	for _, tt := range []struct {
		name   string
		events []sandbox.Event
		want   []result.Contact
	}{
		{"nothing said", []sandbox.Event{connect("203.0.113.66:4444")}, []result.Contact{{Host: "203.0.113.66", How: "connection", Times: 1}}},
		{"three ports", []sandbox.Event{connect("203.0.113.66:3001"), connect("203.0.113.66:3002"), connect("203.0.113.66:3003")}, []result.Contact{{Host: "203.0.113.66", How: "connection", Times: 3}}},
		{"a request over it", []sandbox.Event{connect("203.0.113.66:443"), {Kind: sandbox.Request, Host: "a.example", Addr: "203.0.113.66:443"}}, []result.Contact{{Host: "a.example", How: "request", Times: 1}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got result.Sandbox
			if summarise(&got, tt.events); !slices.Equal(got.Contacts, tt.want) {
				t.Errorf("contacts %+v, want %+v", got.Contacts, tt.want)
			}
		})
	}
}

// A list that is cut says so.
func TestCutListsSaySo(t *testing.T) {
	for _, tt := range []struct {
		hosts, notes int
	}{{mostListed, 0}, {mostListed + 1, 1}} {
		var events []sandbox.Event
		for i := range tt.hosts {
			events = append(events, sandbox.Event{Kind: sandbox.Lookup, Host: fmt.Sprintf("h%d.example", i)})
		}
		var got result.Sandbox
		if summarise(&got, events); len(got.Contacts) != mostListed || len(got.Notes) != tt.notes {
			t.Errorf("%d hosts: %d listed, notes %q", tt.hosts, len(got.Contacts), got.Notes)
		}
	}
}
