// Package taxonomy ties rules to entries of public catalogues of weaknesses and attacks: OWASP MCP Top 10, OWASP Agentic Top 10,
// OWASP Agentic Skills Top 10, CWE, MITRE ATLAS, SAFE-MCP and the MCP-DPT defence layers. A rule names its ties itself, see
// [Parse]; names.tsv has the entries' names with their sources and licences.
//
// A tie is graded, so that a report does not claim "this is MCP06" where the entry is only related:
//
//   - exact: the entry is about precisely what the rule reports;
//   - close: the entry covers it, among other things;
//   - weak: the entry is related, useful for searching, without a claim that it covers the rule.
//
// Grades are cautious. An id whose definition was not read (ATLAS, SAFE-MCP) is never exact, nor is a layer of MCP-DPT, whose
// assignment is ours: the primary layer is close, the secondary weak.
package taxonomy

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gauntlet/finding"
)

// Version is the version of the ties and names.tsv. It increases with any change to them.
const Version = "6"

// The systems, in the order in which Of lists them.
const (
	OWASPMCP     = "OWASP MCP Top 10"
	OWASPAgentic = "OWASP Agentic Top 10"
	OWASPSkills  = "OWASP Agentic Skills Top 10"
	CWE          = "CWE"
	ATLAS        = "MITRE ATLAS"
	SAFEMCP      = "SAFE-MCP"
	MCPDPT       = "MCP-DPT"
)

var systems = []struct {
	name string
	id   *regexp.Regexp
}{
	{OWASPMCP, regexp.MustCompile(`^MCP(0[1-9]|10):2025$`)},
	{OWASPAgentic, regexp.MustCompile(`^ASI(0[1-9]|10)$`)},
	{OWASPSkills, regexp.MustCompile(`^AST(0[1-9]|10)$`)},
	{CWE, regexp.MustCompile(`^CWE-[1-9][0-9]{0,3}$`)},
	{ATLAS, regexp.MustCompile(`^AML\.T[0-9]{4}(\.[0-9]{3})?$`)},
	{SAFEMCP, regexp.MustCompile(`^SAFE-T[1-9][0-9]{3}$`)},
	{MCPDPT, regexp.MustCompile(`^L[1-6]$`)},
}

//go:embed names.tsv
var namesText string

// entryNames is parsed once, on first use. Broken data is a bug that the package's tests report line by line, hence the panic.
var entryNames = sync.OnceValue(func() map[entry]string {
	names, err := parseNames(namesText)
	if err != nil {
		panic(err)
	}
	return names
})

// parsed caches the results of Of by argument: a scan calls it once per finding.
var parsed sync.Map

// Of returns the entries that ties name, see [Parse]: by system, best-known catalogue first, and in the order given within one. It
// skips malformed ties, and is empty, not nil, if none are left. The slice is shared and must not be modified; appending to it
// copies.
func Of(ties string) []finding.TaxonomyRef {
	if refs, ok := parsed.Load(ties); ok {
		return refs.([]finding.TaxonomyRef)
	}
	refs, _ := parseTies(ties)
	parsed.Store(ties, refs)
	return refs
}

// Parse parses a rule's ties, "ID FIT, ID FIT": "MCP03:2025 exact, CWE-1427 close". It returns all errors, including missing ties:
// every rule needs an entry of both OWASP lists and of CWE, and two layers of MCP-DPT.
func Parse(ties string) ([]finding.TaxonomyRef, error) {
	if ties == "" {
		return nil, errors.New("no ties")
	}
	refs, errs := parseTies(ties)
	count := map[string]int{}
	for _, r := range refs {
		count[r.System]++
		if r.Fit == "exact" && slices.Contains([]string{ATLAS, SAFEMCP, MCPDPT}, r.System) {
			errs = append(errs, fmt.Errorf("%s is graded exact, and its definition was not read", r.ID))
		}
		if r.Name == "" && r.System != ATLAS && r.System != SAFEMCP {
			errs = append(errs, fmt.Errorf("%s has no name in names.tsv", r.ID))
		}
	}
	for _, system := range []string{OWASPMCP, OWASPAgentic, CWE} {
		if count[system] == 0 {
			errs = append(errs, fmt.Errorf("no entry of %s", system))
		}
	}
	if count[MCPDPT] != 2 {
		errs = append(errs, fmt.Errorf("%d layers of %s, want a primary and a secondary one", count[MCPDPT], MCPDPT))
	}
	return refs, errors.Join(errs...)
}

