package report

import (
	"bufio"
	"fmt"
	"reflect"

	"gauntlet/finding"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/result"
)

const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

var _ = formats.register("sarif", "for code hosts and editors: SARIF 2.1.0", writeSARIF)

// writeSARIF writes one run. Findings are results; problems and skipped checks are notifications of its one invocation.
// Coverage is a property of the run: SARIF has no term for it, and a run without results must not look like a pass.
func writeSARIF(w *bufio.Writer, r *result.Report, o Options) error {
	rules := rulesOf(r)
	s := newJSONStream(w)
	s.openBracket("", '{')
	s.writeValue("$schema", sarifSchema)
	s.writeValue("version", sarifVersion)
	s.openBracket("runs", '[')
	s.openBracket("", '{')
	s.writeValue("columnKind", "unicodeCodePoints")
	writeDriver(s, r.Tool, rules, !o.NotSecurity)
	writeInvocation(s, r, rules)
	writeResults(s, r, rules)
	s.openBracket("properties", '{')
	known := *r
	known.Attacks = withoutSemantic(r.Attacks)
	writeReport(s, &known, "summary", "attacks", "expectations", "vetted", "probing", "coverage", "posture", "clients", "sandboxes")
	s.closeBracket('}')
	s.closeBracket('}')
	s.closeBracket(']')
	s.closeBracket('}')
	return s.finishStream()
}

