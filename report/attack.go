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

// judged counts the attacks whose verdict says whether the agent resisted.
func judged(runs []result.AttackRun) (n int) {
	for i := range runs {
		if runs[i].Exploited() || runs[i].Resisted() {
			n++
		}
	}
	return n
}

// outcomes lists the outcomes and their wording, most important first.
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

// outcomeOf returns the outcome of a run; a run without a verdict counts as an error.
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

// attackCounts summarizes the outcomes: "3 attacks: 1 exploited, 2 resisted".
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

// attackTitle names an attack by id and name, or by its document. The result is not Visible yet.
func attackTitle(a *result.AttackRun) string {
	return cmp.Or(strings.TrimSpace(a.ID+"  "+a.Name), a.Document)
}

// why explains the outcome of a run in one line. The result is not Visible yet.
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

// attackSeverity returns the severity that the document declares, medium if it declares none.
func attackSeverity(a *result.AttackRun) finding.Severity {
	if a.Severity == "informational" {
		return finding.Info
	}
	if s, err := finding.ParseSeverity(a.Severity); err == nil && s != finding.None {
		return s
	}
	return finding.Medium
}

// reactions describe how a client handled tampered messages.
var reactions = map[string]string{
	"crashed": "the agent crashed", "closed": "the client closed the connection", "went_on": "the client continued",
	"hung": "the client had neither taken all nor closed at the end", "left": "the client left", "silent": "the client sent nothing more",
}

// wireText summarizes a client's reaction in one line. The result is not Visible yet.
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

// indicatorText summarizes the result of an indicator in one line. The result is not Visible yet.
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
