package calibration

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gauntlet/capability"
)

// casesOf makes a case of each server: its truth as a label file, and what was said.
func caseOf(t *testing.T, server, tools string, said ...capability.Tool) Case {
	t.Helper()
	return Case{Truth: truth(t, "server: "+server+"\nannotator: a\ntools:\n"+tools), Predicted: &capability.Server{Tools: said}, Mode: capability.DefinitionOnly}
}

// The first of two registrations counts; tools that one side does not know are counted apart and score nothing.
func TestScoreCountsTools(t *testing.T) {
	s := Of([]Case{
		caseOf(t, "a", "  x: {tags: [exec], roles: {}}\n  y: {tags: [], roles: {}}\n  z: {tags: [exec], roles: {}}\n",
			said("x", nil, "exec:high"), said("x", nil), said("stranger", nil, "exec:high"), said("y", nil)),
		caseOf(t, "b", "  x: {tags: [], roles: {}}\n", said("x", nil)),
	})
	if s.Servers != 2 || s.Tools != 3 || s.Unlabelled != 1 || s.Unseen != 1 {
		t.Errorf("%d servers, %d tools, %d unlabelled, %d unseen, want 2, 3, 1, 1", s.Servers, s.Tools, s.Unlabelled, s.Unseen)
	}
	if got := fmt.Sprint(s.Micro.Acted, s.Micro.High, s.Micro.All, s.Micro.Positives); got != "{1 0 0} {1 0 0} {1 0 0} 1" {
		t.Errorf("counts %s", got)
	}
	if s.MacroServers != 1 || s.MacroRecall != 1 {
		t.Errorf("recall %v over %d servers, want that of the one with a true label", s.MacroRecall, s.MacroServers)
	}
}

// Each floor of confidence has its own count.
func TestScoreByConfidence(t *testing.T) {
	for _, tt := range []struct {
		label, want string // high, acted, all of a tool that has the tag, then of one that has not
	}{
		{"exec:high", "{1 0 0} {1 0 0} {1 0 0} | {0 1 0} {0 1 0} {0 1 0}"},
		{"exec:medium", "{0 0 1} {1 0 0} {1 0 0} | {0 0 0} {0 1 0} {0 1 0}"},
		{"exec:inferred", "{0 0 1} {1 0 0} {1 0 0} | {0 0 0} {0 1 0} {0 1 0}"},
		{"exec:low", "{0 0 1} {0 0 1} {1 0 0} | {0 0 0} {0 0 0} {0 1 0}"},
		{"fs_read:high", "{0 1 1} {0 1 1} {0 1 1} | {0 1 0} {0 1 0} {0 1 0}"},
	} {
		var got []string
		for _, tags := range []string{"[exec]", "[]"} {
			m := Of([]Case{caseOf(t, "a", "  x: {tags: "+tags+", roles: {}}\n", said("x", nil, tt.label))}).Micro
			got = append(got, fmt.Sprint(m.High, m.Acted, m.All))
		}
		if line := strings.Join(got, " | "); line != tt.want {
			t.Errorf("%s: %s, want %s", tt.label, line, tt.want)
		}
	}
}

