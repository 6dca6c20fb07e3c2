package config

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/taxonomy"
)

// A Check is a rule about configurations. It corresponds to check.Check, whose checks see a server's definitions
// instead of a configuration's entries.
type Check struct {
	ID       finding.Rule
	Name     string
	Severity finding.Severity
	Maturity check.Maturity
	Axis     string
	Taxonomy string // as in check.Check
	Doc      string
	Advice   string
	Source   string

	// Run judges all files together.
	Run func(*Pass)
}

// A Pass shows a check the files and takes its findings.
type Pass struct {
	Files []File

	check    *Check
	findings []finding.Finding
	named    map[string]bool // see obeyed
}

// A Report is a check's finding about a place in an entry, or in a file if Entry is nil.
type Report struct {
	File     int // index in Files
	Entry    *Entry
	At       Place
	IsKey    bool
	Evidence string // quoted, with secrets masked
	// Start and End are the byte range of the evidence in the string at the place. If a file keeps command and
	// arguments in one string, they are relative to the argument.
	Start, End int
	Masked     bool // Evidence is already masked
	Message    string
	Severity   finding.Severity // None: the check's default
}

// Run runs checks over the files, in file order. It does no I/O. A check that panics becomes a Problem, and the others run.
func Run(files []File, checks []*Check) (found []finding.Finding, problems []finding.Problem) {
	for _, k := range checks {
		p := &Pass{Files: files, check: k}
		if err := p.runCheck(); err != nil {
			problems = append(problems, finding.Problem{Kind: finding.Failed, Message: err.Error()})
		}
		found = append(found, p.findings...)
	}
	slices.SortStableFunc(found, finding.Compare)
	distinguish(found)
	return found, problems
}

func (p *Pass) runCheck() (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("check %s failed: %v", p.check.ID, e)
		}
	}()
	p.check.Run(p)
	return nil
}

// distinguish gives equal findings in different places different fingerprints by their order.
func distinguish(found []finding.Finding) {
	seen := map[string]int{}
	for i := range found {
		f := &found[i]
		n := seen[f.Fingerprint]
		seen[f.Fingerprint]++
		if n > 0 {
			f.Fingerprint = finding.Fingerprint(f.Fingerprint, fmt.Sprint(n))
		}
	}
}

func (p *Pass) eachEntry(judge func(file int, e *Entry)) {
	for i := range p.Files {
		for j := range p.Files[i].Entries {
			if e := &p.Files[i].Entries[j]; !e.Disabled {
				judge(i, e)
			}
		}
	}
}

const maxEvidence = 300

// Report records a finding.
func (p *Pass) Report(r Report) {
	k, f := p.check, &p.Files[r.File]
	loc := finding.Location{Pointer: r.At.Pointer, IsKey: r.IsKey, File: f.Path, Line: r.At.Line, Column: r.At.Column, EndLine: r.At.EndLine, EndColumn: r.At.EndColumn}
	name, project := "", f.Project
	if r.Entry != nil {
		name, project = r.Entry.Name, r.Entry.Project
		loc.Server, loc.Kind = name, finding.Server
	}
	raw := r.Evidence
	if t := strings.TrimLeft(raw, " \t"); !r.Masked && t != "" {
		r.Start += len(raw) - len(t)
		raw = strings.TrimRight(t, " \t")
		r.End -= len(t) - len(raw)
	}
	if !r.Masked {
		raw = maskSecrets(raw)
	}
	raw = excerpt.Head(raw, maxEvidence)
	out := finding.Finding{
		Rule: k.ID, Name: k.Name, Severity: k.Severity, Message: r.Message, Advice: k.Advice, Location: loc,
		Evidence: finding.Evidence{Raw: raw, Start: r.Start, End: r.End},
		Content:  content(f, r.Entry),
		Taxonomy: taxonomy.Of(k.Taxonomy), Input: r.File, Order: r.At.Start, OrderEnd: r.At.End,
		Fingerprint: finding.Fingerprint(string(k.ID), string(f.Client), project, name, placeWithoutIndex(r.At.Pointer), f.identity(), raw),
	}
	if r.Severity != finding.None {
		out.Severity = r.Severity
	}
	out.Location.Client = string(f.Client)
	p.findings = append(p.findings, out)
}

// identity distinguishes a client's files other than configurations by their base names.
func (f *File) identity() string {
	if f.Role == Configuration {
		return ""
	}
	parts := strings.Split(strings.ReplaceAll(f.Path, `\`, "/"), "/")
	return strings.Join(parts[max(0, len(parts)-3):], "/")
}

// placeWithoutIndex is a pointer without list indexes, so that an added neighbour does not change it.
func placeWithoutIndex(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, s := range parts {
		if s != "" && strings.Trim(s, "0123456789") == "" {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

var registered []*Check

// register adds a check. Package variables are initialized before any function runs, so the set is complete when Checks is called.
func register(c Check) *Check {
	registered = append(registered, &c)
	return &c
}

// Checks returns the checks by id.
func Checks() []*Check {
	out := slices.Clone(registered)
	slices.SortFunc(out, func(a, b *Check) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return out
}
