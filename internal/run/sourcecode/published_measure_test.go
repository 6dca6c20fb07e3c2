package sourcecode

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"gauntlet/sink"
)

// published is a vulnerability that someone published, with the trees before and after its fix.
type published struct {
	ID, Tool, Parameter string
	Subdir              string   // of the server, below either tree
	Sinks               []string // FILE:LINE in the vulnerable tree
	Scope               string   // "tool", or of what else it is
	FixComplete         string   `yaml:"fix_complete"` // "yes", or what is left to report: "partial", "opt-in"
	StaticRule          string   `yaml:"static_rule"`
}

// arrival is one thing that was reported of the tool and parameter of a published vulnerability.
type arrival struct {
	rule, why string
	at        []sink.Place // the sink and the steps before it
}

// rules maps kinds of flow to the rule that reports them: a fix that turns one kind into another of the same rule is still reported.
var rules = map[sink.FlowKind]string{
	sink.ShellFlow: "007", sink.ProgramFlow: "007", sink.ArgumentFlow: "007", sink.CodeFlow: "007",
	sink.PathFlow: "006", sink.LinkFlow: "006", sink.HostFlow: "009", sink.URLPathFlow: "009",
	sink.SQLFlow: "008", sink.QueryFlow: "008", sink.PrototypeFlow: "710", sink.PromptFlow: "013",
}

// about returns what is reported of the tool and parameter, of the resources, or of the listeners, whichever the vulnerability is in.
func (p *published) about(s *sink.Sources) (out []arrival) {
	handlers := s.Handlers
	if p.Scope == "resource" {
		handlers = s.Resources
	}
	for _, h := range handlers {
		for _, f := range h.Flows {
			own := h.Tool == p.Tool && (f.Param == p.Parameter || strings.HasPrefix(f.Param, p.Parameter+"."))
			if rules[f.Kind] == "" || !own && p.Scope != "resource" {
				continue
			}
			a := arrival{rule: rules[f.Kind], why: string(f.Kind) + ": " + f.Guard, at: []sink.Place{f.At}}
			for _, step := range f.Steps {
				a.at = append(a.at, step.At)
			}
			out = append(out, a)
		}
	}
	for _, h := range s.Resources {
		for _, f := range h.Flows {
			if h.Via == sink.ByRoute && p.StaticRule == "route-to-spawn" {
				out = append(out, arrival{rule: rules[f.Kind], why: string(f.Kind) + ": " + f.Guard, at: []sink.Place{f.At}})
			}
		}
	}
	for _, site := range s.Sites {
		if site.Kind == sink.OpenListener && p.StaticRule == "http-no-host-check" {
			out = append(out, arrival{rule: string(site.Kind), why: site.Why, at: []sink.Place{site.At}})
		}
	}
	return out
}

// passes reports whether one of the places holds one of the sinks: an expression may end lines below its first.
func (p *published) passes(files map[string][]byte, at []sink.Place) bool {
	return slices.ContainsFunc(p.Sinks, func(s string) bool {
		file, number, _ := strings.Cut(s, ":")
		line, _ := strconv.Atoi(number)
		return slices.ContainsFunc(at, func(at sink.Place) bool {
			text := files[at.File]
			more := bytes.Count(text[min(at.Start, len(text)):min(max(at.Start, at.End), len(text))], []byte("\n"))
			return at.File == file && at.Line <= line && line <= at.Line+more
		})
	})
}

// judge says whether the vulnerability was found, and whether its fix is told apart.
func (p *published) judge(t *testing.T, vulnerable, fixed *Analysed) (found, apart bool) {
	t.Helper()
	var by, before, after []string
	for _, a := range p.about(vulnerable.Sources) {
		if p.passes(vulnerable.Files, a.at) {
			by = append(by, a.rule)
			before = append(before, a.why)
		}
	}
	for _, a := range p.about(fixed.Sources) {
		if slices.Contains(by, a.rule) {
			after = append(after, fmt.Sprintf("%s (%s)", a.why, a.at[0]))
		}
	}
	t.Logf("%s: found by %q, with the fix %q (complete: %s)", p.ID, before, after, p.FixComplete)
	if p.FixComplete == "yes" {
		return len(by) > 0, len(by) > 0 && len(after) == 0
	}
	same := slices.ContainsFunc(after, func(s string) bool {
		return slices.ContainsFunc(before, func(why string) bool { return strings.HasPrefix(s, why+" (") })
	})
	return len(by) > 0, len(by) > 0 && !same
}

// TestPublished scores published vulnerabilities: GAUNTLET_CVE names the folder with cases.yaml, GAUNTLET_CVE_TREES one that
// holds ID/vulnerable and ID/fixed for each. A case is found if the report names its tool, its parameter and the line of a sink.
// A complete fix is told apart if the rule says nothing more of that tool and parameter, a partial one if it says something else.
func TestPublished(t *testing.T) {
	list, trees := os.Getenv("GAUNTLET_CVE"), os.Getenv("GAUNTLET_CVE_TREES")
	if list == "" || trees == "" {
		t.Skip("GAUNTLET_CVE and GAUNTLET_CVE_TREES name no published vulnerabilities")
	}
	text, err := os.ReadFile(filepath.Join(list, "cases.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Cases []published }
	if err := yaml.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	var found, apart int
	for _, p := range all.Cases {
		if only := os.Getenv("ONLY"); only != "" && only != p.ID {
			continue
		}
		var sides [2]*Analysed
		for i, side := range []string{"vulnerable", "fixed"} {
			a, err := Analyse(t.Context(), filepath.Join(trees, p.ID, side, p.Subdir), nil)
			if err != nil || a.Sources == nil {
				t.Fatal(p.ID, side, err, a)
			}
			sides[i] = a
		}
		f, a := p.judge(t, sides[0], sides[1])
		if f {
			found++
		}
		if a {
			apart++
		}
		if !f || !a {
			t.Logf("SHORT %s: found %t, told apart %t", p.ID, f, a)
		}
	}
	t.Logf("ALL %d of %d found, %d of %d told apart", found, len(all.Cases), apart, found)
	if len(all.Cases) == 37 && os.Getenv("ONLY") == "" && (found < 34 || apart < 33) {
		t.Errorf("%d found and %d told apart, which were 34 and 33", found, apart)
	}
}
