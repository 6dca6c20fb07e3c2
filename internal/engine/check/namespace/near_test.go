package namespace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/internal/engine/check"
)

func TestNearNames(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		want       string // "" for not near
	}{
		{"replaced", "read_file", "read_fila", "differs in one character"},
		{"inserted", "read_file", "read_files", "differs in one character"},
		{"inserted in front", "read_file", "xread_file", "differs in one character"},
		{"a doubled letter", "get_all", "get_alll", "differs in one character"},
		{"swapped letters are two edits", "read_file", "raed_file", ""},
		{"two edits", "read_file", "reads_files", ""},
		{"separator", "read_file", "read-file", "differs only in separators or letter case"},
		{"camel case", "read_file", "readFile", "differs only in separators or letter case"},
		{"letter case in three letters", "get", "Get", "differs only in separators or letter case"},
		{"three letters", "get", "set", ""},
		{"three and four letters", "add", "adds", ""},
		{"four letters", "read", "lead", "differs in one character"},
		{"separators are no letters", "a_b_c", "a_b_d", ""},
		{"Cyrillic", "search", "sеаrсh", "looks the same"},
		{"Cyrillic and a separator", "search_web", "sеarch-wеb", "looks the same but for separators and letter case"},
		{"invisible", "search", "sea\u200brch", "looks the same"},
		{"drawn alike", "I1l_0O", "l1I_O0", "looks the same"},
		{"rn and m", "turn_on", "tum_on", "looks the same"},
		{"numbering", "tool_1", "tool_2", ""},
		{"numbering with one digit more", "tool_9", "tool_91", ""},
		{"a number added", "tool", "tool2", "differs in one character"},
		{"a letter for a digit", "tool_1", "tool_a", "differs in one character"},
		{"beyond ASCII", "löschen", "loeschen", ""},
		{"replaced beyond ASCII", "日本語検索", "日本国検索", "differs in one character"},
		{"too long for edits", strings.Repeat("ab", 70), strings.Repeat("ab", 70) + "c", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, in := range [][]string{{tt.a, tt.b}, {tt.b, tt.a}} {
				near := nearNames(in)
				var got [2]string
				for i, ns := range near {
					for _, n := range ns {
						got[i] += n.how.String()
					}
				}
				if got[0] != tt.want || got[1] != tt.want {
					t.Errorf("nearNames(%q) = %q, want %q both ways", in, got, tt.want)
				}
			}
		})
	}
}

// The index finds what comparing all pairs finds.
func TestIndexEqualsAllPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[string]bool{}
	var names []string
	for len(names) < 1500 {
		b := make([]rune, 4+r.IntN(4))
		for i := range b {
			b[i] = []rune("abé_А1")[r.IntN(6)]
		}
		if n := string(b); !seen[n] && len(names)%3 != 2 || !seen[n] && letters(n) >= 5 {
			seen[n] = true
			names = append(names, n)
		}
	}
	x := &index{names: names, near: make([][]neighbour, len(names)), full: make([]bool, len(names))}
	x.edits()
	for i, a := range names {
		var want, got []int
		for j, b := range names {
			if letters(a) >= minLetters && letters(b) >= minLetters && oneEditApart([]rune(a), []rune(b)) && !numbering([]rune(a), []rune(b)) {
				want = append(want, j)
			}
		}
		for _, n := range x.near[i] {
			got = append(got, n.name)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) && len(want) <= maxNear {
			t.Fatalf("near %q: %d names, want %d", a, len(got), len(want))
		}
	}
}

// Names that are all near each other cost no more than others: their number is bounded.
func TestHostileNames(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"servers":[`)
	for s := range 2 {
		fmt.Fprintf(&b, `%s{"name":"s%d","tools":[`, []string{"", ","}[s], s)
		for i := range 5000 {
			fmt.Fprintf(&b, `%s{"name":"read_%cfile"}`, []string{"", ","}[min(i, 1)], rune(0x4E00+2*i+s))
		}
		b.WriteString("]}")
	}
	b.WriteString("]}")
	c, err := catalog.Parse("", b.String(), catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	res := check.Run(c, Checks(), check.Options{})
	if len(res.Findings) == 0 || len(res.Findings) > 10_000 || len(res.Problems) > 0 {
		t.Errorf("%d findings, problems %+v", len(res.Findings), res.Problems)
	}
	for _, f := range res.Findings {
		if len(f.Related) > maxRelated || len(f.Message) > 2000 {
			t.Fatalf("%d related places, message of %d bytes", len(f.Related), len(f.Message))
		}
	}
}

// The same servers in another order give the same fingerprints.
func TestOrderOfServersDoesNotCount(t *testing.T) {
	servers := []string{
		`{"name":"a","tools":[{"name":"search","inputSchema":{}},{"name":"read_file"}]}`,
		`{"name":"aa-b","tools":[{"name":"search"},{"name":"readFile"}]}`,
		`{"name":"aab","tools":[{"name":"search"},{"name":"read_files"}]}`,
	}
	prints := func(order ...int) (out []string) {
		var parts []string
		for _, i := range order {
			parts = append(parts, servers[i])
		}
		c, err := catalog.Parse("", `{"servers":[`+strings.Join(parts, ",")+`]}`, catalog.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range check.Run(c, Checks(), check.Options{}).Findings {
			out = append(out, string(f.Rule)+f.Fingerprint)
		}
		slices.Sort(out)
		return out
	}
	want := prints(0, 1, 2)
	if len(want) < 6 {
		t.Fatalf("%d findings", len(want))
	}
	for _, order := range [][]int{{2, 1, 0}, {1, 0, 2}, {2, 0, 1}} {
		if got := prints(order...); !slices.Equal(got, want) {
			t.Errorf("order %v: %q, want %q", order, got, want)
		}
	}
}

// BenchmarkNames compares 100,000 tool names over 5,000 servers: the promise is 2 s.
func BenchmarkNames(b *testing.B) {
	verbs := strings.Fields("get list create update delete search read write send fetch")
	nouns := strings.Fields("file user issue branch commit message page record account order invoice ticket event note image query table index report job")
	var text strings.Builder
	text.WriteString(`{"servers":[`)
	for s := range 5000 {
		fmt.Fprintf(&text, `%s{"name":"server %s %d","tools":[`, []string{"", ","}[min(s, 1)], nouns[s%20], s)
		for i := range 20 {
			n := s*20 + i
			name := fmt.Sprintf("%s_%s_%s", verbs[n%10], nouns[n/10%20], word(n))
			if i == 0 {
				name = verbs[s%10] + "_" + nouns[s/10%20] // shared by many
			}
			fmt.Fprintf(&text, `%s{"name":%q,"inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`, []string{"", ","}[min(i, 1)], name)
		}
		text.WriteString("]}")
	}
	text.WriteString("]}")
	c, err := catalog.Parse("", text.String(), catalog.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	for _, k := range Checks() {
		b.Run(string(k.ID), func(b *testing.B) {
			b.ReportAllocs()
			p := []*check.Check{k}
			for b.Loop() {
				n := len(check.Run(c, p, check.Options{}).Findings)
				b.ReportMetric(float64(n), "findings")
			}
		})
	}
}

// word spells a number in letters, so that neighbours are near and others are not.
func word(n int) string {
	var b []byte
	for n *= 7919; n > 0; n /= 26 {
		b = append(b, byte('a'+n%26))
	}
	return string(b)
}
