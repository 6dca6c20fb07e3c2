package toxicflow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/check"
)

const servers3 = `{"servers": [
 {"name": "pages", "tools": [{"name": "fetch_url", "description": "Fetches a URL and returns the page as text.", "inputSchema": {"properties": {"url": {"type": "string", "format": "uri"}}}}]},
 {"name": "post", "tools": [
  {"name": "read_file", "description": "Reads the file at the given path.", "inputSchema": {"properties": {"path": {"type": "string"}}}},
  {"name": "send_email", "description": "Sends an email to a recipient.", "inputSchema": {"properties": {"to": {"type": "string"}}}}]},
 {"name": "desk", "tools": [{"name": "delete_file", "description": "Deletes a file.", "inputSchema": {"properties": {"path": {"type": "string"}}}}]}
]}`

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
		{"one agent sees all", nil, "high fetch_url (pages) -> send_email (post); medium fetch_url (pages) -> delete_file (desk)"},
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
