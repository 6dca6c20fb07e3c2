package report

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
	"gauntlet/verdict"
)

// Attack runs in the formats for code hosts, CI servers and comments. An agent that complied is a result about the
// attack document, never about a server.

func attackRule(a *result.AttackRun) result.Rule {
	return result.Rule{ID: finding.Rule(cmp.Or(a.ID, a.Document)), Name: a.Name, Severity: attackSeverity(a), Axis: "agent-behaviour",
		Doc: "An agent met the attack " + Visible(attackTitle(a)) + " and complied with it."}
}

// attackResult returns the result for an agent that complied.
func attackResult(a *result.AttackRun) sarifResult {
	rule := attackRule(a)
	text := []string{"The agent complied: " + outcomeReason(a)}
	for i := range a.Verdict.Indicators {
		if v := &a.Verdict.Indicators[i]; v.Result == verdict.Matched {
			text = append(text, indicatorText(v))
		}
	}
	return sarifResult{
		rule: rule.ID, level: sarifLevel(rule.Severity), text: sarifPlain(strings.Join(text, "; ")), at: sarifLine(a.Document, 0),
		mark:       finding.Fingerprint(string(rule.ID), a.Document, a.Agent),
		properties: object{"agent?", a.Agent, "scripted?", a.Scripted, "trace?", a.Trace, "verdict", a.Verdict},
	}
}

// withoutSemantic removes a model's judgement of semantic indicators from runs: consumers of code scanning formats act
// on everything they receive.
func withoutSemantic(runs []result.AttackRun) []result.AttackRun {
	out := slices.Clone(runs)
	for i := range out {
		out[i].Semantic = nil
		out[i].Notices = slices.DeleteFunc(slices.Clone(out[i].Notices), func(n result.Notice) bool { return n.Kind == "semantic" })
	}
	return out
}
