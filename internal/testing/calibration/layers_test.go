package calibration

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gauntlet/capability"
)

// compare judges the tools of labels before and after their source was read.
func compare(t *testing.T, before, after []capability.Tool) *Layers {
	t.Helper()
	tr := truth(t, labels)
	of := func(tools []capability.Tool) []Case {
		return []Case{{Truth: tr, Predicted: &capability.Server{Tools: tools}, Mode: capability.DefinitionOnly}}
	}
	return Compare(of(before), of(after), []Reading{{Server: "desk", Tools: len(after), Handlers: len(after)}})
}

func tools(ts ...capability.Tool) []capability.Tool { return ts }

// TestCompareJudgesBothBySource: what is hidden counts and what is claimed does not, also for
// the layer that sees the definition alone.
func TestCompareJudgesBothBySource(t *testing.T) {
	l := compare(t, tools(said("read_file", nil, "fs_read:high", "db_query:high")), tools(said("read_file", nil, "fs_read:high", "db_query:low", "exec:medium")))
	if got, want := fmt.Sprint(l.Definition.Micro.Acted, l.Source.Micro.Acted), "{1 0 2} {2 0 1}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if r := l.Servers[0]; r.Definition.TP != 1 || r.Source.TP != 2 {
		t.Errorf("the server's row %+v", r)
	}
}

func TestChanges(t *testing.T) {
	for _, tt := range []struct{ name, tool, before, after, want string }{
		{"hidden and found", "read_file", "", "exec:medium", "exec true better"},
		{"confirmed", "read_file", "fs_read:medium", "fs_read:high", "fs_read true better"},
		{"taken back though true", "read_file", "fs_read:high", "fs_read:low", "fs_read true worse"},
		{"taken back in part", "read_file", "fs_read:high", "fs_read:medium", "fs_read true worse"},
		{"taken back, never true", "greet", "net_egress:high", "net_egress:low", "net_egress false better"},
		{"added, never true", "greet", "", "net_egress:medium", "net_egress false worse"},
		{"raised, never true", "greet", "net_egress:medium", "net_egress:high", "net_egress false worse"},
		{"below what counts", "greet", "", "exec:low", ""},
		{"debatable", "read_file", "", "fs_write:high", ""},
		{"only simulated", "read_file", "db_query:high", "db_query:low", ""},
		{"a tool that nobody labelled", "other", "", "exec:high", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got string
			for _, c := range compare(t, tools(said(tt.tool, nil, strings.Fields(tt.before)...)), tools(said(tt.tool, nil, strings.Fields(tt.after)...))).Changes {
				way := "worse"
				if c.Better() {
					way = "better"
				}
				got += fmt.Sprint(c.Tag, " ", c.True, " ", way)
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestSourcePage: both layers stand side by side, what became worse is shown with what the
// source says, and so is what could not be read.
func TestSourcePage(t *testing.T) {
	after := said("greet", nil, "exec:medium")
	after.Capabilities[0].Evidence = []string{"name_token:greet", "ast_sink:os.system()@a|b.py:3"}
	after.Capabilities[0].Signals = []capability.Signal{{Source: capability.FromName}, {Source: capability.FromSource}}
	l := compare(t, tools(said("greet", nil)), tools(after))
	l.Unread = []Unread{{"attic", "no handler of any tool was found in the sources"}}
	cases := []Case{{Truth: truth(t, labels), Predicted: &capability.Server{}, Mode: "A"}}
	var b bytes.Buffer
	if err := (&Run{All: Of(cases), Layers: l}).Markdown(&b); err != nil {
		t.Fatal(err)
	}
	_, part, ok := strings.Cut(b.String(), SourceHeading)
	if !ok {
		t.Fatalf("no part about sources:\n%s", b.String())
	}
	for _, want := range []string{
		"| exec | 0 | 1 | – |", "| exec | 0 | 1 and 2 | – | – | 0.0 % of 1 [0–79] |", "| desk | 1 | 1 | 0 | 0 | 0, 0, 0 | 0, 1, 0 |",
		`| desk | greet | exec | no | none | medium | ast\_sink:os.system()@a\|b.py:3 |`, "- attic: no handler",
	} {
		if !strings.Contains(part, want) {
			t.Errorf("%q is not in\n%s", want, part)
		}
	}
}
