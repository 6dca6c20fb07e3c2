package gateway

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the names of each server begin with is clear, whatever the servers are called.
func TestPrefixes(t *testing.T) {
	for _, tt := range []struct{ servers, want string }{
		{"bank evil", "bank evil"},
		{"a a__b", "a a_b"},
		{"a_ a", "a-2 a"},
		{"My.Server My_Server", "My_Server-2 My_Server"},
		{"mail Mail", "mail Mail-2"},
		{"mcp", "mcp-2"},
		{"查询 ..", "server server-2"},
		{strings.Repeat("x", 70), strings.Repeat("x", 24)},
	} {
		if got := strings.Join(prefixesOf(upstreamsOf(strings.Fields(tt.servers))), " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.servers, got, tt.want)
		}
	}
}

func upstreamsOf(names []string) (out []Upstream) {
	for _, n := range names {
		out = append(out, Upstream{Name: n})
	}
	return out
}

var accepted = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Whatever servers call themselves and their tools, names at the front are accepted by providers and lead to one tool, and no name that
// begins like those of a server leads to another. Naming does not depend on the order in which a server lists its tools more than
// within that server.
func FuzzNames(f *testing.F) {
	f.Add("bank evil", "search", "search bank__search evil__bank__search")
	f.Add("bank evil", "search", "bank-search bank_search Bank.search bank_fees")
	f.Add("bank evil mcp", "search", "mcp__bank__search bank__search")
	f.Add("a a__b a_b", "b__c c", "c a__b__c 查询 demo/read demo.read")
	f.Add("bank", "search Search bank__Search bank__search 查询", "search")
	f.Add("a a_ _a", "x "+strings.Repeat("x", 70)+" "+strings.Repeat("x", 71), "a__x a___x")
	f.Fuzz(func(t *testing.T, servers, first, others string) {
		var ups []Upstream
		for _, u := range upstreamsOf(strings.Split(servers, " ")) {
			if !slices.ContainsFunc(ups, func(have Upstream) bool { return have.Name == u.Name }) && len(ups) < 20 {
				ups = append(ups, u)
			}
		}
		own := make([][]string, len(ups))
		for i := range own {
			if own[i] = strings.Split(others, " "); i == 0 {
				own[i] = strings.Split(first, " ")
			}
		}
		prefixes := prefixesOf(ups)
		owner := map[string][2]string{}
		for i, names := range nameItems(ups, prefixes, own, map[string]bool{}) {
			for id, front := range names {
				if !accepted.MatchString(front.name) {
					t.Errorf("%q of %q is called %q", id, ups[i].Name, front.name)
				}
				key := strings.ToLower(front.name)
				if have, taken := owner[key]; taken {
					t.Errorf("%q is %q and %q of %q", front.name, have, id, ups[i].Name)
				}
				owner[key] = [2]string{ups[i].Name, id}
				if of := beginsLike(prefixes, front.name); of >= 0 && of != i {
					t.Errorf("%q of %q is called %q, as those of %q", id, ups[i].Name, front.name, ups[of].Name)
				}
			}
		}
	})
}
