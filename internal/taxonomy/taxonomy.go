// Package taxonomy ties rules to entries of public catalogues of weaknesses and attacks:
// OWASP MCP Top 10, OWASP Agentic Top 10, CWE, MITRE ATLAS, SAFE-MCP and the MCP-DPT
// defence layers. The ties are data, mapping.tsv, with their sources and licences there.
//
// A tie says how well it fits, so that a report does not claim "this is MCP06" where the
// entry is only a neighbour.
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

// Version is that of mapping.tsv and names.tsv. It rises with any change to them.
const Version = "3"

// The systems, in the order in which Of lists them.
const (
	OWASPMCP     = "OWASP MCP Top 10"
	OWASPAgentic = "OWASP Agentic Top 10"
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
	{CWE, regexp.MustCompile(`^CWE-[1-9][0-9]{0,3}$`)},
	{ATLAS, regexp.MustCompile(`^AML\.T[0-9]{4}(\.[0-9]{3})?$`)},
	{SAFEMCP, regexp.MustCompile(`^SAFE-T[1-9][0-9]{3}$`)},
	{MCPDPT, regexp.MustCompile(`^L[1-6]$`)},
}

var (
	//go:embed mapping.tsv
	mappingText string
	//go:embed names.tsv
	namesText string
)

// table is read on first use, once. Broken data is a mistake of this program that the
// package's own tests report line by line, hence the panic.
var table = sync.OnceValue(func() map[finding.Rule][]finding.TaxonomyRef {
	names, err := parseNames(namesText)
	if err != nil {
		panic(err)
	}
	refs, err := parseMapping(mappingText, names)
	if err != nil {
		panic(err)
	}
	return refs
})

// Of returns the entries a rule is tied to: by system, best-known catalogue first, and
// within one as the data file lists them. A part of a rule that has none of its own has those
// of the rule. It is empty, not nil, for a rule that has none.
// The slice is shared by all callers and must not be changed; appending to it copies.
func Of(rule finding.Rule) []finding.TaxonomyRef {
	for _, r := range []finding.Rule{rule, rule.Base()} {
		if refs := table()[r]; refs != nil {
			return refs
		}
	}
	return []finding.TaxonomyRef{}
}

type entry struct{ system, id string }

// parseNames reads "system, id, name". It returns all errors, with line numbers.
func parseNames(text string) (map[entry]string, error) {
	names := map[entry]string{}
	var errs []error
	for n, f := range fields(text) {
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("names.tsv:%d: %s", n, fmt.Sprintf(format, args...)))
		}
		if len(f) != 3 {
			bad("%d fields, want system, id, name", len(f))
			continue
		}
		e := entry{f[0], f[1]}
		if why := e.wrong(); why != "" {
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

// parseMapping reads "rule, system, id, fit". It returns all errors, with line numbers.
func parseMapping(text string, names map[entry]string) (map[finding.Rule][]finding.TaxonomyRef, error) {
	refs := map[finding.Rule][]finding.TaxonomyRef{}
	var errs []error
	for n, f := range fields(text) {
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("mapping.tsv:%d: %s", n, fmt.Sprintf(format, args...)))
		}
		if len(f) != 4 {
			bad("%d fields, want rule, system, id, fit", len(f))
			continue
		}
		rule, e, fit := finding.Rule(f[0]), entry{f[1], f[2]}, f[3]
		if !rule.Valid() {
			bad("malformed rule id %q", rule)
		}
		if why := e.wrong(); why != "" {
			bad("%s", why)
		}
		if !slices.Contains([]string{"exact", "close", "weak"}, fit) {
			bad("unknown fit %q: want exact, close or weak", fit)
		}
		if slices.ContainsFunc(refs[rule], func(r finding.TaxonomyRef) bool { return r.System == e.system && r.ID == e.id }) {
			bad("%s is tied to %s %s twice", rule, e.system, e.id)
		}
		refs[rule] = append(refs[rule], finding.TaxonomyRef{System: e.system, ID: e.id, Name: names[e], Fit: fit})
	}
	for rule, list := range refs {
		slices.SortStableFunc(list, func(a, b finding.TaxonomyRef) int { return rank(a.System) - rank(b.System) })
		refs[rule] = slices.Clip(list)
	}
	return refs, errors.Join(errs...)
}

// fields yields the tab-separated fields of each line that is no comment, with its
// number from 1.
func fields(text string) func(yield func(int, []string) bool) {
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

// wrong says what is wrong with an entry, "" if nothing.
func (e entry) wrong() string {
	r := rank(e.system)
	if r < 0 {
		return fmt.Sprintf("unknown system %q", e.system)
	}
	if !systems[r].id.MatchString(e.id) {
		return fmt.Sprintf("%q is not of the form %s that %s ids have", e.id, systems[r].id, e.system)
	}
	return ""
}

// rank returns a system's place among systems, -1 if there is none of that name.
func rank(system string) int {
	for i := range systems {
		if systems[i].name == system {
			return i
		}
	}
	return -1
}
