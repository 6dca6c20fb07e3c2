package report

import (
	"bufio"
	"cmp"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/result"
	"gauntlet/verdict"
)

const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

var _ = formats.register("sarif", "for code hosts and editors: SARIF 2.1.0", writeSARIF)

// writeSARIF writes one run. Findings are results; problems and skipped checks are notifications of its one invocation.
// Coverage is a property of the run: SARIF has no term for it, and a run without results must not look like a pass.
func writeSARIF(w *bufio.Writer, r *result.Report, o Options) error {
	rules, known := rulesOf(r), *r
	known.Attacks = withoutSemantic(r.Attacks)
	return writeLines(w, lines{"$schema", sarifSchema, "version", sarifVersion, "runs", listOf(lines{
		"columnKind", "unicodeCodePoints", "tool", lines{"driver", sarifDriver(r.Tool, rules, !o.NotSecurity)}, "invocations", listOf(lines{
			"executionSuccessful", complete(r), "toolExecutionNotifications", list(func(write func(any)) { writeNotifications(write, r, rules) }),
		}),
		"results", list(func(write func(any)) { writeResults(write, r, rules) }),
		"properties", reportLines(&known, "summary", "attacks", "expectations", "vetted", "probing", "coverage", "posture", "clients", "sandboxes"),
	})})
}

