package toxicflow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/internal/engine/check"
)

const servers3 = `{"servers": [
 {"name": "pages", "tools": [{"name": "fetch_url", "description": "Fetches a URL and returns the page as text.", "inputSchema": {"properties": {"url": {"type": "string", "format": "uri"}}}}]},
 {"name": "post", "tools": [
  {"name": "read_file", "description": "Reads the file at the given path.", "inputSchema": {"properties": {"path": {"type": "string"}}}},
  {"name": "send_email", "description": "Sends an email to a recipient.", "inputSchema": {"properties": {"to": {"type": "string"}}}}]},
 {"name": "desk", "tools": [{"name": "delete_file", "description": "Deletes a file.", "inputSchema": {"properties": {"path": {"type": "string"}}}}]}
]}`

// run returns the messages of one check, sorted; it fails where a check did.
func run(t *testing.T, rule, text string) []string {
	t.Helper()
	c, err := catalog.Parse("test.json", text, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	res := check.Run(c, Checks(), check.Options{})
	for _, p := range res.Problems {
		t.Error(p.Message)
	}
	var out []string
	for _, f := range res.Findings {
		if string(f.Rule) == rule {
			out = append(out, f.Message)
		}
	}
	slices.Sort(out)
	return out
}

// TestToolsOfOneName: two tools may share a name, and each is what it is.
func TestToolsOfOneName(t *testing.T) {
	const read = `{"name": "x", "title": "Read file", "description": "Reads the file at the given path.", "inputSchema": {"properties": {"path": {"type": "string"}}}}`
	const fetch = `{"name": "x", "title": "Fetch URL", "description": "Fetches a URL over HTTP.", "inputSchema": {"properties": {"url": {"type": "string", "format": "uri"}}}}`
	for _, tools := range []string{read + "," + fetch, fetch + "," + read} {
		got := run(t, "MCP-S-005", `{"tools": [`+tools+`]}`)
		if len(got) != 1 || !strings.Contains(got[0], `x is fs_read by its parameter path (path), "read" in its name, "file" in its name`) || !strings.Contains(got[0], `x is net_egress by its parameter url (url), "fetch" in its name, "url" in its name`) {
			t.Errorf("got %q", got)
		}
	}
}

// TestEveryServerOfALargeGroup is paired, in time linear in the servers.
func TestEveryServerOfALargeGroup(t *testing.T) {
	const n = 4000
	var b strings.Builder
	b.WriteString(`{"servers": [{"name": "post", "tools": [{"name": "send_email", "description": "Sends an email to a recipient.", "inputSchema": {"properties": {"to": {"type": "string"}}}}, {"name": "read_file", "description": "Reads the file at the given path.", "inputSchema": {"properties": {"path": {"type": "string"}}}}]}`)
	for i := range n {
		fmt.Fprintf(&b, `, {"name": "pages%d", "tools": [{"name": "fetch_url", "description": "Fetches a URL and returns the page as text.", "inputSchema": {"properties": {"url": {"type": "string", "format": "uri"}}}}]}`, i)
	}
	b.WriteString(`]}`)
	got := run(t, "SEC-035", b.String())
	want := "fetch_url (pages0) -> send_email (post): fetch_url returns what pages on the network say, and send_email sends messages to whom its caller names. What it could take: read_file (post), which reads files"
	if len(got) != n || got[0] != want {
		t.Errorf("got %d findings, the first %q", len(got), slices.Compact(got)[0])
	}
}

// TestGroups pairs tools of servers that one agent sees together, and of no others.
func TestGroups(t *testing.T) {
	c, err := catalog.Parse("three.json", servers3, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	pages, post, desk := c.Servers[0], c.Servers[1], c.Servers[2]
	for _, tt := range []struct {
		name   string
		groups [][]*catalog.Server
		want   string
	}{
		{"one agent sees all", nil, "high fetch_url (pages) -> send_email (post)"},
		{"two agents", [][]*catalog.Server{{pages, post}, {pages, desk}}, "high fetch_url (pages) -> send_email (post); medium fetch_url (pages) -> delete_file (desk)"},
		{"apart from the mailer", [][]*catalog.Server{{pages, desk}, {post}}, "medium fetch_url (pages) -> delete_file (desk)"},
		{"each alone", [][]*catalog.Server{{pages}, {post}, {desk}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := check.Run(c, Checks(), check.Options{Together: tt.groups})
			for _, p := range res.Problems {
				t.Error(p.Message)
			}
			var got []string
			for _, f := range res.Findings {
				if f.Rule == "SEC-035" {
					path, _, _ := strings.Cut(f.Message, ":")
					got = append(got, fmt.Sprint(f.Severity, " ", path))
				}
			}
			slices.Sort(got)
			if g := strings.Join(got, "; "); g != tt.want {
				t.Errorf("got  %s\nwant %s", g, tt.want)
			}
		})
	}
}

// Messages name the first few tools and count the rest; there is no rest of none.
func TestListNames(t *testing.T) {
	text := `{"tools": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}, {"name": "e"}]}`
	c, err := catalog.Parse("test.json", text, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	server := &classifiedServer{Server: c.Servers[0]}
	var tools []*tool
	for i := range 5 {
		tools = append(tools, &tool{server: server, index: i})
	}
	for n, want := range []string{"", "a", "a, b", "a, b, c", "a, b, c, d", "a, b, c, d and 1 more"} {
		if got := listNames(tools[:n]); got != want {
			t.Errorf("%d tools: %q, want %q", n, got, want)
		}
	}
}
