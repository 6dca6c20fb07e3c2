package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/excerpt"
)

// WriteLabels writes what tools can do as "html" or as text: the matrix, dangerous combinations and warnings, and on a page the
// reasons for each label and parameter roles. floor is the confidence below which labels were omitted; unread names the inputs that
// could not be read.
func WriteLabels(to io.Writer, format string, servers []capability.Server, floor capability.Confidence, unread []string, opt Options) error {
	d := &document{Page: Page{Title: labelsTitle(servers), Verdict: labelsVerdict(servers), Missing: unread, Read: "No tool was called. Cells show the confidence of a label."}, Complete: true}
	if floor != capability.Low {
		d.Missing = append(slices.Clone(unread), "labels below "+string(floor)+" confidence were left out")
	}
	for i := range servers {
		s, after := &servers[i], ""
		matrix := capabilitySection(s, i, floor)
		if len(servers) > 1 {
			after = fmt.Sprintf(" (%d: %s)", i+1, cmp.Or(s.Name, "unnamed"))
			matrix.Title += fmt.Sprintf(" (%d)", i+1)
		}
		d.sections = append(d.sections, matrix)
		for _, t := range []section{inferredLabels(s), combinationSection(s), labelReasons(s), parameterRoles(s), labelWarnings(s)} {
			if t.n > 0 {
				t.ID += fmt.Sprintf("-%d", i+1)
				t.Name = after
				d.sections = append(d.sections, t)
			}
		}
	}
	return d.write(to, format, opt)
}