// An error says what was said or what was wanted, with the label's own confidence, and errors are sorted by that, then by place.
func TestErrors(t *testing.T) {
	s := Of([]Case{
		caseOf(t, "b", "  x: {tags: [exec], roles: {}}\n", said("x", nil, "exec:low")),
		caseOf(t, "a", "  y: {tags: [], roles: {}}\n  x: {tags: [], roles: {}}\n", said("y", nil, "exec:medium"), said("x", nil, "exec:high", "db_query:low")),
		caseOf(t, "c", "  x: {tags: [db_query], roles: {}}\n", said("x", nil)),
	})
	var got []string
	for _, e := range s.TagErrors {
		got = append(got, fmt.Sprintf("%s.%s said %q want %q %s", e.Server, e.Tool, e.Said, e.Want, e.Confidence))
	}
	want := []string{`c.x said "" want "db_query" `, `a.x said "exec" want "" high`, `a.y said "exec" want "" medium`, `b.x said "" want "exec" low`}
	if !slices.Equal(got, want) {
		t.Errorf("errors\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A parameter counts for the first role that is accepted, right or wrong; a wrong one counts against the role that was said.
func TestRoleCounts(t *testing.T) {
	const tools = "  x: {tags: [], roles: {p: \"path|id\"}}\n"
	role := func(r capability.Role, c capability.Confidence) capability.Tool {
		return capability.Tool{Name: "x", Roles: map[string]capability.RoleLabel{"p": {Role: r, Confidence: c}}}
	}
	for _, tt := range []struct {
		name string
		tool capability.Tool
		want string // acted and high of path, of id, of url
	}{
		{"the first, high", role(capability.Path, capability.High), "{1 0 0} {1 0 0} | {0 0 0} {0 0 0} | {0 0 0} {0 0 0}"},
		{"the first, medium", role(capability.Path, capability.Medium), "{1 0 0} {0 0 0} | {0 0 0} {0 0 0} | {0 0 0} {0 0 0}"},
		{"the other that is accepted", role(capability.ID, capability.High), "{1 0 0} {1 0 0} | {0 0 0} {0 0 0} | {0 0 0} {0 0 0}"},
		{"another, high", role(capability.URL, capability.High), "{0 0 1} {0 0 0} | {0 0 0} {0 0 0} | {0 1 0} {0 1 0}"},
		{"another, low", role(capability.URL, capability.Low), "{0 0 1} {0 0 0} | {0 0 0} {0 0 0} | {0 1 0} {0 0 0}"},
		{"none", capability.Tool{Name: "x"}, "{0 0 1} {0 0 0} | {0 0 0} {0 0 0} | {0 0 0} {0 0 0}"},
	} {
		s := Of([]Case{caseOf(t, "a", tools, tt.tool)})
		var got []string
		for _, name := range []capability.Role{capability.Path, capability.ID, capability.URL} {
			r := s.Roles[slices.IndexFunc(s.Roles, func(r RoleScore) bool { return r.Role == name })]
			got = append(got, fmt.Sprint(r.Acted, r.High))
			if want := map[bool]int{true: 1}[name == capability.Path]; r.Parameters != want {
				t.Errorf("%s: %d parameters of role %s, want %d", tt.name, r.Parameters, name, want)
			}
		}
		if line := strings.Join(got, " | "); line != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, line, tt.want)
		}
		if (len(s.RoleErrors) == 0) != strings.HasPrefix(tt.want, "{1") {
			t.Errorf("%s: errors %+v", tt.name, s.RoleErrors)
		}
	}
}

func TestRatios(t *testing.T) {
	c := Count{TP: 3, FP: 1, FN: 2}
	if p, ok := c.Precision(); p != 0.75 || !ok {
		t.Errorf("precision %v, %v", p, ok)
	}
	if r, ok := c.Recall(); r != 0.6 || !ok {
		t.Errorf("recall %v, %v", r, ok)
	}
	for _, none := range []Count{{FN: 1}, {}} {
		if _, ok := none.Precision(); ok {
			t.Errorf("%+v has a precision", none)
		}
	}
	if _, ok := (Count{FP: 1}).Recall(); ok {
		t.Error("a recall without a true label")
	}
	if a, ok := (RoleScore{Acted: Count{TP: 1, FN: 3}, Parameters: 4}).Accuracy(); a != 0.25 || !ok {
		t.Errorf("accuracy %v, %v", a, ok)
	}
}

// A floor holds at its value and breaks below it, and only where there is enough to judge.
func TestBelow(t *testing.T) {
	tag := func(high, acted Count, positives int) *Score {
		return &Score{Tags: []TagScore{{Tag: capability.Exec, Positives: positives, High: high, Acted: acted}}, Micro: TagScore{Acted: acted}}
	}
	role := func(r capability.Role, right, all int) *Score {
		return &Score{Roles: []RoleScore{{Role: r, Acted: Count{TP: right}, Parameters: all}}}
	}
	floors := Floors{HighPrecision: .9, HighRecall: .5, TagRecall: .8, Recall: .8, MacroRecall: .7, RoleAccuracy: .75, Enough: 10}
	all := Count{TP: 10}
	for _, tt := range []struct {
		name string
		s    *Score
		want []string
	}{
		{"all right", tag(all, all, 10), nil},
		{"precision at the floor", tag(Count{TP: 9, FP: 1}, all, 10), nil},
		{"precision below it", tag(Count{TP: 89, FP: 11}, all, 10), []string{"exec: precision of high is 0.890, below 0.900"}},
		{"recall of high at the floor", tag(Count{TP: 5, FN: 5}, all, 10), nil},
		{"recall of high below it", tag(Count{TP: 4, FN: 6}, all, 10), []string{"exec: recall of high is 0.400, below 0.500"}},
		{"recall below both floors", tag(all, Count{TP: 7, FN: 3}, 10), []string{"exec: recall of high and medium is 0.700, below 0.800", "recall of high and medium over all tags is 0.700, below 0.800"}},
		{"too few to judge the tag", tag(Count{FP: 9, FN: 9}, all, 9), nil},
		{"nothing was said", tag(Count{FN: 10}, all, 10), []string{"exec: recall of high is 0.000, below 0.500"}},
		{"mean recall at the floor", &Score{MacroRecall: .7, MacroServers: 1}, nil},
		{"mean recall below it", &Score{MacroRecall: .6, MacroServers: 1}, []string{"mean recall of servers is 0.600, below 0.700"}},
		{"no server to judge", &Score{MacroRecall: 0}, nil},
		{"a role at the floor", role(capability.Path, 9, 12), nil},
		{"a role below it", role(capability.Host, 7, 10), []string{"role host: accuracy is 0.700, below 0.750"}},
		{"too few parameters", role(capability.Path, 0, 9), nil},
		{"a role that is not judged", role(capability.Text, 0, 20), nil},
		{"content is not judged", role(capability.Content, 0, 20), nil},
		{"nor is an identifier", role(capability.ID, 0, 20), nil},
	} {
		if got := tt.s.Below(floors); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestShares(t *testing.T) {
	for want, got := range map[string]string{"–": percent(.5, false), "50.0 %": percent(.5, true), "33.3 %": percent(1.0/3, true)} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Families go to folds whole, the largest first, each to the fold that has least.
func TestSplitIsEven(t *testing.T) {
	of := func(family string, tools int) Case {
		tr := &Truth{Server: family, Tools: map[string]Tool{}}
		for i := range tools {
			tr.Tools[fmt.Sprint(i)] = Tool{}
		}
		return Case{Truth: tr, Family: family}
	}
	cases := []Case{of("a", 1), of("b", 5), of("c", 2), of("a", 3), of("d", 4)} // a has 4 together
	for n, want := range map[int]string{1: "[[0 1 2 3 4]]", 2: "[[1 2] [0 3 4]]", 3: "[[1] [0 2 3] [4]]", 9: "[[1] [0 3] [4] [2]]"} {
		if got := fmt.Sprint(Split(cases, n)); got != want {
			t.Errorf("%d folds: %s, want %s", n, got, want)
		}
	}
}

// Half of the smaller server's tools, at least one, makes two servers one family; a family that somebody named goes before.
func TestRelatedServers(t *testing.T) {
	of := func(server, family string, tools ...string) *Truth {
		tr := &Truth{Server: server, Family: family, Tools: map[string]Tool{}}
		for _, name := range tools {
			tr.Tools[name] = Tool{}
		}
		return tr
	}
	for _, tt := range []struct {
		name string
		a, b *Truth
		want bool
	}{
		{"half of the smaller", of("x", "", "a", "b", "c", "d", "e"), of("y", "", "a", "z"), true},
		{"less than half", of("x", "", "a", "b", "c", "d", "e"), of("y", "", "a", "z", "q"), false},
		{"nothing shared", of("x", "", "a"), of("y", "", "b"), false},
		{"no tools", of("x", ""), of("y", "", "b"), false},
		{"a number at the end", of("x12", "", "a"), of("x7", "", "b"), true},
		{"one family by name", of("x", "f", "a"), of("y", "f", "b"), true},
		{"two families by name", of("x1", "f", "a"), of("x2", "g", "a"), false},
		{"one of them has none", of("x1", "f", "a"), of("x2", "", "a"), false},
	} {
		if areRelated(tt.a, tt.b) != tt.want || areRelated(tt.b, tt.a) != tt.want {
			t.Errorf("%s: %v and %v, want %v", tt.name, areRelated(tt.a, tt.b), areRelated(tt.b, tt.a), tt.want)
		}
	}
}

// What a definition does not show cannot be learnt from one.
func TestLearnable(t *testing.T) {
	tool := Tool{Tags: []capability.Tag{capability.Exec, capability.FSRead}, Hidden: []capability.Tag{capability.FSRead}, Maybe: []capability.Tag{capability.FSWrite}, Claimed: []capability.Tag{capability.DBQuery}}
	for tag, want := range map[capability.Tag]int8{capability.Exec: 1, capability.FSRead: 0, capability.FSWrite: 0, capability.DBQuery: 1, capability.NetEgress: -1} {
		if got := tool.Learnable(tag); got != want {
			t.Errorf("%s: %d, want %d", tag, got, want)
		}
	}
}
