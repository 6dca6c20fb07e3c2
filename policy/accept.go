package policy

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/result"
)

// minPrefix is the shortest usable fingerprint prefix: 32 bits.
const minPrefix = 8

// Accept adds decision e, which has Fingerprint, Reason, Owner and Expires, to the text of a policy file for every
// finding of the report with that fingerprint. A prefix of eight or more digits is enough if it is unique in the report.
// Decisions about content that no longer exists are replaced. It returns the new text and describes what was accepted.
func Accept(file, text string, e Entry, r *result.Report) (accepted string, what []string, err error) {
	found := slices.Clone(r.Findings)
	for i := range r.Suppressed {
		found = append(found, r.Suppressed[i].Finding)
	}
	if e.Fingerprint, err = wholeFingerprint(found, e.Fingerprint); err != nil {
		return "", nil, err
	}
	found = slices.DeleteFunc(found, func(f finding.Finding) bool { return f.Fingerprint != e.Fingerprint })
	if len(found) == 0 {
		return "", nil, notFound(e.Fingerprint)
	}
	var contents []string
	for i := range found {
		if found[i].Content == "" {
			return "", nil, fmt.Errorf("%s: the report does not say what was judged (content_hash), so no decision can be bound to it", e.Fingerprint)
		}
		contents = append(contents, found[i].Content)
	}
	e.Reason, e.Owner = strings.ToValidUTF8(e.Reason, "\uFFFD"), strings.ToValidUTF8(e.Owner, "\uFFFD")
	for i := range found {
		e.Rule, e.Content, e.Definition = found[i].Rule, found[i].Content, strings.ToValidUTF8(subject(&found[i].Location), "\uFFFD")
		var stale []int
		old, _ := Parse(file, text) // Add reports what is wrong with it
		for _, o := range old.Entries {
			if o.Fingerprint == e.Fingerprint && !slices.Contains(contents, o.Content) {
				stale = append(stale, o.Line)
			}
		}
		if text, err = Add(text, e, stale...); err != nil {
			return "", nil, fmt.Errorf("%s: %w", file, err)
		}
		what = append(what, fmt.Sprintf("%s in %s", e.Rule, e.Definition))
	}
	return text, what, nil
}

func notFound(print string) error {
	if len(print) < minPrefix {
		return fmt.Errorf("%s: want a fingerprint, or its first %d digits or more, as the report shows it", print, minPrefix)
	}
	return fmt.Errorf("%s: the report has no finding with this fingerprint", print)
}

// wholeFingerprint returns the only fingerprint among findings with prefix print.
func wholeFingerprint(findings []finding.Finding, print string) (string, error) {
	if len(print) < minPrefix {
		return print, nil
	}
	whole := print
	for i := range findings {
		full := findings[i].Fingerprint
		switch {
		case !strings.HasPrefix(full, print):
		case whole != print && whole != full:
			return "", fmt.Errorf("%s: several findings of the report begin with it: %s and %s among them", print, whole, full)
		default:
			whole = full
		}
	}
	return whole, nil
}

// subject names what a finding is about, for reviewers.
func subject(l *finding.Location) string {
	var parts []string
	if l.Item != "" {
		kind := strings.ReplaceAll(strings.TrimPrefix(string(l.Kind), string(finding.Server)), "_", " ")
		parts = append(parts, strings.TrimSpace(kind+" "+excerpt.Clip(l.Item, 200)))
	}
	if l.Server != "" || parts == nil {
		parts = append(parts, "server "+excerpt.Clip(l.Server, 200))
	}
	return strings.Join(parts, ", ")
}
