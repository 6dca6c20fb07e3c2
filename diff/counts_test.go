package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What is counted in the summary, each thing once: items that came, changed and went, those that are the same, and what servers say of themselves.
func TestSummaryCounts(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"nothing changed", `{"tools":[{"name":"a"},{"name":"b"}]}`, `{"tools":[{"name":"a"},{"name":"b"}]}`, "+0 ~0 -0 =2"},
		{"one of each", `{"tools":[{"name":"a"},{"name":"b","x":1},{"name":"c"}]}`, `{"tools":[{"name":"a"},{"name":"b","x":2},{"name":"d"}]}`, "+1 ~1 -1 =1"},
		{"of two of a name one", `{"tools":[{"name":"a","x":1},{"name":"a","x":2}]}`, `{"tools":[{"name":"a","x":1},{"name":"a","x":3}]}`, "+0 ~1 -0 =1"},
		{"a second of a name", `{"tools":[{"name":"a","x":1}]}`, `{"tools":[{"name":"a","x":1},{"name":"a","x":1}]}`, "+1 ~0 -0 =1"},
		{"a second of a name went", `{"tools":[{"name":"a","x":1},{"name":"a","x":1}]}`, `{"tools":[{"name":"a","x":1}]}`, "+0 ~0 -1 =1"},
		{"three of a name, two left", `{"tools":[{"name":"a","x":1},{"name":"a","x":1},{"name":"a","x":1}]}`, `{"tools":[{"name":"a","x":1},{"name":"a","x":1}]}`, "+0 ~0 -1 =2"},
		{"two of a name change places", `{"tools":[{"name":"a","x":1},{"name":"a","x":2}]}`, `{"tools":[{"name":"a","x":2},{"name":"a","x":1}]}`, "+0 ~1 -0 =1"},
		{"a server's own words", `{"server":{"name":"s"},"instructions":"x","tools":[]}`, `{"server":{"name":"s"},"instructions":"y","tools":[]}`, "+0 ~1 -0 =0"},
		{"a server's own words stay", `{"server":{"name":"s"},"instructions":"x","tools":[{"name":"a"}]}`, `{"server":{"name":"s"},"instructions":"x","tools":[]}`, "+0 ~0 -1 =1"},
		{"a server came", `{"servers":[]}`, `{"servers":[{"name":"s","server":{"name":"s"},"tools":[{"name":"a"}]}]}`, "+2 ~0 -0 =0"},
		{"a server went", `{"servers":[{"name":"s","server":{"name":"s"},"tools":[{"name":"a"}]}]}`, `{"servers":[]}`, "+0 ~0 -2 =0"},
	} {
		d := Catalogs(parse(t, tt.old), parse(t, tt.new))
		if got := fmt.Sprintf("+%d ~%d -%d =%d", d.Summary.Added, d.Summary.Changed, d.Summary.Removed, d.Summary.Same); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		back := Catalogs(parse(t, tt.new), parse(t, tt.old))
		if back.Summary.Added != d.Summary.Removed || back.Summary.Removed != d.Summary.Added || back.Summary.Same != d.Summary.Same && len(d.Servers) > 0 && d.Servers[0].State == Changed {
			t.Errorf("%s, the other way round: %+v against %+v", tt.name, back.Summary, d.Summary)
		}
		if d.Changed() != (d.Summary.Changed+d.Summary.Removed > 0) || d.Summary.Complete != (len(d.Problems) == 0) {
			t.Errorf("%s: changed %t, complete %t", tt.name, d.Changed(), d.Summary.Complete)
		}
	}
}

// A server that has another name is a change even if nothing else of it is, and one without a name never has had another.
func TestRenamedServers(t *testing.T) {
	const named, renamed, nameless = `{"server":{"name":"s"},"tools":[{"name":"a"}]}`, `{"server":{"name":"t"},"tools":[{"name":"a"}]}`, `{"tools":[{"name":"a"}]}`
	for _, tt := range []struct{ old, new, was string }{{named, renamed, "s"}, {renamed, named, "t"}, {named, nameless, ""}, {nameless, named, ""}, {named, named, ""}} {
		for _, s := range Catalogs(parse(t, tt.old), parse(t, tt.new)).Servers {
			if s.State == Changed && s.Was != tt.was {
				t.Errorf("%s to %s: was %q, want %q", tt.old, tt.new, s.Was, tt.was)
			}
		}
	}
}

// without leaves each text as often as it is there more often, the last ones.
func TestWithout(t *testing.T) {
	for _, tt := range []struct{ texts, others, want string }{
		{"", "", ""}, {"a", "", "0"}, {"a", "a", ""}, {"aa", "a", "1"}, {"aab", "ab", "1"}, {"aba", "a", "1 2"}, {"aaa", "aa", "2"}, {"a", "aa", ""}, {"ab", "ba", ""},
	} {
		var got []string
		for _, n := range without(strings.Split(tt.texts, ""), strings.Split(tt.others, "")) {
			got = append(got, fmt.Sprint(n))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s without %s: %q, want %s", tt.texts, tt.others, got, tt.want)
		}
	}
}

// Servers are in the order of what the user calls them and items in that of their kinds and names, however they came.
func TestOrderOfADiff(t *testing.T) {
	const old = `{"servers":[]}`
	const one = `{"name":"%s","server":{"name":"%s"},"tools":[{"name":"z"},{"name":"b"}],"prompts":[{"name":"a"}]}`
	d := Catalogs(parse(t, old), parse(t, `{"servers":[`+strings.ReplaceAll(one, "%s", "y")+`,`+strings.ReplaceAll(one, "%s", "x")+`]}`))
	var got []string
	for _, s := range d.Servers {
		for _, it := range s.Items {
			got = append(got, strings.TrimSpace(s.Name+" "+string(it.Kind)+" "+it.Name))
		}
	}
	want := []string{"x server", "x tool b", "x tool z", "x prompt a", "y server", "y tool b", "y tool z", "y prompt a"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
