package report

import (
	"cmp"
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
	"gauntlet/verdict"
)

// attacksOnly reports whether the report is about attacks and no server was scanned.
func attacksOnly(r *result.Report) bool {
	return r.Attacks != nil && len(r.Coverage.Servers) == 0 && r.Clients == nil
}

// judged counts the attacks that have a verdict that says whether the agent resisted.
func judged(runs []result.AttackRun) (n int) {
	for i := range runs {
		if runs[i].Exploited() || runs[i].Resisted() {
			n++
		}
	}
	return n
}

// outcomes are the outcomes in the order in which a reader wants to know of them, each in
// words.
var outcomes = []struct {
	outcome verdict.Outcome
	words   string
}{
	{verdict.Exploited, "exploited"},
	{verdict.Partial, "partly exploited"},
	{verdict.Failed, "without verdict"},
	{verdict.NotExposed, "not exposed"},
	{verdict.NotExploited, "resisted"},
}

// outcomeOf returns the outcome of a run; one that has no verdict failed.
func outcomeOf(a *result.AttackRun) verdict.Outcome {
	if a.Verdict == nil {
		return verdict.Failed
	}
	return a.Verdict.Outcome
}

func outcomeWords(o verdict.Outcome) string {
	for _, k := range outcomes {
		if k.outcome == o {
			return k.words
		}
	}
	return string(o)
}

// attackCounts counts the outcomes: "3 attacks: 1 exploited, 2 resisted".
func attackCounts(runs []result.AttackRun) string {
	var parts []string
	for _, k := range outcomes {
		n := 0
		for i := range runs {
			if outcomeOf(&runs[i]) == k.outcome {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, groupDigits(n)+" "+k.words)
		}
	}
	if parts == nil {
		return "no attacks"
	}
	return countNoun(len(runs), "attack") + ": " + strings.Join(parts, ", ")
}

// attackTitle names an attack: its id and name, or the document. It is not yet Visible.
func attackTitle(a *result.AttackRun) string {
	return cmp.Or(strings.TrimSpace(a.ID+"  "+a.Name), a.Document)
}

// why says in a line why a run has the outcome it has. It is not yet Visible.
func why(a *result.AttackRun) string {
	switch {
	case a.Verdict == nil:
		return cmp.Or(a.Problem, "it was not run")
	case a.Verdict.Reason != "":
		return a.Verdict.Reason
	}
	s := a.Verdict.Summary
	text := fmt.Sprintf("%d of %s matched", s.Matched, countNoun(s.Total(), "indicator"))
	if a.Verdict.MaxTier != "" {
		text += ", up to " + a.Verdict.MaxTier
	}
	return text
}

// attackSeverity is how bad it is that an agent complied: what the document says, or
// medium where it does not say.
func attackSeverity(a *result.AttackRun) finding.Severity {
	if a.Severity == "informational" {
		return finding.Info
	}
	if s, err := finding.ParseSeverity(a.Severity); err == nil && s != finding.None {
		return s
	}
	return finding.Medium
}

// reactions say what a client did when messages to it were tampered with.
var reactions = map[string]string{
	"crashed": "the agent crashed", "closed": "the client closed the connection", "went_on": "the client went on",
	"hung": "the client had neither taken all nor closed at the end", "left": "the client left", "silent": "nothing more came from the client",
}

// wireText says in a line what a client did. It is not yet Visible.
func wireText(w *result.WireRun) string {
	text := fmt.Sprintf("%s, %s to %s (%s taken): %s", w.Do, countNoun(w.Times, "message"), w.Session, countNoun(int(w.Bytes), "byte"), cmp.Or(reactions[w.Client], w.Client))
	if w.Next != "" {
		text += fmt.Sprintf(", next %s, %s in all", w.Next, countNoun(w.Messages, "message"))
	}
	if w.Resumed > 0 {
		text += ", " + countNoun(w.Resumed, "resumption")
	}
	if w.Again > 0 {
		text += ", " + countNoun(w.Again, "new conversation")
	}
	if w.Ceiling {
		text += ", up to the ceiling"
	}
	return text
}

// indicatorText says in a line what came of an indicator. It is not yet Visible.
func indicatorText(i *verdict.Indicator) string {
	text := i.ID
	if i.Tier != "" {
		text += " (" + i.Tier + ")"
	}
	if i.Message > 0 {
		text += fmt.Sprintf(" message %d", i.Message)
	}
	if i.Evidence != "" {
		text += ": " + i.Evidence
	}
	return text
}
