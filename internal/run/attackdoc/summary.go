package attackdoc

import (
	"fmt"
	"io"
	"strings"

	"gauntlet/internal/engine/delivery"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
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

// How a summary describes a document's parts.

// shownNames bounds the names shown of a list, and shownRunes the length of a text.
const (
	shownNames = 6
	shownRunes = 100
)

func joinWords[T ~string](words []T) string {
	var all []string
	for _, w := range words {
		all = append(all, string(w))
	}
	return strings.Join(all, ", ")
}

func nonEmpty(words ...string) []string {
	var all []string
	for _, w := range words {
		if w != "" {
			all = append(all, w)
		}
	}
	return all
}

func withPrefix(prefix, word string) string {
	if word == "" {
		return ""
	}
	return prefix + word
}

// shortenLine puts a text on one line and cuts it.
func shortenLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > shownRunes {
		return string(r[:shownRunes-1]) + "…"
	}
	return s
}

// wrapParagraph wraps a text's first paragraph for a terminal.
func wrapParagraph(s string) []string {
	first, _, _ := strings.Cut(strings.TrimSpace(s), "\n\n")
	if first == "" {
		return nil
	}
	return report.Wrap(report.Visible(strings.Join(strings.Fields(first), " ")), 78)
}

// stateLines describes a state's keys: a list by its entries' names, a text by its beginning.
func stateLines(state rawjson.Value) []string {
	var lines []string
	for m := range state.Members() {
		lines = append(lines, m.Key.Text()+": "+partText(m.Value))
	}
	if lines == nil {
		return []string{"nothing"}
	}
	return lines
}

func partText(v rawjson.Value) string {
	switch v.Kind() {
	case rawjson.Array:
		return listText(v)
	case rawjson.Object:
		var names []string
		for m := range v.Members() {
			names = append(names, m.Key.Text())
		}
		return "{" + excerpt.List(names, shownNames) + "}"
	case rawjson.String:
		return shortenLine(v.Text())
	}
	return v.Raw()
}

func listText(list rawjson.Value) string {
	var names []string
	for _, e := range list.Elements() {
		name := ""
		for _, key := range []string{"name", "method", "uri", "uriTemplate", "message"} {
			if name = e.Get(key).Text(); name != "" {
				break
			}
		}
		if n := e.Get("responses").Len(); n > 1 {
			name += fmt.Sprintf(" (%d answers)", n)
		}
		names = append(names, shortenLine(name))
	}
	switch named := nonEmpty(names...); {
	case len(names) == 0:
		return "none"
	case len(named) == 0:
		return fmt.Sprintf("%d", len(names))
	default:
		return excerpt.List(named, shownNames)
	}
}

func predicateText(predicate rawjson.Value) string {
	var all []string
	for m := range predicate.Members() {
		all = append(all, m.Key.Text()+" "+conditionText(m.Value))
	}
	return strings.Join(all, " and ")
}

// conditionText describes a condition: operators in words, any other value as equality.
func conditionText(v rawjson.Value) string {
	var all []string
	for m := range v.Members() {
		name := m.Key.Text()
		if !match.IsOperator(name) {
			return "is " + shortenLine(v.Raw())
		}
		all = append(all, strings.ReplaceAll(name, "_", " ")+" "+operandText(m.Value))
	}
	if all == nil {
		return "is " + operandText(v)
	}
	return strings.Join(all, " and ")
}

func operandText(v rawjson.Value) string {
	if v.Kind() == rawjson.String {
		return `"` + shortenLine(v.Text()) + `"`
	}
	return shortenLine(v.Raw())
}
