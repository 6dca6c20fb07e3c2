package attackdoc

import (
	"fmt"
	"io"
	"strings"

	"gauntlet/internal/engine/delivery"
	"gauntlet/oatf"
	"gauntlet/report"
)

// WriteSummary writes a summary of a normalized document: the attack, the actors with their phases, what each phase shows and what
// ends it, and the indicators.
func WriteSummary(w io.Writer, d *oatf.Document) error {
	s := &sheet{}
	s.writeDocument(d)
	_, err := io.WriteString(w, s.b.String())
	return err
}

// A sheet builds a document's summary. Every line is made Visible.
type sheet struct{ b strings.Builder }

func (s *sheet) writeLine(indent int, format string, args ...any) {
	text := strings.TrimRight(report.Visible(fmt.Sprintf(format, args...)), " ")
	if text != "" {
		s.b.WriteString(strings.Repeat(" ", indent) + text)
	}
	s.b.WriteByte('\n')
}

// writeFact writes a label and its value unless that is empty.
func (s *sheet) writeFact(label, value string) {
	if value != "" {
		s.writeLine(0, "%-11s %s", label, value)
	}
}

func (s *sheet) writeDocument(d *oatf.Document) {
	at := &d.Attack
	s.writeLine(0, "%s", strings.TrimSpace(at.ID+"  "+at.Name))
	s.writeFact("version", fmt.Sprintf("%d, %s", at.Version, at.Status))
	if at.Severity != nil {
		s.writeFact("severity", fmt.Sprintf("%s, confidence %d", at.Severity.Level, *at.Severity.Confidence))
	}
	s.writeFact("impact", joinWords(at.Impact))
	if c := at.Classification; c != nil {
		s.writeFact("category", string(c.Category))
		s.writeFact("tags", joinWords(c.Tags))
	}
	s.writeFact("author", at.Author)
	for i, line := range wrapParagraph(at.Description) {
		label := ""
		if i == 0 {
			label = "about"
		}
		s.writeFact(label, line)
	}
	s.writeFact("grace", at.GracePeriod)
	s.writeTask(d)
	for _, f := range delivery.Files(d) {
		s.writeFact("file", f.Path+withPrefix(", read by whoever repeats ", f.Marker))
	}
	for i := range at.Execution.Actors {
		s.writeActor(&at.Execution.Actors[i])
	}
	s.writeIndicators(at)
}

// writeTask writes the user's task, and how the agent gets it.
func (s *sheet) writeTask(d *oatf.Document) {
	for i, paragraph := range strings.Split(Prompt(d), "\n\n") {
		for n, line := range wrapParagraph(paragraph) {
			if i+n == 0 {
				s.writeFact("task", line)
			} else {
				s.writeFact("", line)
			}
		}
	}
	if Prompt(d) != "" {
		s.writeFact("", "(to the agent over AG-UI with --agui, else as the prompt of --agent, else by you)")
	}
}

// writeActor draws an actor's phases from top to bottom, with the transitions.
func (s *sheet) writeActor(a *oatf.Actor) {
	s.writeLine(0, "")
	s.writeLine(0, "actor %s, %s", a.Name, a.Mode)
	for i := range a.Phases {
		p := &a.Phases[i]
		s.writeLine(2, "[ %s ]", p.Name)
		if lines := wrapParagraph(p.Description); lines != nil {
			s.writeLine(2, "|  %s", lines[0])
		}
		if p.State.Exists() {
			for _, line := range stateLines(p.State) {
				s.writeLine(2, "|  shows %s", line)
			}
		} else {
			s.writeLine(2, "|  shows what the phase before did")
		}
		for _, x := range p.Extractors {
			s.writeLine(2, "|  takes {{%s}} from each %s: %s", x.Name, x.Source, x.Selector)
		}
		for i := range p.OnEnter {
			s.writeLine(2, "|  first %s", actionText(&p.OnEnter[i]))
		}
		switch {
		case p.Trigger == nil:
			s.writeLine(2, "=  stays")
		case i == len(a.Phases)-1:
			s.writeLine(2, "v  %s: the end", triggerText(p.Trigger))
		default:
			s.writeLine(2, "v  %s", triggerText(p.Trigger))
		}
	}
}

func actionText(a *oatf.Action) string {
	switch {
	case a.Send != nil:
		return "sends " + a.Send.Method
	case a.Log != nil:
		return "logs " + shortenLine(a.Log.Message)
	}
	return "does " + a.Binding.Name
}

func triggerText(t *oatf.Trigger) string {
	var parts []string
	if t.Event != "" {
		text := t.Event
		if t.Count > 1 {
			text += fmt.Sprintf(" x%d", t.Count)
		}
		if t.Match.Len() > 0 {
			text += " where " + predicateText(t.Match)
		}
		parts = append(parts, text)
	}
	if t.After != "" {
		parts = append(parts, "after "+t.After)
	}
	return strings.Join(parts, ", or ")
}

func (s *sheet) writeIndicators(at *oatf.Attack) {
	s.writeLine(0, "")
	if at.Indicators == nil {
		s.writeLine(0, "no indicators: the attack can be run and not judged")
		return
	}
	s.writeLine(0, "indicators, %s", map[oatf.CorrelationLogic]string{oatf.LogicAny: "any of which is enough", oatf.LogicAll: "all of which must match"}[at.Correlation.Logic])
	for i := range at.Indicators {
		n := &at.Indicators[i]
		s.writeLine(2, "%s  %s", n.ID, strings.Join(nonEmpty(n.Protocol, n.Surface, string(n.Direction), withPrefix("actor ", n.Actor), withPrefix("tier ", string(n.Tier))), ", "))
		s.writeLine(4, "%s", detectionText(n))
		if lines := wrapParagraph(n.Description); lines != nil {
			s.writeLine(4, "%s", lines[0])
		}
	}
}

func detectionText(n *oatf.Indicator) string {
	switch n.DetectionMethod() {
	case oatf.MethodPattern:
		return pathText(*n.Pattern.Target) + " " + conditionText(n.Pattern.Condition)
	case oatf.MethodExpression:
		return "CEL " + shortenLine(n.Expression.CEL)
	}
	return pathText(*n.Semantic.Target) + " means: " + shortenLine(n.Semantic.Intent)
}

func pathText(path string) string {
	if path == "" {
		return "the message"
	}
	return path
}
