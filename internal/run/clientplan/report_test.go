package clientplan

import (
	"fmt"
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

func value(s string) config.Value { return config.NewValue(s, config.Place{}) }

// resolver has the variables that a test names.
func resolver(env map[string]string) discover.Host {
	return discover.Host{Env: func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}}
}

// serverWith returns a server of a catalog with so many tools.
func serverWith(t *testing.T, name string, tools int) *catalog.Server {
	t.Helper()
	var list []string
	for i := range tools {
		list = append(list, fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"}}`, i))
	}
	c, err := catalog.Parse("s.json", `{"serverInfo":{"name":"`+name+`"},"tools":[`+strings.Join(list, ",")+`]}`, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return c.Servers[0]
}

// The report counts what an agent sees: a server that two entries name is one server, and what is
// switched off is not seen.
func TestReportCountsWhatAgentsSee(t *testing.T) {
	off := entry("off", "z")
	off.Disabled = true
	files := []config.File{
		{Path: "mcp.json", Client: config.Generic, Entries: []config.Entry{entry("a", "x"), entry("again", "x"), entry("b", "y"), off}},
		{Path: "broken.json", Problems: []finding.Problem{{Message: "no JSON"}}},
		{Path: "empty.json"},
	}
	p := New(resolver(nil), files, nil, true)
	one, two := serverWith(t, "one", 3), serverWith(t, "two", 2)
	p.Settle([]target.Outcome{{Servers: []*catalog.Server{one}}, {Servers: []*catalog.Server{two}}})
	got := p.Report()
	for i, want := range []string{result.StateRead, result.StateUnread, result.StateRead} {
		if got.Files[i].State != want {
			t.Errorf("%s: state %s, want %s", got.Files[i].File, got.Files[i].State, want)
		}
	}
	if len(got.Agents) != 1 || !slices.Equal(got.Agents[0].Entries, []int{0, 1, 2}) || got.Agents[0].Tools != 5 {
		t.Errorf("agents: %+v", got.Agents)
	}
	if e := got.Entries[0]; !slices.Equal(e.Servers, []string{"one"}) || len(e.Tools) != 3 || e.Starts != "x" || e.State != result.Scanned {
		t.Errorf("entry: %+v", e)
	}
	if e := got.Entries[3]; len(e.Servers) != 0 || e.State != result.SwitchedOff {
		t.Errorf("entry that is switched off: %+v", e)
	}
	other := serverWith(t, "other", 1)
	groups := p.Together([]*catalog.Server{other})
	if len(groups) != 2 || !slices.Equal(groups[0], []*catalog.Server{other}) || !slices.Equal(groups[1], []*catalog.Server{other, one, two}) {
		t.Errorf("groups: %v", groups)
	}
}

// The person who is asked sees what leaves this machine and where to, by name and never by value.
func TestDescribeSaysWhatLeaves(t *testing.T) {
	env := map[string]string{"MY_TOKEN": "value-of-token", "REGION": "value-of-region"}
	remote := config.Entry{Client: config.Generic, Name: "remote", File: "mcp.json", Transport: config.HTTP, URL: value("https://ada:pw-of-ada@example.com/mcp?r=${REGION}"),
		Headers: []config.Variable{{Name: "Authorization", Value: value("Bearer ${MY_TOKEN}")}}, Place: config.Place{Line: 4}}
	local := entry("local", "npx")
	local.Args, local.Cwd = []config.Value{value("--token=${MY_TOKEN}")}, "/srv/app"
	local.Env = []config.Variable{{Name: "NODE_OPTIONS", Value: value("--require ./x.js")}, {Name: "KEY", Value: value("value-of-key")}}
	plain := entry("plain", "true")
	for _, tt := range []struct {
		name        string
		entry       config.Entry
		says, hides []string
	}{
		{"a server behind a URL", remote, []string{"connects to ", "sends it the headers Authorization", "sends it your variables ", "MY_TOKEN", "REGION", "the user and the password in the address"},
			[]string{"value-of-token", "value-of-region", "pw-of-ada"}},
		{"a server that is started", local, []string{"starts npx", "in /srv/app", "gives it the variables NODE_OPTIONS, KEY", "fills in your variables MY_TOKEN", "decides what code it loads: NODE_OPTIONS=\"--require ./x.js\""},
			[]string{"value-of-token", "value-of-key", "connects"}},
		{"a server with nothing of ours", plain, []string{"starts true"}, []string{"variables", "headers", "decides", " in /"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := New(resolver(env), []config.File{{Path: "mcp.json", Entries: []config.Entry{tt.entry}}}, nil, true)
			if len(p.Launches) != 1 {
				t.Fatalf("%d launches, problems %v", len(p.Launches), p.Problems)
			}
			text := strings.Join(p.Launches[0].Describe(7), "\n")
			if !strings.HasPrefix(text, "   7  "+EntryName(&tt.entry)+" in mcp.json:") {
				t.Errorf("it begins with %q", text)
			}
			for _, s := range tt.says {
				if !strings.Contains(text, s) {
					t.Errorf("it does not say %q:\n%s", s, text)
				}
			}
			for _, s := range tt.hides {
				if strings.Contains(text, s) {
					t.Errorf("it says %q:\n%s", s, text)
				}
			}
		})
	}
}

// Entries that differ in anything that a server is given are two servers.
func TestIdentityOfServers(t *testing.T) {
	base := func() config.Entry { return entry("a", "npx") }
	for name, change := range map[string]func(*config.Entry){
		"nothing":         func(*config.Entry) {},
		"the arguments":   func(e *config.Entry) { e.Args = []config.Value{value("x")} },
		"the directory":   func(e *config.Entry) { e.Cwd = "/srv" },
		"the environment": func(e *config.Entry) { e.Env = []config.Variable{{Name: "A", Value: value("1")}} },
		"the name alone":  func(e *config.Entry) { e.Name = "other" },
	} {
		changed := base()
		change(&changed)
		p := New(resolver(nil), []config.File{{Path: "mcp.json", Entries: []config.Entry{base(), changed}}}, nil, true)
		want := 2
		if name == "nothing" || name == "the name alone" {
			want = 1
		}
		if len(p.Launches) != want {
			t.Errorf("%s differs: %d launches, want %d", name, len(p.Launches), want)
		}
	}
}

// A relative directory of a project begins at the project.
func TestDirectoryOfAProject(t *testing.T) {
	for _, tt := range []struct{ project, cwd, want string }{
		{"/home/ada/shop", "", "/home/ada/shop"}, {"/home/ada/shop", "tools", "/home/ada/shop/tools"},
		{"/home/ada/shop", "/srv", "/srv"}, {"", "tools", "tools"}, {"", "", ""},
	} {
		e := entry("a", "npx")
		e.Project, e.Cwd = tt.project, tt.cwd
		if got := entryTarget(&e).Dir; got != tt.want {
			t.Errorf("project %q, directory %q: %q, want %q", tt.project, tt.cwd, got, tt.want)
		}
	}
}

// Findings are shown worst first and counted beyond the first twenty.
func TestDescribeFindings(t *testing.T) {
	var entries []config.Entry
	for i := range mostFindings + 2 {
		e := config.Entry{Client: config.Generic, Name: fmt.Sprintf("s%d", i), File: "mcp.json", Transport: config.HTTP, URL: value("http://example.com/mcp"), Place: config.Place{Line: i}}
		entries = append(entries, e)
	}
	injected := entry("injected", "node")
	injected.Env = []config.Variable{{Name: "LD_PRELOAD", Value: value("/tmp/x.so")}}
	p := New(resolver(nil), []config.File{{Path: "mcp.json", Entries: append(entries, injected)}}, nil, true)
	lines := p.DescribeFindings(nil)
	if len(lines) != mostFindings+1 || !strings.Contains(lines[0], "HIGH") || !strings.Contains(lines[mostFindings], "more") {
		t.Errorf("%d lines, the first %q, the last %q", len(lines), lines[0], lines[len(lines)-1])
	}
	few := New(resolver(nil), []config.File{{Path: "mcp.json", Entries: []config.Entry{injected}}}, nil, true).DescribeFindings(nil)
	for _, l := range few {
		if strings.Contains(l, "and ") && strings.Contains(l, "more") {
			t.Errorf("few findings, and yet %q", l)
		}
	}
}
