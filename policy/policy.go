// Package policy holds decisions about findings: suppressions, each bound to the content that was
// judged, with a reason and optionally an expiry date.
//
// The file is YAML, .gauntlet.yaml by custom. Nothing is suppressed silently: Apply moves findings
// to a separate list and records the state of every decision.
package policy

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/result"
)

// The limits of a policy file. A file beyond them is refused, not truncated.
const (
	MaxBytes   = 2 << 20
	MaxEntries = 5_000
	MaxText    = 2_000 // bytes of one reason, owner or definition
)

// A Policy is the content of one file.
type Policy struct {
	File    string // its path as the user gave it
	Entries []Entry
}

// An Entry is one decision.
type Entry struct {
	Fingerprint string
	Rule        finding.Rule
	Content     string // see finding.Finding.Content
	Definition  string // for a reader; nothing depends on it
	Reason      string
	Owner       string
	Expires     Date // the last day on which it holds, in UTC; "" for no end

	Line int // in the file, from 1
	// column is that of its first key, last the line of its last value.
	column, last int
}

// key is what no two entries of a file share. One fingerprint may stand for several
// contents: two servers that name themselves alike, scanned in turn.
func (e *Entry) key() [2]string { return [2]string{e.Fingerprint, e.Content} }

// Apply moves the findings that a decision covers from r.Findings to r.Suppressed, records
// the state of every decision in r.Suppressions and counts anew. A decision covers a
// finding if fingerprint, rule and content hash are the same and today is not past its
// date.
func (p *Policy) Apply(r *result.Report, today Date) {
	out := make([]result.Suppression, len(p.Entries))
	byPrint := map[string][]int{} // entries that hold today
	for i := range p.Entries {
		e := &p.Entries[i]
		out[i].Decision = e.decision(p.File)
		if e.Expires != "" && today > e.Expires {
			out[i].State, out[i].Detail = result.Expired, "it held until "+string(e.Expires)
			continue
		}
		out[i].State, out[i].Detail = unmet(r, e)
		byPrint[e.Fingerprint] = append(byPrint[e.Fingerprint], i)
	}
	kept := make([]finding.Finding, 0, len(r.Findings))
	for i := range r.Findings {
		f := &r.Findings[i]
		if n := matchSuppressions(f, byPrint[f.Fingerprint], out); n >= 0 {
			r.Suppressed = append(r.Suppressed, result.Suppressed{Finding: *f, Decision: out[n].Decision})
		} else {
			kept = append(kept, *f)
		}
	}
	r.Findings = kept
	r.Suppressions = append(r.Suppressions, out...)
	r.Count()
}

// matchSuppressions returns which of the candidates covers f, -1 if none does. Those that would but
// for the content are marked as changed.
func matchSuppressions(f *finding.Finding, candidates []int, all []result.Suppression) int {
	for _, n := range candidates {
		s := &all[n]
		switch {
		case s.Rule != f.Rule:
			s.Detail = fmt.Sprintf("the finding of this fingerprint is of %s", f.Rule)
		case s.Content == f.Content:
			s.State, s.Detail = result.Used, ""
			return n
		case s.State != result.Used:
			s.State, s.Detail = result.Changed, "the definition has changed since the decision"
		}
	}
	return -1
}

// unmet is the state of a decision that meets no finding.
func unmet(r *result.Report, e *Entry) (result.SuppressionState, string) {
	for i := range r.Coverage.Checks {
		if c := &r.Coverage.Checks[i]; c.Rule == e.Rule && c.State == "ran" {
			return result.Unused, "no finding has its fingerprint"
		}
	}
	return result.Unjudged, fmt.Sprintf("%s did not run", e.Rule)
}

func (e *Entry) decision(file string) result.Decision {
	return result.Decision{
		Fingerprint: e.Fingerprint, Rule: e.Rule, Content: e.Content, Definition: e.Definition,
		Reason: e.Reason, Owner: e.Owner, Expires: string(e.Expires), File: file, Line: e.Line,
	}
}
