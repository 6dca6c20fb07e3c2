// Package policy holds decisions about findings: suppressions, each bound to the content that was judged, with a reason
// and optionally an expiry date.
//
// The file is YAML, conventionally .gauntlet.yaml. Nothing is suppressed silently: Apply moves findings to a separate
// list and records the state of every decision.
package policy

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/result"
)

// Limits of a policy file. A file beyond them is rejected, not truncated.
const (
	MaxBytes   = 2 << 20
	MaxEntries = 5_000
	MaxText    = 2_000 // bytes per reason, owner or definition
)

// A Policy is the content of a file.
type Policy struct {
	File    string // path as given by the user
	Entries []Entry
}

// An Entry is a decision.
type Entry struct {
	Fingerprint string
	Rule        finding.Rule
	Content     string // see finding.Finding.Content
	Definition  string // for readers; nothing depends on it
	Reason      string
	Owner       string
	Expires     Date // the last valid day, in UTC; "" for no end

	Line int // from 1
	// column is the column of its first key, last the line of its last value.
	column, last int
}

// key is unique in a file. A fingerprint may have several contents: two servers with the same name, scanned in turn.
func (e *Entry) key() [2]string { return [2]string{e.Fingerprint, e.Content} }

// Apply moves the findings that a decision covers from r.Findings to r.Suppressed, records the state of every decision in r.Suppressions
// and updates the counts. A decision covers a finding with the same fingerprint, rule and content hash up to its expiry date.
func (p *Policy) Apply(r *result.Report, today Date) {
	out := make([]result.Suppression, len(p.Entries))
	byPrint := map[string][]int{} // entries valid today
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

// matchSuppressions returns the candidate that covers f, -1 if none does. Candidates that differ only in content are marked as changed.
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

// unmet is the state of a decision without a finding.
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