// semantic matches SemVer 2.0 without the rarely used build part.
var semantic = lazyregexp.New(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

func writeDriver(s *jsonStream, tool result.Tool, rules sarifRules, security bool) {
	s.openBracket("tool", '{')
	s.openBracket("driver", '{')
	s.writeValue("name", tool.Name)
	if tool.Version != "" {
		s.writeValue("version", tool.Version)
	}
	if semantic.MatchString(tool.Version) {
		s.writeValue("semanticVersion", tool.Version)
	}
	writeElements(s, "rules", rules.list, func(rule *result.Rule) any { return descriptor(rule, security) })
	s.writeMember("notifications", reflect.ValueOf(notices))
	s.closeBracket('}')
	s.closeBracket('}')
}

// notices describes the kinds of notification, so that viewers can group them.
var notices = []sarifNotice{
	{string(finding.Malformed), sarifText{Text: "A part of the input has not the form that MCP prescribes; its strings were scanned all the same."}},
	{string(finding.Unread), sarifText{Text: "Something is there, or is said to be there, and was not read."}},
	{string(finding.Limit), sarifText{Text: "A limit cut the scan short."}},
	{string(finding.Failed), sarifText{Text: "An attempt ended in an error."}},
	{skippedNotice, sarifText{Text: "A check did not run because its evidence is missing or it was not requested."}},
	{unsettledNotice, sarifText{Text: "An attack has no verdict to rely on, or never reached the agent: nothing is known of its resistance."}},
	{suppressionNotice, sarifText{Text: "A suppression is not used: it meets no finding, has ended, or its definition has changed."}},
}

const (
	skippedNotice     = "skipped"
	suppressionNotice = "suppression"
	unsettledNotice   = "attack-unsettled"
)

// writeInvocation says how complete the scan is. A skipped check is a note, not an error: it does not make a scan incomplete.
func writeInvocation(s *jsonStream, r *result.Report, rules sarifRules) {
	s.openBracket("invocations", '[')
	s.openBracket("", '{')
	s.writeValue("executionSuccessful", complete(r))
	s.openBracket("toolExecutionNotifications", '[')
	for i := range r.Problems {
		p := &r.Problems[i]
		n := sarifNotification{Descriptor: sarifRef{ID: string(p.Kind)}, Level: "error", Message: sarifText{Text: sarifPlain(p.Message)}}
		if p.Kind == finding.Malformed {
			n.Level = "warning"
		}
		if p.Location.File != "" || p.Location.Server != "" {
			n.Locations = []sarifLocation{sarifLocate(&p.Location)}
		}
		s.writeValue("", &n)
	}
	for i := range r.Attacks {
		if a := &r.Attacks[i]; !a.Exploited() && !a.Resisted() {
			s.writeValue("", unsettledAttack(a))
		}
	}
	for _, skip := range r.Skipped {
		n := sarifNotification{Descriptor: sarifRef{ID: skippedNotice}, Level: "note",
			Message: sarifText{Text: sarifPlain(fmt.Sprintf("%s %s did not run; it needs %s", skip.Rule, skip.Name, skip.Needs))}}
		if i, ok := rules.index[skip.Rule]; ok {
			n.AssociatedRule = &sarifRef{ID: string(skip.Rule), Index: &i}
		}
		s.writeValue("", &n)
	}
	for i := range r.Suppressions {
		if d := &r.Suppressions[i]; d.State != result.Used {
			s.writeValue("", &sarifNotification{Descriptor: sarifRef{ID: suppressionNotice}, Level: "note",
				Message:   sarifText{Text: sarifPlain(unusedText(d))},
				Locations: []sarifLocation{sarifLine(d.File, d.Line)}})
		}
	}
	s.closeBracket(']')
	s.closeBracket('}')
	s.closeBracket(']')
}

func writeResults(s *jsonStream, r *result.Report, rules sarifRules) {
	s.openBracket("results", '[')
	seen := make(map[string]int, len(r.Findings))
	write := func(f *finding.Finding, suppressions *[]sarifSuppression) {
		// Code hosts merge results with the same fingerprint into one alert. Two equal definitions are two places to
		// fix, so the second gets a number.
		seen[f.Fingerprint]++
		mark := f.Fingerprint
		if n := seen[f.Fingerprint]; n > 1 {
			mark = fmt.Sprintf("%s:%d", mark, n)
		}
		s.writeValue("", &sarifResult{
			RuleID: string(f.Rule), RuleIndex: rules.index[f.Rule], Level: sarifLevel(f.Severity),
			Message:   sarifText{Text: resultText(f)},
			Locations: []sarifLocation{sarifLocate(&f.Location)}, RelatedLocations: relatedLocations(f.Related), CodeFlows: codeFlows(f),
			// GitHub reads only primaryLocationLineHash. Without it GitHub hashes the line, and a snapshot is often one
			// long line that holds all findings.
			PartialFingerprints: sarifPrints{V1: mark, Primary: mark},
			Suppressions:        suppressions,
			Properties: &sarifResultProperties{
				Severity: f.Severity, Pointer: f.Location.Pointer, Seq: f.Location.Seq, IsKey: f.Location.IsKey, Advice: f.Advice, Evidence: f.Evidence, Content: f.Content,
			},
		})
	}
	// Either all results of a run have this member or none has (SARIF 3.27.23); an empty list says that the result is not suppressed.
	var none *[]sarifSuppression
	if len(r.Suppressed) > 0 {
		none = &[]sarifSuppression{}
	}
	for i := range r.Findings {
		write(&r.Findings[i], none)
	}
	for i := range r.Suppressed {
		d := &r.Suppressed[i].Decision
		write(&r.Suppressed[i].Finding, &[]sarifSuppression{{
			Kind: "external", Status: "accepted", Justification: sarifPlain(d.Reason), Location: sarifLine(d.File, d.Line),
			Properties: sarifSuppressionProperties{Owner: d.Owner, Expires: d.Expires},
		}})
	}
	for i := range r.Attacks {
		if r.Attacks[i].Exploited() {
			s.writeValue("", attackResult(&r.Attacks[i], rules, none))
		}
	}
	for i := range r.Expectations {
		if !r.Expectations[i].Held {
			s.writeValue("", expectationResult(&r.Expectations[i], rules, none))
		}
	}
	s.closeBracket(']')
}

func sarifLevel(s finding.Severity) string {
	switch {
	case s >= finding.High:
		return "error"
	case s == finding.Medium:
		return "warning"
	case s == finding.None:
		return "none"
	}
	return "note"
}
