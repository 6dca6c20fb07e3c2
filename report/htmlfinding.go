package report

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"gauntlet/finding"
	"gauntlet/rawjson"
	"gauntlet/result"
)

// findingID returns the anchor of a finding on a page.
func findingID(fingerprint string) string {
	return "f-" + strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '_'
	}, fingerprint)
}

// An idMaker makes ids unique where fingerprints repeat.
type idMaker map[string]int

func (m idMaker) next(fingerprint string) string {
	id := findingID(fingerprint)
	m[id]++
	if n := m[id]; n > 1 {
		return fmt.Sprintf("%s_%d", id, n)
	}
	return id
}

// A findingView is a finding as a page shows it. Strings used in attributes are Visible.
type findingView struct {
	ID, Severity, Server, Rule           string
	Place, Message, Name, Normalized, At string
	Advice, Also, Taxonomy, Decision     string
	Evidence                             template.HTML
	Related, Steps                       []string
	Fingerprint, Suppression             string
}

func viewFinding(f *finding.Finding, id string, several bool) *findingView {
	v := &findingView{
		ID: id, Severity: f.Severity.String(), Server: Visible(f.Location.Server), Rule: Visible(string(f.Rule)), Name: f.Name,
		Place: shortPlace(&f.Location, several), Message: f.Message, Evidence: evidenceHTML(f.Evidence), At: describeLocation(&f.Location, true),
		Advice: f.Advice, Also: joinRules(f.Also), Fingerprint: f.Fingerprint, Suppression: suppressionOf(f),
	}
	if f.Evidence.Normalized != f.Evidence.Raw {
		v.Normalized = f.Evidence.Normalized
	}
	if f.Location.Origin != "" {
		v.At = strings.TrimSpace(v.At + "  " + f.Location.Origin)
	}
	for i := range f.Related {
		v.Related = append(v.Related, strings.TrimSpace(also(&f.Related[i])+"  "+describeLocation(&f.Related[i], true)))
	}
	for i := range f.Steps {
		s := &f.Steps[i]
		v.Steps = append(v.Steps, s.Text+"  "+s.File+":"+strconv.Itoa(s.Line))
	}
	var entries []string
	for _, t := range f.Taxonomy {
		entries = append(entries, strings.TrimSpace(fmt.Sprintf("%s %s %s (%s)", t.System, t.ID, t.Name, t.Fit)))
	}
	v.Taxonomy = strings.Join(entries, ", ")
	return v
}

// suppressionOf returns the entry of a suppressions file that accepts a finding, "" if none can.
func suppressionOf(f *finding.Finding) string {
	if f.Content == "" || f.Fingerprint == "" {
		return ""
	}
	quote := func(s string) string { return rawjson.Quote(Visible(s)) }
	return fmt.Sprintf("  - fingerprint: %s\n    rule: %s\n    definition: %s\n    reason: \"\"\n    content_hash: %s\n",
		quote(f.Fingerprint), quote(string(f.Rule)), quote(inWords(&f.Location)), quote(f.Content))
}

// viewSuppressed returns the view of an accepted finding.
func viewSuppressed(s *result.Suppressed, id string) *findingView {
	v := viewFinding(&s.Finding, id, false)
	v.Suppression, v.Decision = "", fmt.Sprintf("%s  %s:%d", decision(&s.Decision), s.Decision.File, s.Decision.Line)
	return v
}