// semantic matches SemVer 2.0 without the rarely used build part.
var semantic = lazyregexp.New(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

func sarifDriver(tool result.Tool, rules sarifRules, security bool) lines {
	version := ""
	if semantic.MatchString(tool.Version) {
		version = tool.Version
	}
	return lines{"name", tool.Name, "version?", tool.Version, "semanticVersion?", version, "rules", list(func(write func(any)) {
		for i := range rules.list {
			write(descriptor(&rules.list[i], security))
		}
	}), "notifications", list(func(write func(any)) {
		for _, n := range notices {
			write(object{"id", n[0], "shortDescription", object{"text", n[1]}})
		}
	})}
}

// notices describes the kinds of notification, so that viewers can group them.
var notices = [][2]string{
	{string(finding.Malformed), "A part of the input has not the form that MCP prescribes; its strings were scanned all the same."},
	{string(finding.Unread), "Something is there, or is said to be there, and was not read."},
	{string(finding.Limit), "A limit cut the scan short."},
	{string(finding.Failed), "An attempt ended in an error."},
	{skippedNotice, "A check did not run because its evidence is missing or it was not requested."},
	{unsettledNotice, "An attack has no verdict to rely on, or never reached the agent: nothing is known of its resistance."},
	{suppressionNotice, "A suppression is not used: it meets no finding, has ended, or its definition has changed."},
}

const (
	skippedNotice     = "skipped"
	suppressionNotice = "suppression"
	unsettledNotice   = "attack-unsettled"
)

// writeNotifications says what the scan lacks. A skipped check is a note, not an error: it does not make a scan incomplete.
func writeNotifications(write func(any), r *result.Report, rules sarifRules) {
	notify := func(kind, level, text string, rule any, locations ...object) {
		write(object{"descriptor", object{"id", kind}, "associatedRule?", rule, "level", level, "message", sarifText(text), "locations?", locations})
	}
	for i := range r.Problems {
		p := &r.Problems[i]
		level := "error"
		if p.Kind == finding.Malformed {
			level = "warning"
		}
		var at []object
		if p.Location.File != "" || p.Location.Server != "" {
			at = []object{sarifLocate(&p.Location, "")}
		}
		notify(string(p.Kind), level, p.Message, nil, at...)
	}
	for i := range r.Attacks {
		if a := &r.Attacks[i]; !a.Exploited() && !a.Resisted() {
			notify(unsettledNotice, "error", attackTitle(a)+": "+kindOf(a).words+": "+outcomeReason(a), nil, sarifLine(a.Document, 0))
		}
	}
	for _, skip := range r.Skipped {
		var rule any
		if i, ok := rules.index[skip.Rule]; ok {
			rule = object{"id", skip.Rule, "index", i}
		}
		notify(skippedNotice, "note", fmt.Sprintf("%s %s did not run; it needs %s", skip.Rule, skip.Name, skip.Needs), rule)
	}
	for i := range r.Suppressions {
		if d := &r.Suppressions[i]; d.State != result.Used {
			notify(suppressionNotice, "note", unusedText(d), nil, sarifLine(d.File, d.Line))
		}
	}
}

// A sarifResult is a finding, an attack that succeeded, or an expectation that failed.
type sarifResult struct {
	rule        finding.Rule
	level       string
	text        string // safe for a message
	at          object
	related     []object
	flows       []object
	mark        string // fingerprint
	properties  any
	suppression []object
}

func writeResults(put func(any), r *result.Report, rules sarifRules) {
	seen := make(map[string]int, len(r.Findings))
	write := func(one sarifResult) {
		// Code hosts merge results with the same fingerprint into one alert. Two equal definitions are two places to
		// fix, so the second gets a number.
		if seen[one.mark]++; seen[one.mark] > 1 {
			one.mark = fmt.Sprintf("%s:%d", one.mark, seen[one.mark])
		}
		// Either all results of a run have this member or none has (SARIF 3.27.23); an empty list says that the result is not suppressed.
		if len(r.Suppressed) > 0 && one.suppression == nil {
			one.suppression = []object{}
		}
		put(object{
			"ruleId", one.rule, "ruleIndex", rules.index[one.rule], "level", one.level, "message", object{"text", one.text},
			"locations", []object{one.at}, "relatedLocations?", one.related, "codeFlows?", one.flows,
			// GitHub reads only primaryLocationLineHash. Without it GitHub hashes the line, and a snapshot is often one
			// long line that holds all findings.
			"partialFingerprints", object{"gauntlet/v1", one.mark, "primaryLocationLineHash", one.mark},
			"suppressions?", one.suppression, "properties", one.properties,
		})
	}
	for i := range r.Findings {
		write(findingResult(&r.Findings[i]))
	}
	for i := range r.Suppressed {
		one, d := findingResult(&r.Suppressed[i].Finding), &r.Suppressed[i].Decision
		one.suppression = []object{{"kind", "external", "status", "accepted", "justification", sarifPlain(d.Reason), "location", sarifLine(d.File, d.Line),
			"properties", object{"owner?", d.Owner, "expires?", d.Expires}}}
		write(one)
	}
	for i := range r.Attacks {
		if r.Attacks[i].Exploited() {
			write(attackResult(&r.Attacks[i]))
		}
	}
	for i := range r.Expectations {
		if !r.Expectations[i].Held {
			write(expectationResult(&r.Expectations[i]))
		}
	}
}

func findingResult(f *finding.Finding) sarifResult {
	return sarifResult{
		rule: f.Rule, level: sarifLevel(f.Severity), text: resultText(f), at: sarifLocate(&f.Location, ""),
		related: relatedLocations(f.Related), flows: codeFlows(f), mark: f.Fingerprint,
		properties: object{"severity", f.Severity, "pointer", f.Location.Pointer, "seq?", f.Location.Seq, "is_key?", f.Location.IsKey, "advice?", f.Advice, "evidence", f.Evidence, "content_hash?", f.Content},
	}
}

// sarifText is a message with text made safe.
func sarifText(text string) object { return object{"text", sarifPlain(text)} }

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

// Attack runs in the formats for code hosts, CI servers and comments. An agent that complied is a result about the
// attack document, never about a server.

func attackRule(a *result.AttackRun) result.Rule {
	return result.Rule{ID: finding.Rule(cmp.Or(a.ID, a.Document)), Name: a.Name, Severity: attackSeverity(a), Axis: "agent-behaviour",
		Doc: "An agent met the attack " + Visible(attackTitle(a)) + " and complied with it."}
}

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

// sarifLocate gives every location a physical part, since GitHub rejects a whole upload for one result without it, and
// the logical part that readers want.
func sarifLocate(l *finding.Location, message string) object {
	return append(physical(l), "logicalLocations", []object{logical(l)}, "message?", textIf(message))
}

// sarifLine locates a line of a file, 0 if unknown, that is not a definition.
func sarifLine(file string, line int) object {
	return physical(&finding.Location{File: file, Line: line})
}

func physical(l *finding.Location) object {
	return object{"physicalLocation", object{"artifactLocation", object{"uri", artifactURI(l)}, "region", region(l)}}
}

// textIf is a message, or nil for "".
func textIf(text string) any {
	if text == "" {
		return nil
	}
	return sarifText(text)
}

func relatedLocations(ls []finding.Location) (out []object) {
	for i := range ls {
		out = append(out, sarifLocate(&ls[i], relatedText(&ls[i])))
	}
	return out
}

// codeFlows returns the data flow, ending at the finding: one thread and its places.
func codeFlows(f *finding.Finding) []object {
	if len(f.Steps) == 0 {
		return nil
	}
	var places []object
	for i := range f.Steps {
		s := &f.Steps[i]
		at := finding.Location{File: s.File, Line: s.Line, Column: s.Column, Kind: f.Location.Kind, Item: f.Location.Item}
		places = append(places, object{"location", sarifLocate(&at, s.Text)})
	}
	places = append(places, object{"location", sarifLocate(&f.Location, "")})
	return []object{{"threadFlows", []object{{"locations", places}}}}
}

// artifactURI names the scanned file. A live server has none and becomes mcp-server/<name>: a relative reference that
// is the same on every machine and run, so that alerts can be tracked, and that names no file of any repository.
func artifactURI(l *finding.Location) string {
	if l.File != "" {
		return fileURI(l.File)
	}
	name := l.Server
	if strings.Trim(name, ".") == "" { // ".." would climb as a path
		name = "unnamed" + name
	}
	return "mcp-server/" + url.PathEscape(name)
}

// fileURI turns a path as given by the user into a relative reference, which code hosts resolve against the repository
// root, or into a file URI if it is absolute.
func fileURI(file string) string {
	p := path.Clean(filepath.ToSlash(file))
	if len(p) > 1 && p[1] == ':' && filepath.VolumeName(file) != "" { // C:/dir on Windows
		p = "/" + p
	}
	u := url.URL{Path: p}
	if path.IsAbs(p) {
		u.Scheme = "file"
	}
	return u.String() // String adds ./ if the first segment has a colon
}

// region returns line 1 if the line is unknown: GitHub requires one.
func region(l *finding.Location) object {
	if l.Line < 1 {
		return object{"startLine", 1}
	}
	return object{"startLine", l.Line, "startColumn?", max(l.Column, 0), "endLine?", max(l.EndLine, 0), "endColumn?", max(l.EndColumn, 0)}
}

// logical names the definition. Parts of the full name are escaped, so that a slash in a tool name cannot make one
// server pass for another.
func logical(l *finding.Location) object {
	kind := cmp.Or(l.Kind, finding.Server)
	full := url.PathEscape(l.Server) + "/" + string(kind)
	if l.Item != "" {
		full += "/" + url.PathEscape(l.Item)
	}
	return object{"name?", cmp.Or(l.Item, l.Server), "fullyQualifiedName", full + "#" + l.Pointer, "kind", kind}
}

// resultText is the message with its location and advice: code hosts do not show the logical location, and a live
// server has no line to look at.
func resultText(f *finding.Finding) string {
	var b strings.Builder
	b.WriteString(sarifPlain(f.Message))
	b.WriteString("\nWhere: ")
	b.WriteString(sarifPlain(itemTitle(&f.Location)))
	if f.Location.Server != "" {
		b.WriteString(" of server " + sarifPlain(f.Location.Server))
	}
	if f.Location.Origin != "" {
		b.WriteString(" (" + sarifPlain(f.Location.Origin) + ")")
	}
	if f.Location.Seq > 0 {
		b.WriteString(", message " + groupDigits(f.Location.Seq))
	}
	if f.Location.Pointer != "" {
		b.WriteString(", " + sarifPlain(f.Location.Pointer))
	}
	if f.Advice != "" {
		b.WriteString("\nWhat to do: " + sarifPlain(f.Advice))
	}
	return b.String()
}

// sarifPlain makes text safe for a SARIF message, where [text](target) is a link that a server could put into a tool name.
func sarifPlain(s string) string { return strings.ReplaceAll(Visible(s), "](", "] (") }