// parseTies returns the well-formed ties, and the errors of the others.
func parseTies(ties string) (refs []finding.TaxonomyRef, errs []error) {
	refs = []finding.TaxonomyRef{}
	for tie := range strings.SplitSeq(ties, ", ") {
		id, fit, _ := strings.Cut(tie, " ")
		system := systemOf(id)
		switch {
		case system == "":
			errs = append(errs, fmt.Errorf("%q is not an id of a known catalogue", id))
		case fit != "exact" && fit != "close" && fit != "weak":
			errs = append(errs, fmt.Errorf("%s: unknown fit %q: want exact, close or weak", id, fit))
		case slices.ContainsFunc(refs, func(r finding.TaxonomyRef) bool { return r.ID == id }):
			errs = append(errs, fmt.Errorf("%s stands twice", id))
		default:
			refs = append(refs, finding.TaxonomyRef{System: system, ID: id, Name: entryNames()[entry{system, id}], Fit: fit})
		}
	}
	slices.SortStableFunc(refs, func(a, b finding.TaxonomyRef) int { return systemRank(a.System) - systemRank(b.System) })
	return slices.Clip(refs), errs
}

// systemOf returns the catalogue by an id's form, or "".
func systemOf(id string) string {
	for i := range systems {
		if systems[i].id.MatchString(id) {
			return systems[i].name
		}
	}
	return ""
}

type entry struct{ system, id string }

// parseNames parses "system, id, name". It returns all errors, with line numbers.
func parseNames(text string) (map[entry]string, error) {
	names := map[entry]string{}
	var errs []error
	for n, f := range tabbedFields(text) {
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("names.tsv:%d: %s", n, fmt.Sprintf(format, args...)))
		}
		if len(f) != 3 {
			bad("%d fields, want system, id, name", len(f))
			continue
		}
		e := entry{f[0], f[1]}
		if why := e.describeFault(); why != "" {
			bad("%s", why)
		}
		if f[2] == "" || f[2] != strings.TrimSpace(f[2]) {
			bad("the name %q is empty or has space around it", f[2])
		}
		if _, dup := names[e]; dup {
			bad("%s %s is named twice", e.system, e.id)
		}
		names[e] = f[2]
	}
	return names, errors.Join(errs...)
}

// tabbedFields yields the tab-separated fields of each line that is no comment, with its number from 1.
func tabbedFields(text string) func(yield func(int, []string) bool) {
	return func(yield func(int, []string) bool) {
		n := 0
		for line := range strings.Lines(text) {
			n++
			line = strings.TrimRight(line, "\r\n")
			if line == "" || line[0] == '#' {
				continue
			}
			if !yield(n, strings.Split(line, "\t")) {
				return
			}
		}
	}
}

// describeFault says what is wrong with an entry, or returns "".
func (e entry) describeFault() string {
	r := systemRank(e.system)
	if r < 0 {
		return fmt.Sprintf("unknown system %q", e.system)
	}
	if !systems[r].id.MatchString(e.id) {
		return fmt.Sprintf("%q is not of the form %s that %s ids have", e.id, systems[r].id, e.system)
	}
	return ""
}

// systemRank returns a system's index, or -1 if it is unknown.
func systemRank(system string) int {
	for i := range systems {
		if systems[i].name == system {
			return i
		}
	}
	return -1
}
