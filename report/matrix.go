package report

import (
	"cmp"
	"fmt"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/excerpt"
)

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