// capabilitySections show a capability matrix per server of a report, on pages.
func capabilitySections(servers []capability.Server) (out []section) {
	titles := map[string]int{}
	for i := range servers {
		s := capabilitySection(&servers[i], i, capability.Low)
		s.PageOnly = true
		for _, k := range servers[i].Combinations {
			s.Intro = append(s.Intro, combinationWords(&k)+" ("+toolList(k.Tools)+")")
		}
		if titles[s.Title]++; titles[s.Title] > 1 {
			s.Title += fmt.Sprintf(" (%d)", titles[s.Title])
		}
		out = append(out, s)
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

// inferredLabels lists models' labels, which count for nothing else.
func inferredLabels(s *capability.Server) section {
	var rows []row
	for i := range s.Tools {
		for _, l := range s.Tools[i].Capabilities {
			if l.Confidence == capability.Inferred {
				rows = append(rows, row{Title: "inferred " + s.Tools[i].Name, Text: string(l.Tag) + " (" + strings.Join(l.Evidence, ", ") + ")"})
			}
		}
	}
	return listRows(section{ID: "inferred", Title: "Inferred by a model, which counts for nothing else", Lines: true}, rows)
}

// combinationSection has a row per set of capabilities that is more dangerous together than apart.
func combinationSection(s *capability.Server) section {
	out := section{ID: "together", Title: "More dangerous together than apart", Lines: true, Heads: []string{"", "Capabilities"}}
	return withRows(out, s.Combinations, func(c *capability.Combination) row {
		one := row{Title: combinationWords(c)}
		one.add("scope", map[bool]string{true: "within one tool", false: "across tools"}[c.Scope == capability.WithinTool])
		one.add("confidence", string(c.Confidence))
		one.add("tools", toolList(c.Tools))
		return one
	})
}

// labelReasons has a row per label with its evidence.
func labelReasons(s *capability.Server) section {
	var rows []row
	for i := range s.Tools {
		for _, l := range s.Tools[i].Capabilities {
			one := row{Title: s.Tools[i].Name}
			one.add("capability", string(l.Tag))
			one.add("confidence", string(l.Confidence))
			one.add("found by", strings.Join(l.Evidence, ", "))
			rows = append(rows, one)
		}
	}
	return listRows(section{ID: "reasons", Title: "Why", Lines: true, PageOnly: true, Heads: []string{"", "Tool"}}, rows)
}

// parameterRoles has a row per parameter that is more than text or an identifier.
func parameterRoles(s *capability.Server) section {
	var rows []row
	plain := 0
	for i := range s.Tools {
		tool := &s.Tools[i]
		for _, name := range slices.Sorted(maps.Keys(tool.Roles)) {
			r := tool.Roles[name]
			if r.Role == capability.Text || r.Role == capability.ID {
				plain++
				continue
			}
			one := row{Title: tool.Name}
			one.add("parameter", name)
			one.add("role", string(r.Role))
			one.add("confidence", string(r.Confidence))
			one.add("found by", strings.Join(r.Evidence, ", "))
			rows = append(rows, one)
		}
	}
	out := section{ID: "parameters", Title: "Parameter roles", Lines: true, PageOnly: true, Heads: []string{"", "Tool"}}
	out.Remark = countNoun(plain, "parameter") + " of plain text, numbers and identifiers are omitted"
	return listRows(out, rows)
}

// labelWarnings has a row per kind of fact that makes labels less certain, with the first of its facts and all its tools.
func labelWarnings(s *capability.Server) section {
	var rows []row
	tools, times := map[string][]string{}, map[string]int{}
	add := func(text, of string) {
		code, words, _ := strings.Cut(text, ": ")
		if times[code]++; times[code] == 1 {
			rows = append(rows, row{Badge: code, Title: cmp.Or(of, "the server"), Text: words})
		}
		if of != "" && !slices.Contains(tools[code], of) {
			tools[code] = append(tools[code], of)
		}
	}
	for _, text := range s.Warnings {
		add(text, "")
	}
	for i := range s.Tools {
		for _, text := range s.Tools[i].Warnings {
			add(text, s.Tools[i].Name)
		}
	}
	for i := range rows {
		if code := rows[i].Badge; times[code] > 1 {
			rows[i].add("all", cmp.Or(toolList(tools[code]), fmt.Sprint(times[code])))
		}
	}
	return listRows(section{ID: "warnings", Title: "What makes labels less certain", Lines: true, Heads: []string{"Warning", "Of"}}, rows)
}

// matrixHeads are the column heads of the matrix, in the order of capability.Tags.
var matrixHeads = map[capability.Tag]string{
	capability.Exec: "exec", capability.FSRead: "file r", capability.FSWrite: "file w", capability.NetEgress: "net out",
	capability.NetIngress: "net in", capability.SecretAccess: "secret", capability.DBQuery: "db r", capability.DBWrite: "db w",
}

// confidenceTones are the looks of labels.
var confidenceTones = map[capability.Confidence]tone{capability.High: "high", capability.Medium: "medium", capability.Inferred: toneSoft, capability.Low: toneSoft}

// matrixName is the number of columns of a tool's name in a sentence.
const matrixName = 36

// capabilitySection has a row per tool with a capability, and counts the others.
func capabilitySection(s *capability.Server, n int, floor capability.Confidence) section {
	out := section{ID: "capabilities", Title: "What the tools of " + cmp.Or(s.Name, "the server") + " can do", Lines: true, Aligned: &aligned{}, Heads: []string{"", "Tool"}}
	if n > 0 {
		out.ID = fmt.Sprintf("capabilities-%d", n+1)
	}
	var rows []row
	any := map[capability.Tag]bool{}
	for i := range s.Tools {
		one := row{Title: s.Tools[i].Name}
		for _, tag := range capability.Tags() {
			if l := s.Tools[i].Has(tag, capability.Low); l != nil {
				any[tag] = true
				one.Fields = append(one.Fields, field{Label: matrixHeads[tag], Text: string(l.Confidence), Tone: confidenceTones[l.Confidence]})
			}
		}
		if one.Fields != nil {
			rows = append(rows, one)
		}
	}
	for _, tag := range capability.Tags() {
		if any[tag] {
			out.Heads = append(out.Heads, matrixHeads[tag])
		}
	}
	above := ""
	if floor != capability.Low {
		above = fmt.Sprintf(" at %s confidence or above", floor)
	}
	switch quiet := len(s.Tools) - len(rows); {
	case rows == nil:
		out.Intro = []string{"no capability found" + above}
	case quiet > 0:
		out.Intro = []string{fmt.Sprintf("%d more without any%s", quiet, above)}
	}
	return listRows(out, rows)
}

// combinationWords names the tags that are more dangerous together and explains why.
func combinationWords(c *capability.Combination) string {
	tags := make([]string, len(c.Tags))
	for i, t := range c.Tags {
		tags[i] = string(t)
	}
	return strings.Join(tags, " + ") + ": " + c.Rationale
}

// toolList names the first tools and counts the rest.
func toolList(names []string) string {
	shown := make([]string, len(names))
	for i, n := range names {
		shown[i] = clipText(Visible(n), matrixName)
	}
	return excerpt.List(shown, 4)
}
