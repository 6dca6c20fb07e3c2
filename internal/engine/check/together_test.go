package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/check/namespace"
	"gauntlet/rawjson"
)

// Servers are compared with those that one agent would see with them, and with no others.
func TestTogether(t *testing.T) {
	const text = `{"servers":[
		{"name":"a","tools":[{"name":"read_file"}]},
		{"name":"b","tools":[{"name":"read_file"}]},
		{"name":"c","tools":[{"name":"read_file"}]},
		{"name":"d","tools":[{"name":"write_file"}]}]}`
	for _, tt := range []struct {
		name   string
		groups string // "ab cd": two groups
		want   string // the servers of each finding
	}{
		{"all together", "abcd", "abc"},
		{"each by itself", "a b c d", "skipped"},
		{"no group", "", "skipped"},
		{"one pair of three", "ab cd", "ab"},
		{"a part of another group", "ab abd", "ab"},
		{"the same group twice", "ab ba", "ab"},
		{"in common with two groups", "abc abd", "abc ab"},
		{"two pairs, in the order of their fingerprints", "ab ac", "ac ab"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := catalog.Parse("x.json", text, catalog.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			groups := [][]*catalog.Server{}
			for g := range strings.FieldsSeq(tt.groups) {
				var servers []*catalog.Server
				for _, name := range g {
					servers = append(servers, c.Servers[name-'a'])
				}
				groups = append(groups, servers)
			}
			checks := slices.DeleteFunc(slices.Clone(namespace.Checks()), func(c *check.Check) bool { return c.ID != "SEC-010" })
			res := check.Run(c, checks, check.Options{Together: groups})
			var got []string
			for _, f := range res.Findings {
				names := f.Location.Server
				for _, l := range f.Related {
					names += l.Server
				}
				got = append(got, names)
			}
			if len(res.Skipped) > 0 {
				got = []string{"skipped"}
			}
			if fmt.Sprint(got) != fmt.Sprint(strings.Fields(tt.want)) {
				t.Errorf("findings about %q, want %q", got, tt.want)
			}
			if n := res.Checks[0].Findings; n != len(res.Findings) {
				t.Errorf("the ledger counts %d findings of %d", n, len(res.Findings))
			}
		})
	}
}

// A check that breaks on one group is told, and what it found in another stays.
func TestABrokenGroupIsTold(t *testing.T) {
	c, err := catalog.Parse("x.json", `{"servers":[{"name":"a","tools":[]},{"name":"b","tools":[]},{"name":"c","tools":[]}]}`, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	k := &check.Check{
		ID: "SEC-900", Name: "x", Severity: finding.Low, Maturity: check.Experimental, Axis: "x", Needs: check.Servers, Doc: "x", Advice: "x", Taxonomy: "MCP03:2025 weak, ASI01 weak, CWE-200 weak, L4 close, L1 weak", Source: "https://example.org",
		Run: func(p *check.Pass) {
			if p.Catalog.Servers[0].Name == "b" {
				panic("oops")
			}
			p.Report(check.Relation{At: p.At(p.Catalog.Servers[0], nil, rawjson.Value{}), Message: "found"})
		},
	}
	res := check.Run(c, []*check.Check{k}, check.Options{Together: [][]*catalog.Server{c.Servers[1:], c.Servers[:2]}})
	if len(res.Findings) != 1 || len(res.Problems) != 1 || res.Checks[0].State != "failed" {
		t.Errorf("%v, %v, %v", res.Findings, res.Problems, res.Checks)
	}
}
