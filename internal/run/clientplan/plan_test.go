package clientplan

import (
	"slices"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/run/target"
	"gauntlet/internal/runtime/discover"
	"gauntlet/result"
)

func entry(name, command string) config.Entry {
	return config.Entry{Client: config.Generic, Name: name, File: "mcp.json", Command: command, Transport: config.Stdio, Place: config.Place{Pointer: "/mcpServers/" + name, Line: 2, Column: 3}}
}

// What an entry is not started for, in the order in which the reasons count.
func TestStatesOfEntries(t *testing.T) {
	off, unknown, hurt := entry("off", "a"), entry("unknown", "b"), entry("hurt", "c")
	off.Disabled, unknown.Transport = true, config.Unknown
	hurtAndOff := entry("both", "d")
	hurtAndOff.Disabled = true
	near := entry("hurt2", "e") // its name begins like that of the damaged one
	files := []config.File{{Path: "mcp.json", Entries: []config.Entry{off, unknown, hurt, hurtAndOff, near, entry("fine", "f")},
		Problems: []finding.Problem{{Location: finding.Location{Pointer: "/mcpServers/hurt/args"}}, {Location: finding.Location{Pointer: "/mcpServers/both"}}}}}
	host := discover.Host{Env: func(string) (string, bool) { return "", false }}
	for _, tt := range []struct {
		resolve  bool
		launches int
		reasons  []string
	}{
		{true, 2, []string{"", "its transport is not known", "a part of it could not be read", "", "", ""}},
		{false, 0, []string{"", "its transport is not known", "a part of it could not be read", "", "nothing was to be started", "nothing was to be started"}},
	} {
		p := New(host, files, nil, tt.resolve)
		var reasons []string
		for i, e := range p.Entries {
			reasons = append(reasons, e.Reason)
			if want := map[bool]result.EntryState{true: result.SwitchedOff, false: result.NotLaunched}[i == 0 || i == 3]; e.State != want {
				t.Errorf("%s: state %s, want %s", e.Entry.Name, e.State, want)
			}
		}
		if len(p.Launches) != tt.launches || !slices.Equal(reasons, tt.reasons) {
			t.Errorf("resolve %v: %d launches, reasons %q, want %d, %q", tt.resolve, len(p.Launches), reasons, tt.launches, tt.reasons)
		}
	}
}

// Entries that resolve to the same server start once, and share what becomes of it.
func TestSameServerStartsOnce(t *testing.T) {
	other := entry("c", "npx")
	other.Env = []config.Variable{{Name: "A", Value: config.NewValue("1", config.Place{})}}
	files := []config.File{{Path: "mcp.json", Entries: []config.Entry{entry("a", "npx"), entry("b", "npx"), other}}}
	p := New(discover.Host{Env: func(string) (string, bool) { return "", false }}, files, nil, true)
	if len(p.Launches) != 2 || len(p.Launches[0].Entries) != 2 {
		t.Fatalf("%d launches", len(p.Launches))
	}
	if got := p.Targets(); len(got) != 2 || !slices.Equal(got[0].Entries, []string{"a", "b"}) {
		t.Errorf("targets %+v", got)
	}
	failure := finding.Problem{Message: "a (mcp.json): it did not start"}
	p.Settle([]target.Outcome{{Failure: &failure}, {Servers: []*catalog.Server{{Name: "s"}}}})
	for i, want := range []result.EntryState{result.LaunchFail, result.LaunchFail, result.Scanned} {
		if got := p.Entries[i]; got.State != want || (got.Reason == "it did not start") != (want == result.LaunchFail) {
			t.Errorf("%s: %s, %q, want %s", got.Entry.Name, got.State, got.Reason, want)
		}
	}
}

// What the user did not agree to is not started, and says so; the rest is.
func TestDecline(t *testing.T) {
	files := []config.File{{Path: "mcp.json", Entries: []config.Entry{entry("a", "x"), entry("b", "y")}}}
	p := New(discover.Host{Env: func(string) (string, bool) { return "", false }}, files, nil, true)
	p.Decline(func(l *Launch) bool { return l.Entries[0].Name == "a" }, "you did not agree")
	if len(p.Launches) != 1 || p.Launches[0].Entries[0].Name != "b" || p.Entries[0].Launch != nil || p.Entries[0].Reason != "you did not agree" || p.Entries[1].Launch == nil {
		t.Errorf("launches %v, first entry %+v", p.Launches, p.Entries[0])
	}
	if got := p.Problems; len(got) != 1 || got[0].Kind != finding.Unread || !strings.Contains(got[0].Message, "1 configured server was not scanned") {
		t.Errorf("problems %v", got)
	}
}
