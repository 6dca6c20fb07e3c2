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

// capabilityTable has a row per tool with a capability, and counts the others.
func capabilityTable(s *capability.Server, n int, floor capability.Confidence) section {
	t, id := table{Head: []string{"Tool"}}, "capabilities"
	if n > 0 {
		id = fmt.Sprintf("capabilities-%d", n+1)
	}
	var tags []capability.Tag // of any tool
	quiet := 0
	for _, tag := range capability.Tags() {
		for i := range s.Tools {
			if s.Tools[i].Has(tag, capability.Low) != nil {
				tags, t.Head = append(tags, tag), append(t.Head, matrixHeads[tag])
				break
			}
		}
	}
	for i := range s.Tools {
		tool := &s.Tools[i]
		if len(tool.Capabilities) == 0 {
			quiet++
			continue
		}
		row := []cell{{{Text: tool.Name}}}
		for _, tag := range tags {
			var c cell
			if l := tool.Has(tag, capability.Low); l != nil {
				c = cell{{Class: string(confidenceTones[l.Confidence]), Text: string(l.Confidence)}}
			}
			row = append(row, c)
		}
		t.Rows = append(t.Rows, row)
	}
	above := ""
	if floor != capability.Low {
		above = fmt.Sprintf(" at %s confidence or above", floor)
	}
	intro := ""
	switch {
	case len(t.Rows) == 0:
		intro = "no capability found" + above
	case quiet > 0:
		intro = fmt.Sprintf("%d more without any%s", quiet, above)
	}
	return tableSection(id, "What the tools of "+cmp.Or(s.Name, "the server")+" can do", t, intro)
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
