package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/rawjson"
	"gauntlet/result"
)

// findingSection lists the findings, the severest first.
func findingSection(r *result.Report) section {
	s := section{ID: "findings", Title: "Findings", Noun: "finding", n: len(r.Findings), Filter: !attacksOnly(r), Short: informationBrief(r.Findings)}
	order, ids := severestFirst(r.Findings), findingIDs(r.Findings)
	s.row = func(i int) row {
		one := findingRow(&r.Findings[order[i]])
		one.setAnchor(ids[order[i]])
		return one
	}
	return s
}

// severestFirst returns the indexes of findings, the severest first.
func severestFirst(fs []finding.Finding) []int {
	order := make([]int, len(fs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(fs[b].Severity, fs[a].Severity) })
	return order
}

func findingRow(f *finding.Finding) row {
	r := row{
		Tone: toneOf(f.Severity), Badge: f.Severity.String(), Title: f.Name, Where: definition(&f.Location), Text: f.Message,
		Evidence: f.Evidence, Server: f.Location.Server, Rule: string(f.Rule), Accept: suppressionOf(f),
	}
	if f.Evidence.Normalized != f.Evidence.Raw {
		r.add("reads as", f.Evidence.Normalized)
	}
	r.add("do", f.Advice)
	r.addAside("at", strings.TrimSpace(describeLocation(&f.Location, true)+"  "+f.Location.Origin))
	if f.Also != nil {
		r.addAside("also", joinRules(f.Also)+" on the same words")
	}
	for i := range f.Related {
		r.addAside("also", strings.TrimSpace(relatedText(&f.Related[i])+"  "+describeLocation(&f.Related[i], true)))
	}
	for i := range f.Steps {
		r.addAside("path", stepText(&f.Steps[i]))
	}
	var entries []string
	for _, t := range f.Taxonomy {
		entries = append(entries, strings.TrimSpace(t.System+" "+t.ID+" "+t.Name)+" ("+t.Fit+")")
	}
	if entries != nil {
		r.More = []field{{Label: "taxonomy", Text: strings.Join(entries, ", "), Aside: true}}
	}
	r.addAside("id", f.Fingerprint)
	return r
}

// stepText describes a step of a data flow.
func stepText(s *finding.Step) string { return s.Text + "  " + fileLine(s.File, s.Line) }

func joinRules(ids []finding.Rule) string {
	var out []string
	for _, id := range ids {
		out = append(out, string(id))
	}
	return strings.Join(out, ", ")
}

// suppressionOf returns the entry of a suppressions file that accepts a finding, "" if none can.
func suppressionOf(f *finding.Finding) string {
	if f.Content == "" || f.Fingerprint == "" {
		return ""
	}
	quote := func(s string) string { return rawjson.Quote(Visible(s)) }
	return fmt.Sprintf("  - fingerprint: %s\n    rule: %s\n    definition: %s\n    reason: \"\"\n    content_hash: %s\n",
		quote(f.Fingerprint), quote(string(f.Rule)), quote(definitionAt(&f.Location)), quote(f.Content))
}

// findingIDs returns the anchors of findings on a page, numbered in order of severity.
func findingIDs(fs []finding.Finding) []string {
	ids, used := make([]string, len(fs)), map[string]int{}
	for _, i := range severestFirst(fs) {
		ids[i] = anchor("f-"+fs[i].Fingerprint, used)
	}
	return ids
}

// setAnchor gives a row an anchor, which its id links to.
func (r *row) setAnchor(id string) {
	r.ID = id
	for i := range r.Fields {
		if r.Fields[i].Label == "id" {
			r.Fields[i].Link = "#" + id
		}
	}
}

// anchor makes an id of a text, unique among those used.
func anchor(text string, used map[string]int) string {
	id := strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '_'
	}, text)
	if used[id]++; used[id] > 1 {
		return fmt.Sprintf("%s_%d", id, used[id])
	}
	return id
}

// suppressedSection lists every accepted finding: nothing is hidden silently.
func suppressedSection(r *result.Report) section {
	s := section{ID: "suppressed", Title: "Suppressed", Noun: "suppressed finding", Share: markdownLimit / 4}
	if len(r.Suppressed) > 0 {
		s.Remark = "accepted by a person; not for the gate"
	}
	ids, used := make([]string, len(r.Suppressed)), map[string]int{}
	for i := range ids {
		ids[i] = anchor("accepted-"+r.Suppressed[i].Finding.Fingerprint, used)
	}
	s.Short = firstOf("Accepted", "", len(ids), func(i int) string {
		f := &r.Suppressed[i].Finding
		return fmt.Sprintf("%s %s %s: %s", f.Severity, f.Rule, shortPlace(&f.Location, false), decision(&r.Suppressed[i].Decision))
	})
	s.n = len(ids)
	s.row = func(i int) row {
		s := &r.Suppressed[i]
		one := findingRow(&s.Finding)
		one.setAnchor(ids[i])
		one.Accept = ""
		one.Test = &junitTest{name: fmt.Sprintf("suppressed finding %d: %s %s", i+1, s.Finding.Rule, s.Finding.Name), file: s.Finding.Location.File, outcome: "skipped", message: decision(&s.Decision)}
		one.Fields, one.More = nil, slices.Concat(one.Fields, one.More)
		one.add("reason", decision(&s.Decision))
		one.addAside("by", fileLine(s.Decision.File, s.Decision.Line))
		one.addAside("in", definitionAt(&s.Finding.Location))
		return one
	}
	return s
}

// unusedSection lists unused suppressions, which deserve review.
func unusedSection(r *result.Report) section {
	unused := slices.DeleteFunc(slices.Clone(r.Suppressions), func(d result.Suppression) bool { return d.State == result.Used })
	s := section{ID: "unused", Title: "Suppressions not used", Brief: "Unused", BriefRows: true, Lines: true, Heads: []string{"State"}, Noun: "suppression"}
	return withRows(s, unused, func(d *result.Suppression) row {
		return row{Badge: string(d.State), Text: unusedText(d), Where: fileLine(d.File, d.Line),
			Test: &junitTest{name: "suppression in line " + groupDigits(d.Line) + " of " + d.File, file: d.File, outcome: "skipped", message: string(d.State) + ": " + unusedText(d)}}
	})
}

// decision says why, by whom and until when a finding was accepted. The result is not Visible yet.
func decision(d *result.Decision) string {
	text := strings.TrimSpace(d.Reason)
	if d.Owner != "" {
		text += " (" + d.Owner + ")"
	}
	if d.Expires != "" {
		text += ", until " + d.Expires
	}
	return text
}

// unusedText explains why a suppression covers nothing. The result is not Visible yet.
func unusedText(d *result.Suppression) string {
	text := string(d.Rule) + " " + d.Fingerprint
	if d.Definition != "" {
		text += " (" + d.Definition + ")"
	}
	return text + ": " + d.Detail
}
