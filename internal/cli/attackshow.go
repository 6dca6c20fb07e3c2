package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/oatf"
	"gauntlet/report"
	"gauntlet/result"
)

func (a *app) attackShowCommand() *cobra.Command {
	var limits attackLimits
	cmd := &cobra.Command{
		Use:   "show [flags] FILE|NAME...",
		Short: "Summarize attack documents",
		Long: `show tells what an attack document holds: what the attack is, the actors with their
phases, what each phase shows and what ends it, and the indicators. Everything is shown
as it stands once the document is normalized. A NAME is that of an attack that is built
in (see attack list); attack fmt NAME prints the document itself.

Exit codes: 0; 1 if a document is not valid; 2 if one could not be read.`,
		Example: `  gauntlet attack show attack.yaml
  gauntlet attack show tool-poisoning`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := wantDocuments(cmd, args); err != nil {
				return err
			}
			texts, err := a.attackTexts(cmd.Context(), args, &limits)
			if err != nil {
				return err
			}
			return a.writeTo("-", func(w io.Writer) error { return a.showAttacks(w, texts, limits.Limits) })
		},
	}
	limits.flags(cmd)
	return cmd
}

func (a *app) showAttacks(w io.Writer, texts []attackText, limits oatf.Limits) error {
	shown := 0
	for _, t := range texts {
		if t.err != nil {
			a.say("%s", t.unreadable())
			a.code = result.ExitTrouble
			continue
		}
		d, err := validDocument(t, limits)
		if err != nil {
			a.say("%s", err)
			a.code = max(a.code, result.ExitGate)
			continue
		}
		s := &sheet{}
		if shown++; shown > 1 {
			s.line(0, "")
		}
		s.document(oatf.Normalize(d))
		if _, err := io.WriteString(w, s.b.String()); err != nil {
			return err
		}
	}
	return nil
}

// A sheet is the summary of one document in the making. Every line is made Visible.
type sheet struct{ b strings.Builder }

func (s *sheet) line(indent int, format string, args ...any) {
	text := strings.TrimRight(report.Visible(fmt.Sprintf(format, args...)), " ")
	if text != "" {
		s.b.WriteString(strings.Repeat(" ", indent) + text)
	}
	s.b.WriteByte('\n')
}

// fact writes a label and what belongs to it, if there is anything.
func (s *sheet) fact(label, value string) {
	if value != "" {
		s.line(0, "%-11s %s", label, value)
	}
}

func (s *sheet) document(d *oatf.Document) {
	at := &d.Attack
	s.line(0, "%s", strings.TrimSpace(at.ID+"  "+at.Name))
	s.fact("version", fmt.Sprintf("%d, %s", at.Version, at.Status))
	if at.Severity != nil {
		s.fact("severity", fmt.Sprintf("%s, confidence %d", at.Severity.Level, *at.Severity.Confidence))
	}
	s.fact("impact", joined(at.Impact))
	if c := at.Classification; c != nil {
		s.fact("category", string(c.Category))
		s.fact("tags", joined(c.Tags))
	}
	s.fact("author", at.Author)
	for i, line := range paragraph(at.Description) {
		label := ""
		if i == 0 {
			label = "about"
		}
		s.fact(label, line)
	}
	s.fact("grace", at.GracePeriod)
	for i := range at.Execution.Actors {
		s.actor(&at.Execution.Actors[i])
	}
	s.indicators(at)
}

// actor draws the phases of an actor from top to bottom, with what leads from one to the next.
func (s *sheet) actor(a *oatf.Actor) {
	s.line(0, "")
	s.line(0, "actor %s, %s", a.Name, a.Mode)
	for i := range a.Phases {
		p := &a.Phases[i]
		s.line(2, "[ %s ]", p.Name)
		if lines := paragraph(p.Description); lines != nil {
			s.line(2, "|  %s", lines[0])
		}
		if p.State.Exists() {
			for _, line := range stateLines(p.State) {
				s.line(2, "|  shows %s", line)
			}
		} else {
			s.line(2, "|  shows what the phase before did")
		}
		for _, x := range p.Extractors {
			s.line(2, "|  takes {{%s}} from each %s: %s", x.Name, x.Source, x.Selector)
		}
		for i := range p.OnEnter {
			s.line(2, "|  first %s", actionText(&p.OnEnter[i]))
		}
		switch {
		case p.Trigger == nil:
			s.line(2, "=  stays")
		case i == len(a.Phases)-1:
			s.line(2, "v  %s: the end", triggerText(p.Trigger))
		default:
			s.line(2, "v  %s", triggerText(p.Trigger))
		}
	}
}

func actionText(a *oatf.Action) string {
	switch {
	case a.Send != nil:
		return "sends " + a.Send.Method
	case a.Log != nil:
		return "logs " + shortened(a.Log.Message)
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
			text += " where " + conditions(t.Match)
		}
		parts = append(parts, text)
	}
	if t.After != "" {
		parts = append(parts, "after "+t.After)
	}
	return strings.Join(parts, ", or ")
}

func (s *sheet) indicators(at *oatf.Attack) {
	s.line(0, "")
	if at.Indicators == nil {
		s.line(0, "no indicators: the attack can be run and not judged")
		return
	}
	s.line(0, "indicators, %s", map[oatf.CorrelationLogic]string{oatf.LogicAny: "any of which is enough", oatf.LogicAll: "all of which must match"}[at.Correlation.Logic])
	for i := range at.Indicators {
		n := &at.Indicators[i]
		s.line(2, "%s  %s", n.ID, strings.Join(present(n.Protocol, n.Surface, string(n.Direction), prefixed("actor ", n.Actor), prefixed("tier ", string(n.Tier))), ", "))
		s.line(4, "%s", judgement(n))
		if lines := paragraph(n.Description); lines != nil {
			s.line(4, "%s", lines[0])
		}
	}
}

func judgement(n *oatf.Indicator) string {
	switch n.DetectionMethod() {
	case oatf.MethodPattern:
		return pathText(*n.Pattern.Target) + " " + condition(n.Pattern.Condition)
	case oatf.MethodExpression:
		return "CEL " + shortened(n.Expression.CEL)
	}
	return pathText(*n.Semantic.Target) + " means: " + shortened(n.Semantic.Intent)
}

func pathText(path string) string {
	if path == "" {
		return "the message"
	}
	return path
}
