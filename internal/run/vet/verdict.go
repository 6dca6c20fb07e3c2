package vet

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

// maxReasons is how many findings a verdict names.
const maxReasons = 3

// judge sets the verdict. It follows from the severest finding, and where there is none from what was read.
func (v *vetting) judge(r *result.Report) {
	w := &v.what
	w.Depth = v.reached()
	for i := range r.Findings {
		w.Findings = append(w.Findings, r.Findings[i].Fingerprint)
	}
	grave, some := slices.DeleteFunc(atLeast(r.Findings, finding.High), isCapability), atLeast(r.Findings, finding.Medium)
	switch {
	case len(grave) > 0:
		w.Verdict, w.Reasons = result.Refuse, findingReasons(grave)
	case w.Depth == "" && len(some) == 0:
		w.Verdict, w.Reasons = result.Unknown, v.unreadReasons()
		if len(r.Problems) == 0 {
			r.Problems = append(r.Problems, v.nothingExamined())
		}
	case len(some) > 0:
		w.Verdict, w.Reasons = result.Review, findingReasons(some)
	case v.anyFailed():
		w.Verdict, w.Reasons = result.Review, v.unreadReasons()
	case len(v.cutReasons()) > 0:
		w.Verdict, w.Reasons = result.Review, v.cutReasons()
	default:
		w.Verdict, w.Reasons = result.Accept, []string{"nothing of severity medium or above was found in its " + v.lookedAt()}
		if rest := v.unreadReasons(); rest != nil {
			w.Reasons = append(w.Reasons, rest...)
		}
	}
}

// isCapability reports whether a finding tells what tools can do together. That is for the user to weigh:
// nothing in it speaks against who wrote them.
func isCapability(f finding.Finding) bool { return f.Rule == "SEC-035" }

// atLeast returns the findings of at least a severity, the severest first.
func atLeast(fs []finding.Finding, floor finding.Severity) []finding.Finding {
	var out []finding.Finding
	for i := range fs {
		if fs[i].Severity >= floor {
			out = append(out, fs[i])
		}
	}
	slices.SortStableFunc(out, func(a, b finding.Finding) int { return int(b.Severity) - int(a.Severity) })
	return out
}

func findingReasons(fs []finding.Finding) []string {
	var out []string
	for i := range fs[:min(len(fs), maxReasons)] {
		f := &fs[i]
		place := f.Location.Item
		if place != "" {
			place = " (" + place + ")"
		}
		out = append(out, fmt.Sprintf("%s, %s%s: %s", f.Severity, f.Name, place, f.Message))
	}
	if n := len(fs) - len(out); n > 0 {
		out = append(out, fmt.Sprintf("%d more", n))
	}
	return out
}

// reached is the deepest level of which something was done.
func (v *vetting) reached() string {
	for _, d := range []Depth{Behaviour, Source, Definitions} {
		if v.stepState(string(d)) == result.StepDone {
			return string(d)
		}
	}
	return ""
}

func (v *vetting) stepState(step string) string {
	for _, s := range v.what.Steps {
		if s.Name == step {
			return s.State
		}
	}
	return ""
}

func (v *vetting) anyFailed() bool {
	return slices.ContainsFunc(v.what.Steps, func(s result.VettingStep) bool { return s.State == result.StepFailed })
}

// lookedAt names what was read.
func (v *vetting) lookedAt() string {
	var parts []string
	for _, d := range []Depth{Definitions, Source, Behaviour} {
		if v.stepState(string(d)) == result.StepDone {
			parts = append(parts, string(d))
		}
	}
	if v.fetched != nil {
		parts = append(parts, "package")
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// cutReasons says what was read in part only: a package may hide behind a limit.
func (v *vetting) cutReasons() []string {
	out := slices.Clone(v.unprobed)
	for _, p := range v.problems {
		if p.Kind == finding.Limit || p.Kind == finding.Malformed {
			out = append(out, p.Message)
		}
	}
	return out[:min(len(out), maxReasons)]
}

// unreadReasons says what was not looked at, nil for nothing.
func (v *vetting) unreadReasons() []string {
	var out []string
	for _, s := range v.what.Steps {
		level := slices.Contains(Depths(), s.Name)
		if s.State == result.StepFailed || level && s.State == result.StepNotDone {
			out = append(out, s.Name+" not looked at: "+s.Detail)
		}
	}
	return out
}
