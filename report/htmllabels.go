package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gauntlet/capability"
)

// WriteLabels writes a page about what tools can do: the matrix, the reasons for each label, dangerous combinations, and
// parameter roles. floor is the confidence below which labels were omitted; unread names the inputs that could not be read.
func WriteLabels(to io.Writer, servers []capability.Server, floor capability.Confidence, unread []string) error {
	head := &htmlHead{Title: labelsTitle(servers), Verdict: labelsVerdict(servers), Missing: unread, Complete: true, Read: "No tool was called. Cells show the confidence of a label."}
	if floor != capability.Low {
		head.Missing = append(slices.Clone(unread), "labels below "+string(floor)+" confidence were left out")
	}
	var parts []htmlPart
	for i := range servers {
		s, after := &servers[i], ""
		matrix := capabilityTable(s, i, floor)
		if len(servers) > 1 {
			after = fmt.Sprintf(" (%d: %s)", i+1, cmp.Or(s.Name, "unnamed"))
			matrix.Title += fmt.Sprintf(" (%d)", i+1)
		}
		parts = append(parts, matrix.part())
		for _, t := range []Table{combinationTable(s), labelReasons(s), parameterRoles(s), labelWarnings(s)} {
			if len(t.Rows) > 0 {
				t.ID += fmt.Sprintf("-%d", i+1)
				t.Title += after
				parts = append(parts, t.part())
			}
		}
	}
	w := bufio.NewWriterSize(to, 64<<10)
	if err := writeHTMLPage(w, head, parts); err != nil {
		return err
	}
	return w.Flush()
}

// capabilityParts shows a capability matrix per server of a report.
func capabilityParts(servers []capability.Server) (out []htmlPart) {
	titles := map[string]int{}
	for i := range servers {
		t := capabilityTable(&servers[i], i, capability.Low)
		for _, k := range servers[i].Combinations {
			t.Intro = append(t.Intro, combinationWords(&k)+" ("+toolList(k.Tools)+")")
		}
		if titles[t.Title]++; titles[t.Title] > 1 {
			t.Title += fmt.Sprintf(" (%d)", titles[t.Title])
		}
		out = append(out, t.part())
	}
	return out
}

func labelsTitle(servers []capability.Server) string {
	if len(servers) == 1 {
		return cmp.Or(servers[0].Name, "(unnamed)")
	}
	return countNoun(len(servers), "server")
}

// labelsVerdict counts the tools with a capability and the dangerous combinations.
func labelsVerdict(servers []capability.Server) string {
	tools, able, together := 0, 0, 0
	for i := range servers {
		tools += len(servers[i].Tools)
		together += len(servers[i].Combinations)
		for k := range servers[i].Tools {
			if len(servers[i].Tools[k].Capabilities) > 0 {
				able++
			}
		}
	}
	return fmt.Sprintf("%s of %s with a capability; %s that are more dangerous together", groupDigits(able), countNoun(tools, "tool"), countNoun(together, "set")+" of capabilities")
}

// combinationTable has a row per set of capabilities that is more dangerous together than apart.
func combinationTable(s *capability.Server) Table {
	t := Table{ID: "together", Title: "More dangerous together than apart", Head: []string{"Capabilities", "Where", "Confidence", "Tools"}}
	for i := range s.Combinations {
		c := &s.Combinations[i]
		t.Rows = append(t.Rows, []string{combinationWords(c), scopeWords(c), string(c.Confidence), toolList(c.Tools)})
	}
	return t
}

// labelReasons has a row per label with its evidence.
func labelReasons(s *capability.Server) Table {
	t := Table{ID: "reasons", Title: "Why", Head: []string{"Tool", "Capability", "Confidence", "Found by"}}
	for i := range s.Tools {
		for _, l := range s.Tools[i].Capabilities {
			t.Rows = append(t.Rows, []string{s.Tools[i].Name, string(l.Tag), string(l.Confidence), strings.Join(l.Evidence, ", ")})
		}
	}
	return t
}

// parameterRoles has a row per parameter that is more than text or an identifier.
func parameterRoles(s *capability.Server) Table {
	t := Table{ID: "parameters", Title: "Parameter roles", Head: []string{"Tool", "Parameter", "Role", "Confidence", "Found by"}}
	plain := 0
	for i := range s.Tools {
		tool := &s.Tools[i]
		for _, name := range slices.Sorted(maps.Keys(tool.Roles)) {
			r := tool.Roles[name]
			if r.Role == capability.Text || r.Role == capability.ID {
				plain++
				continue
			}
			t.Rows = append(t.Rows, []string{tool.Name, name, string(r.Role), string(r.Confidence), strings.Join(r.Evidence, ", ")})
		}
	}
	t.Intro = fmt.Sprintf("%s of plain text, numbers and identifiers are omitted.", countNoun(plain, "parameter"))
	return t
}

// labelWarnings has a row per fact that makes labels less certain.
func labelWarnings(s *capability.Server) Table {
	t := Table{ID: "warnings", Title: "What makes labels less certain", Head: []string{"Warning", "Of", "What"}}
	for _, text := range s.Warnings {
		code, words, _ := strings.Cut(text, ": ")
		t.Rows = append(t.Rows, []string{code, "the server", words})
	}
	for i := range s.Tools {
		for _, text := range s.Tools[i].Warnings {
			code, words, _ := strings.Cut(text, ": ")
			t.Rows = append(t.Rows, []string{code, s.Tools[i].Name, words})
		}
	}
	return t
}
