package vet

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
)

// An advisory is the needed part of an advisory (https://ossf.github.io/osv-schema/).
type advisory struct {
	ID        string     `json:"id"`
	Aliases   []string   `json:"aliases"`
	Summary   string     `json:"summary"`
	Withdrawn string     `json:"withdrawn"`
	Affected  []Affected `json:"affected"`
	Database  struct {
		Severity string `json:"severity"`
	} `json:"database_specific"`
}

// Affected is the affected versions of one package.
type Affected struct {
	Package struct {
		Ecosystem string `json:"ecosystem"`
		Name      string `json:"name"`
	} `json:"package"`
	Ranges []struct {
		Type   string  `json:"type"`
		Events []event `json:"events"`
	} `json:"ranges"`
	Versions []string `json:"versions"`
}

// An event begins or ends a range.
type event struct {
	Introduced   string `json:"introduced"`
	Fixed        string `json:"fixed"`
	LastAffected string `json:"last_affected"`
}

// parseAdvisory parses one advisory, a list of them, or an object with a member vulns. Unreadable advisories are skipped; bad
// counts them.
func parseAdvisory(text []byte) (entries []advisory, bad int, err error) {
	var all []json.RawMessage
	switch trimmed := strings.TrimLeft(string(text[:min(len(text), 64)]), " \t\r\n\ufeff"); {
	case strings.HasPrefix(trimmed, "["):
		if err := json.Unmarshal(text, &all); err != nil {
			return nil, 0, fmt.Errorf("no advisories: %w", err)
		}
	case strings.HasPrefix(trimmed, "{"):
		var list struct {
			Vulns []json.RawMessage `json:"vulns"`
		}
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, 0, fmt.Errorf("no advisory: %w", err)
		}
		if all = list.Vulns; all == nil {
			all = []json.RawMessage{text}
		}
	default:
		return nil, 0, errors.New("no advisory: it is not JSON")
	}
	for _, raw := range all {
		var e advisory
		if json.Unmarshal(raw, &e) != nil || e.ID == "" {
			bad++
			continue
		}
		entries = append(entries, e)
	}
	return entries, bad, nil
}

// Names returns the affected packages, as packageKey formats them.
func (e *advisory) Names() []string {
	var out []string
	for i := range e.Affected {
		p := &e.Affected[i].Package
		out = append(out, packageKey(p.Ecosystem, p.Name))
	}
	return out
}

// packageKey returns a canonical name of an ecosystem's package.
func packageKey(ecosystem, name string) string {
	ecosystem, _, _ = strings.Cut(strings.ToLower(ecosystem), ":")
	if ecosystem == "pypi" {
		name = strings.NewReplacer("_", "-", ".", "-").Replace(name)
	}
	return ecosystem + " " + strings.ToLower(name)
}

// Match reports whether an advisory affects a package's version, and the first fixed version, "" if none is known.
func (e *advisory) Match(ecosystem, name, version string) (fixed string, ok bool) {
	if e.Withdrawn != "" || version == "" {
		return "", false
	}
	for i := range e.Affected {
		a := &e.Affected[i]
		if packageKey(a.Package.Ecosystem, a.Package.Name) != packageKey(ecosystem, name) {
			continue
		}
		if fixed, ok := a.covers(version); ok {
			return fixed, true
		}
	}
	return "", false
}

func (a *Affected) covers(version string) (fixed string, ok bool) {
	listed := slices.ContainsFunc(a.Versions, func(v string) bool { return Compare(v, version) == 0 })
	for _, r := range a.Ranges {
		if r.Type == "GIT" {
			continue // commits, which no release has
		}
		if end, in := inRange(r.Events, version); in {
			return end, true
		} else if listed && fixed == "" {
			fixed = end
		}
	}
	return fixed, listed
}

// inRange reports whether a version lies between an introduction and the following fix, which is returned.
func inRange(events []event, version string) (fixed string, in bool) {
	sorted := slices.Clone(events)
	slices.SortStableFunc(sorted, func(a, b event) int { return Compare(a.at(), b.at()) })
	for _, e := range sorted {
		switch {
		case e.Introduced != "" && (e.Introduced == "0" || Compare(e.Introduced, version) <= 0):
			in = true
		case e.Fixed != "" && Compare(e.Fixed, version) <= 0, e.LastAffected != "" && Compare(e.LastAffected, version) < 0:
			in = false
		case e.Fixed != "" && in:
			return e.Fixed, true
		}
	}
	return "", in
}

func (e *event) at() string {
	if e.Introduced == "0" {
		return ""
	}
	return cmp.Or(e.Introduced, e.Fixed, e.LastAffected)
}

// Severity returns the stated severity, high if none is known, and critical for a malicious package.
func (e *advisory) Severity() finding.Severity {
	if strings.HasPrefix(e.ID, "MAL-") {
		return finding.Critical
	}
	switch strings.ToLower(e.Database.Severity) {
	case "low":
		return finding.Low
	case "moderate", "medium":
		return finding.Medium
	case "critical":
		return finding.Critical
	}
	return finding.High
}

// Compare orders versions of npm (SemVer), Go and Python (PEP 440) by releases and pre-releases: part by part, numbers by value,
// and a word such as "rc" before its release. Build metadata after "+" is ignored.
func Compare(a, b string) int {
	x, y := parts(a), parts(b)
	for i := range max(len(x), len(y)) {
		if c := comparePart(partAt(x, i), partAt(y, i)); c != 0 {
			return c
		}
	}
	return 0
}

// A part of a version is a number or a word; the end of a version is neither.
type part struct {
	number string // without leading zeros; "" for 0
	word   string
	end    bool
}

func partAt(ps []part, i int) part {
	if i < len(ps) {
		return ps[i]
	}
	return part{end: true}
}

// maxParts bounds the work on a stranger's version.
const maxParts = 64

func parts(v string) []part {
	v, _, _ = strings.Cut(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(v)), "v"), "+")
	var out []part
	worded := false
	for len(v) > 0 && len(out) < maxParts {
		n := 0
		switch {
		case isDigit(v[0]):
			for n < len(v) && isDigit(v[n]) {
				n++
			}
			out = append(out, part{number: strings.TrimLeft(v[:n], "0")})
		case isLetter(v[0]):
			for n < len(v) && isLetter(v[n]) {
				n++
			}
			if word := (part{word: v[:n]}); !worded && word.rank() < 1 { // 1.0rc1 and 1.0.0-rc.1 precede the same release
				for len(out) > 1 && out[len(out)-1] == (part{}) {
					out = out[:len(out)-1]
				}
			}
			worded = true
			out = append(out, part{word: v[:n]})
		default:
			n = 1
		}
		v = v[n:]
	}
	return out
}

func isDigit(b byte) bool  { return '0' <= b && b <= '9' }
func isLetter(b byte) bool { return 'a' <= b && b <= 'z' }

// rank orders kinds of parts: pre-release words, the end and zero, post-release words, numbers.
func (p part) rank() int {
	switch {
	case p.word == "post" || p.word == "rev" || p.word == "r":
		return 2
	case p.word == "dev":
		return -1
	case p.word != "":
		return 0
	case p.end || p.number == "":
		return 1
	}
	return 3
}

func comparePart(a, b part) int {
	if c := cmp.Compare(a.rank(), b.rank()); c != 0 || a.end || b.end {
		return c
	}
	return cmp.Or(cmp.Compare(len(a.number), len(b.number)), cmp.Compare(a.number, b.number), cmp.Compare(a.word, b.word))
}
