package vet

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

const maxReasons = 3

// judge sets the verdict: by the most severe finding, otherwise by what was not done.
func (v *vetting) judge(r *result.Report) {
	w := &v.what
	w.Depth = v.reached()
	for i := range r.Findings {
		w.Findings = append(w.Findings, r.Findings[i].Fingerprint)
	}
	r.Vetted = []result.Vetting{*w}
	undone := r.Undone()
	grave, some := slices.DeleteFunc(atLeast(r.Findings, finding.High), isCapability), atLeast(r.Findings, finding.Medium)
	switch {
	case len(grave) > 0:
		w.Verdict, w.Reasons = result.Refuse, findingReasons(grave)
	case w.Depth == "" && len(some) == 0 && v.read.agents == nil:
		w.Verdict, w.Reasons = result.Unknown, firstReasons(undone)
		if len(undone) == 0 {
			r.Problems = append(r.Problems, v.nothingExamined())
		}
	case len(some) > 0:
		w.Verdict, w.Reasons = result.Review, findingReasons(some)
	case len(undone) > 0:
		w.Verdict, w.Reasons = result.Review, firstReasons(undone)
	default:
		w.Verdict, w.Reasons = result.Accept, []string{"nothing of severity medium or above was found in its " + v.lookedAt()}
		for _, s := range w.Steps {
			if s.State == result.StepSkipped && slices.Contains(Depths(), s.Name) {
				w.Reasons = append(w.Reasons, s.Name+" not looked at: "+s.Detail)
			}
		}
	}
	r.Vetted[0] = *w
}

func firstReasons(all []string) []string {
	out := slices.Clone(all[:min(len(all), maxReasons)])
	if n := len(all) - len(out); n > 0 {
		out = append(out, fmt.Sprintf("%d more", n))
	}
	return out
}

// isCapability reports whether a finding describes what tools can do together. That is for the user to weigh, and says nothing
// against the author.
func isCapability(f finding.Finding) bool { return f.Rule == "SEC-035" }

// atLeast returns the findings of at least a severity, most severe first.
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
	for i := range fs {
		f := &fs[i]
		place := f.Location.Item
		if place != "" {
			place = " (" + place + ")"
		}
		out = append(out, fmt.Sprintf("%s, %s%s: %s", f.Severity, f.Name, place, f.Message))
	}
	return firstReasons(out)
}

// reached returns the deepest level at which something was done.
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

// lookedAt names what was read.
func (v *vetting) lookedAt() string {
	var parts []string
	for _, d := range []Depth{Definitions, Source, Behaviour} {
		if v.stepState(string(d)) == result.StepDone {
			parts = append(parts, string(d))
		}
	}
	if v.read.agents != nil {
		parts = append(parts, stepAgents)
	}
	if v.fetched != nil {
		parts = append(parts, "package")
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}
