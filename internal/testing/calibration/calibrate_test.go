package calibration

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gauntlet/capability"
)

const labels = `
server: desk
tools:
  read_file:
    tags: [fs_read, net_egress, exec]
    maybe: [fs_write]
    hidden: [exec]
    claimed: [db_query]
    roles: {path: path, mode: "text|id"}
  greet:
    tags: []
    roles: {}
`

func truth(t *testing.T, text string) *Truth {
	t.Helper()
	tr, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// said makes a tool with labels written as "fs_read:high".
func said(name string, roles map[string]capability.Role, labels ...string) capability.Tool {
	out := capability.Tool{Name: name, Roles: map[string]capability.RoleLabel{}}
	for _, l := range labels {
		tag, c, _ := strings.Cut(l, ":")
		out.Capabilities = append(out.Capabilities, capability.Label{Tag: capability.Tag(tag), Confidence: capability.Confidence(c)})
	}
	for p, r := range roles {
		out.Roles[p] = capability.RoleLabel{Role: r, Confidence: capability.High}
	}
	return out
}

func score(t *testing.T, mode capability.Mode, tools ...capability.Tool) *Score {
	t.Helper()
	return Of([]Case{{Truth: truth(t, labels), Predicted: &capability.Server{Tools: tools}, Mode: mode}})
}

// TestVerdicts holds the meaning of each list of a label file.
func TestVerdicts(t *testing.T) {
	const none = "greet"
	for _, tt := range []struct {
		name string
		mode capability.Mode
		tool capability.Tool
		want string // of high and medium, over all tags
	}{
		{"right and missed", "A", said("read_file", nil, "fs_read:high"), "{1 0 1}"},
		{"low is not acted on", "A", said("read_file", nil, "fs_read:low"), "{0 0 2}"},
		{"debatable counts neither way", "A", said("read_file", nil, "fs_write:high"), "{0 0 2}"},
		{"hidden is right without source", "A", said("read_file", nil, "exec:medium"), "{1 0 2}"},
		{"hidden is missed with source", "B", said("read_file", nil), "{0 0 3}"},
		{"claimed is right without source", "A", said("read_file", nil, "db_query:high"), "{1 0 2}"},
		{"claimed is undecided with source", "B", said("read_file", nil, "db_query:high"), "{0 0 3}"},
		{"wrong", "A", said(none, nil, "exec:high"), "{0 1 0}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := score(t, tt.mode, tt.tool)
			if got := fmt.Sprint(s.Micro.Acted); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestRolesAcceptEither(t *testing.T) {
	s := score(t, "A", said("read_file", map[string]capability.Role{"path": capability.Path, "mode": capability.ID}))
	for _, r := range s.Roles {
		if r.Parameters > 0 && r.Acted.TP != r.Parameters {
			t.Errorf("%+v", r)
		}
	}
	s = score(t, "A", said("read_file", map[string]capability.Role{"path": capability.Text, "mode": capability.Text}))
	if len(s.RoleErrors) != 1 || s.RoleErrors[0].Want != "path" || s.RoleErrors[0].Said != "text" {
		t.Errorf("errors %+v, want the path alone", s.RoleErrors)
	}
}

func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		hits, n   int
		low, high float64
	}{
		{0, 0, 0, 1}, {10, 10, 0.722, 1}, {0, 10, 0, 0.278}, {50, 100, 0.404, 0.596},
	} {
		low, high := Wilson(tt.hits, tt.n)
		if math.Abs(low-tt.low) > 0.001 || math.Abs(high-tt.high) > 0.001 {
			t.Errorf("Wilson(%d, %d) = %.3f, %.3f, want %.3f, %.3f", tt.hits, tt.n, low, high, tt.low, tt.high)
		}
	}
}

func TestParseRefusesSlips(t *testing.T) {
	for _, text := range []string{
		"tools: {}",
		"server: x\ntools: {a: {tags: [fs_raed]}}",
		"server: x\ntools: {a: {roles: {p: path|txt}}}",
		"server: [",
	} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%q: want an error", text)
		}
	}
}

// TestFamilies keeps what resembles each other in one fold.
func TestFamilies(t *testing.T) {
	var cases []Case
	for _, text := range []string{
		"server: alpha\ntools: {a: {}, b: {}}", "server: beta1\ntools: {c: {}}", "server: gamma\ntools: {b: {}}",
		"server: beta2\ntools: {d: {}}", "server: delta\nfamily: f\ntools: {e: {}}", "server: epsilon\nfamily: f\ntools: {g: {}}",
	} {
		cases = append(cases, Case{Truth: truth(t, text)})
	}
	Families(cases)
	var got []string
	for _, c := range cases {
		got = append(got, c.Family)
	}
	if want := []string{"alpha", "beta1", "alpha", "beta1", "f", "f"}; !slices.Equal(got, want) {
		t.Errorf("families %q, want %q", got, want)
	}
	for n := 1; n < 6; n++ {
		seen := map[string]int{}
		total := 0
		for i, fold := range Split(cases, n) {
			total += len(fold)
			for _, at := range fold {
				if was, ok := seen[cases[at].Family]; ok && was != i {
					t.Errorf("%d folds: family %s is divided", n, cases[at].Family)
				}
				seen[cases[at].Family] = i
			}
		}
		if total != len(cases) {
			t.Errorf("%d folds hold %d of %d cases", n, total, len(cases))
		}
	}
}

// TestMarkdownIsSafe writes what servers say without letting it out of its cell.
func TestMarkdownIsSafe(t *testing.T) {
	c := Case{Truth: truth(t, labels), Predicted: &capability.Server{Tools: []capability.Tool{said("greet", nil, "exec:high")}}, Mode: "A"}
	c.Predicted.Tools[0].Capabilities[0].Evidence = []string{"desc_phrase:a|b\n<script>`x`"}
	cases := []Case{c}
	Families(cases)
	var b bytes.Buffer
	if err := (&Run{All: Of(cases), Corpus: Entries(cases)}).Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script>", "a|b", "`x`"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%q stands in the page:\n%s", bad, b.String())
		}
	}
}

// FuzzParse: a file of labels is read or refused, and what is read can be scored.
func FuzzParse(f *testing.F) {
	f.Add([]byte(labels))
	f.Fuzz(func(t *testing.T, data []byte) {
		tr, err := Parse(data)
		if (tr == nil) == (err == nil) {
			t.Fatalf("%v and %v", tr, err)
		}
		if err == nil {
			Of([]Case{{Truth: tr, Predicted: &capability.Server{}, Mode: "A"}})
		}
	})
}
