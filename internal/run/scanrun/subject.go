package scanrun

import (
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/leaf/lazyregexp"
)

// A subject is what a finding is about: its catalogue entries, and which of the kinds below.
type subject struct {
	kinds uint
	cwe   []string
	owasp []string // OWASP MCP Top 10
}

// kinds are weaknesses that programs name differently: by neighbouring CWE entries, or by rule names. The names are whole words of
// a rule's id or name, in lower case.
var kinds = []struct {
	entries []string
	names   []string
}{
	{[]string{"CWE-77", "CWE-78", "CWE-88"}, []string{"command injection", "command line injection", "shell injection", "argument injection"}},
	{[]string{"CWE-94", "CWE-95", "CWE-1336"}, []string{"code injection", "code evaluation", "template injection"}},
	{[]string{"CWE-22", "CWE-23", "CWE-36", "CWE-59", "CWE-73"}, []string{"path traversal", "path injection", "directory traversal", "symlink escape", "prefix escape"}},
	{[]string{"CWE-918"}, []string{"ssrf", "server side request forgery", "cloud metadata access"}},
	{[]string{"CWE-89", "CWE-564", "CWE-943"}, []string{"sql injection", "nosql injection", "query injection"}},
	{[]string{"CWE-502"}, []string{"unsafe deserialization", "unsafe deserialisation"}},
	{[]string{"CWE-1427"}, []string{"prompt injection", "tool poisoning"}},
}

var (
	cweEntry   = lazyregexp.New(`(?i)\bcwe[-/ _:]?0*([1-9][0-9]{0,3})\b`)
	owaspEntry = lazyregexp.New(`(?i)\bMCP(0[1-9]|10)\b`)
	notLetters = lazyregexp.New(`[^a-z0-9]+`)
)

// subjectOf reads the entries from a rule's ties, and the kinds from those and its names.
func subjectOf(names, ties []string) (s subject) {
	for _, t := range ties {
		t = clip(t, maxName)
		for _, m := range cweEntry.FindAllStringSubmatch(t, maxNames) {
			s.cwe = append(s.cwe, "CWE-"+m[1])
		}
		for _, m := range owaspEntry.FindAllStringSubmatch(t, maxNames) {
			s.owasp = append(s.owasp, "MCP"+m[1])
		}
	}
	for _, n := range names {
		words := " " + notLetters.ReplaceAllString(strings.ToLower(clip(n, maxName)), " ") + " "
		for i := range kinds {
			if slices.ContainsFunc(kinds[i].names, func(name string) bool { return strings.Contains(words, " "+name+" ") }) {
				s.kinds |= 1 << i
			}
		}
	}
	for i := range kinds {
		if intersect(kinds[i].entries, s.cwe) {
			s.kinds |= 1 << i
		}
	}
	return s
}

// subjectOfFinding returns one of our findings' subject, without merely neighbouring entries.
func subjectOfFinding(f *finding.Finding) subject {
	var ties []string
	for _, t := range f.Taxonomy {
		if t.Fit != "weak" {
			ties = append(ties, t.ID)
		}
	}
	return subjectOf([]string{f.Name}, ties)
}

// related reports whether two findings share an entry or a kind. OWASP's wide entries count only if one side has nothing narrower.
func (s subject) related(t subject) bool {
	if s.kinds&t.kinds != 0 || intersect(s.cwe, t.cwe) {
		return true
	}
	narrow := s.kinds != 0 || len(s.cwe) > 0
	return (!narrow || t.kinds == 0 && len(t.cwe) == 0) && intersect(s.owasp, t.owasp)
}

func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(e string) bool { return slices.Contains(b, e) })
}
