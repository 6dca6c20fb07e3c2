package catalog_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gauntlet/catalog"
)

// server makes a server from "NAME says TEXT [as ENTRY...] [at TARGET]".
func server(t *testing.T, words string) *catalog.Server {
	t.Helper()
	name, rest, _ := strings.Cut(words, " says ")
	rest, target, _ := strings.Cut(rest, " at ")
	text, entries, _ := strings.Cut(rest, " as ")
	c, err := catalog.Parse("", `{"name":"`+name+`","tools":[{"name":"x","description":"`+text+`"},{"name":"y"}]}`, catalog.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", words, err)
	}
	s := c.Servers[0]
	s.Entries, s.Target = strings.Fields(entries), target
	return s
}

func servers(t *testing.T, words []string) (*catalog.Catalog, map[*catalog.Server]string) {
	c, called := new(catalog.Catalog), map[*catalog.Server]string{}
	for _, w := range words {
		s := server(t, w)
		c.Servers = append(c.Servers, s)
		called[s] = w
	}
	return c, called
}

func TestPairs(t *testing.T) {
	for _, tt := range []struct {
		name     string
		was, now []string
		want     []string // "WAS > NOW", sorted
		ordered  bool     // the order of either side may matter
	}{
		{"one on each side, renamed", []string{"a says 1"}, []string{"b says 2"}, []string{"a says 1 > b says 2"}, false},
		{"by name", []string{"a says 1", "b says 1"}, []string{"b says 2", "c says 1"}, []string{"b says 1 > b says 2"}, false},
		{"by entry, whatever the name", []string{"fs says 1 as docs", "fs says 2 as code"}, []string{"fs says 2 as docs", "new says 3 as code"},
			[]string{"fs says 1 as docs > fs says 2 as docs", "fs says 2 as code > new says 3 as code"}, false},
		{"other entries are other servers", []string{"fs says 1 as docs"}, []string{"fs says 1 as code"}, nil, false},
		{"a shared entry is enough", []string{"fs says 1 as docs", "fs says 2 as code"}, []string{"fs says 3 as cursor/docs docs"}, []string{"fs says 1 as docs > fs says 3 as cursor/docs docs"}, false},
		{"one server that stands under two entries now is one of them", []string{"fs says 1 as docs code"}, []string{"fs says 1 as docs", "fs says 1 as code"}, []string{"fs says 1 as docs code > fs says 1 as docs"}, true},
		{"an entry against a snapshot", []string{"fs says 1 as docs", "git says 1 as git"}, []string{"fs says 2"}, []string{"fs says 1 as docs > fs says 2"}, false},
		{"a snapshot against an entry", []string{"fs says 1", "git says 1"}, []string{"fs says 2 as docs"}, []string{"fs says 1 > fs says 2 as docs"}, false},
		{"several of one name, one changed", []string{"fs says 1", "fs says 2", "fs says 3"}, []string{"fs says 1", "fs says 2!", "fs says 3"},
			[]string{"fs says 1 > fs says 1", "fs says 2 > fs says 2!", "fs says 3 > fs says 3"}, false},
		{"several of one name at their targets", []string{"hub says 1 at https://a", "hub says 2 at https://b"}, []string{"hub says 3 at https://a", "hub says 4 at https://b"},
			[]string{"hub says 1 at https://a > hub says 3 at https://a", "hub says 2 at https://b > hub says 4 at https://b"}, false},
		{"named in the lockfile, at their targets now", []string{"hub says 1 as home at https://a", "hub says 2 as work at https://b"}, []string{"hub says 3 at https://a", "hub says 4 at https://b"},
			[]string{"hub says 1 as home at https://a > hub says 3 at https://a", "hub says 2 as work at https://b > hub says 4 at https://b"}, false},
		{"several of one name, swapped targets tell", []string{"hub says 1 at https://a", "hub says 2 at https://b"}, []string{"hub says 2 at https://a", "hub says 1 at https://b"},
			[]string{"hub says 1 at https://a > hub says 2 at https://a", "hub says 2 at https://b > hub says 1 at https://b"}, false},
		{"a program that all have tells nothing", []string{"fs says 1 at npx", "fs says 2 at npx"}, []string{"fs says 1 at npx", "fs says 2 at npx"},
			[]string{"fs says 1 at npx > fs says 1 at npx", "fs says 2 at npx > fs says 2 at npx"}, false},
		{"all changed and nothing to go by", []string{"fs says 1", "fs says 2"}, []string{"fs says 3", "fs says 4"}, []string{"fs says 1 > fs says 3", "fs says 2 > fs says 4"}, true},
		{"one more of the name", []string{"fs says 1"}, []string{"fs says 2", "fs says 1"}, []string{"fs says 1 > fs says 1"}, false},
		{"nothing there", nil, []string{"a says 1"}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			was, calledWas := servers(t, tt.was)
			now, calledNow := servers(t, tt.now)
			for round := range 20 {
				var got []string
				for _, p := range catalog.Pairs(was, now) {
					got = append(got, calledWas[p.Was]+" > "+calledNow[p.Is])
				}
				slices.Sort(got)
				if !slices.Equal(got, tt.want) {
					t.Fatalf("round %d: pairs %q, want %q", round, got, tt.want)
				}
				if tt.ordered {
					break
				}
				for _, c := range []*catalog.Catalog{was, now} {
					rand.Shuffle(len(c.Servers), func(i, j int) { c.Servers[i], c.Servers[j] = c.Servers[j], c.Servers[i] })
				}
			}
		})
	}
}

func TestPairsKeepTheOrderOfNow(t *testing.T) {
	was, _ := servers(t, []string{"a says 1", "b says 1", "c says 1"})
	now, _ := servers(t, []string{"c says 1", "a says 1", "b says 1"})
	for i, p := range catalog.Pairs(was, now) {
		if p.Is != now.Servers[i] || p.Was.Name != p.Is.Name {
			t.Errorf("pair %d is %s and %s", i, p.Was.Name, p.Is.Name)
		}
	}
}
