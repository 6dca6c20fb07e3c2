package vet

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/runtime/fetch"
	"gauntlet/result"
)

// Limits on advisories.
const (
	maxAdvisoryFile = 16 << 20  // bytes of one file
	maxAdvisories   = 512 << 20 // bytes of a downloaded export
	maxListed       = 200       // advisories listed in a report, and as many about the package itself
)

// lookUpAdvisories looks up the package and its installed dependencies in the user's advisories.
func (v *vetting) lookUpAdvisories(ctx context.Context) {
	switch {
	case v.Advisories == "":
		v.skipped(stepAdvisories, "no advisories were named (--osv)")
		return
	case v.fetched.Ecosystem == "":
		v.skipped(stepAdvisories, "its ecosystem has no advisories")
		return
	}
	v.begin("reading advisories")
	s := &advisorySearch{own: packageKey(v.fetched.Ecosystem, v.fetched.Name), wanted: map[string][]fetch.Dependency{}}
	for _, d := range append([]fetch.Dependency{{Ecosystem: v.fetched.Ecosystem, Name: v.fetched.Name, Version: v.fetched.Version}}, v.fetched.Packages...) {
		key := packageKey(d.Ecosystem, d.Name)
		s.wanted[key] = append(s.wanted[key], d)
	}
	if err := s.read(ctx, v.Advisories); err != nil {
		if ctx.Err() == nil {
			v.failed(stepAdvisories, err)
		}
		return
	}
	v.fetched.Facts.Advisories = s.found
	text := fmt.Sprintf("%d advisories read, %d are about it or what it depends on", s.count, len(s.found))
	if s.bad > 0 {
		text += fmt.Sprintf("; %d could not be read", s.bad)
	}
	v.done(stepAdvisories, "%s", text)
}

// An advisorySearch searches advisories about packages.
type advisorySearch struct {
	own        string
	wanted     map[string][]fetch.Dependency
	found      []result.PackageAdvisory
	count, bad int
	ofOwn      int // matches about the package itself
}

// read reads an export: a directory of JSON files, a JSON file, a zip of them, or a URL of either.
func (s *advisorySearch) read(ctx context.Context, place string) error {
	if fetch.IsWeb(place) {
		text, err := fetch.Get(ctx, place, "application/zip, application/json", maxAdvisories)
		if err != nil {
			return err
		}
		return s.take(ctx, text)
	}
	info, err := os.Stat(place)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		if info.Size() > maxAdvisories {
			return fmt.Errorf("%s has more than %d bytes", place, maxAdvisories)
		}
		text, err := os.ReadFile(place)
		if err != nil {
			return err
		}
		return s.take(ctx, text)
	}
	if err := s.takeAll(ctx, os.DirFS(place)); err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	return nil
}

// takeAll reads every JSON file of a folder or an archive.
func (s *advisorySearch) takeAll(ctx context.Context, files fs.FS) error {
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if !d.Type().IsRegular() || path.Ext(name) != ".json" {
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > maxAdvisoryFile {
			s.bad++
			return nil
		}
		text, err := fs.ReadFile(files, name)
		if err != nil || s.takeJSON(text) != nil {
			s.bad++
		}
		return nil
	})
}

// take reads a JSON text or a zip of them.
func (s *advisorySearch) take(ctx context.Context, text []byte) error {
	if !bytes.HasPrefix(text, []byte("PK")) {
		return s.takeJSON(text)
	}
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return err
	}
	return s.takeAll(ctx, z)
}

func (s *advisorySearch) takeJSON(text []byte) error {
	entries, bad, err := parseAdvisory(text)
	if err != nil {
		return err
	}
	s.bad += bad
	for i := range entries {
		s.count++
		s.compare(&entries[i])
	}
	return nil
}

// full reports whether no more advisories are listed. Those about the package itself have their own limit, so that others cannot
// crowd them out.
func (s *advisorySearch) full(own bool) bool {
	if own {
		return s.ofOwn == maxListed
	}
	return len(s.found)-s.ofOwn == maxListed
}

// compare records an advisory once per affected package and version.
func (s *advisorySearch) compare(e *advisory) {
	seen := map[fetch.Dependency]bool{}
	for _, key := range e.Names() {
		for _, d := range s.wanted[key] {
			fixed, ok := e.Match(d.Ecosystem, d.Name, d.Version)
			if !ok || seen[d] || s.full(key == s.own) {
				continue
			}
			seen[d] = true
			a := result.PackageAdvisory{ID: e.ID, Aliases: e.Aliases, Package: d.Name, Version: d.Version, Summary: e.Summary, Fixed: fixed, Severity: e.Severity(), Own: key == s.own}
			if !a.Own && a.Severity < finding.Critical {
				a.Severity = min(a.Severity, finding.Medium)
			}
			if a.Own {
				s.ofOwn++
			}
			s.found = append(s.found, a)
		}
	}
}

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
