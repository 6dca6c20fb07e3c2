package scanner

import (
	"fmt"
	"slices"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/result"
)

// judgeAskings runs the checks of single definitions over what servers said at other times: a server may show its
// poison only to another client, or after a list has changed. Findings that the catalog or an earlier asking has are
// not repeated. first is the document number of the first asking.
func judgeAskings(r *result.Report, checks []*check.Check, opt Options, first int) {
	checks = slices.DeleteFunc(slices.Clone(checks), func(k *check.Check) bool { return k.Needs&^check.Definitions != 0 })
	if len(checks) == 0 {
		return
	}
	known := map[string]bool{}
	for i := range r.Findings {
		known[r.Findings[i].Fingerprint] = true
	}
	for i := range opt.Askings {
		a := &opt.Askings[i]
		res := check.Run(a.Catalog, checks, check.Options{PerItem: opt.PerItem})
		for _, f := range res.Findings {
			if known[f.Fingerprint] {
				continue
			}
			known[f.Fingerprint] = true
			f.Message = fmt.Sprintf("asked as %q: %s", a.As, f.Message)
			if a.After != "" {
				f.Message = "asked after " + a.After + ": " + f.Message
			}
			f.Input = first + i
			for s := range f.RelatedSpans {
				f.RelatedSpans[s].Input = first + i
			}
			r.Findings = append(r.Findings, f)
			countFinding(r.Coverage.Checks, f.Rule)
		}
		for _, p := range res.Problems {
			p.Input = first + i
			r.Problems = append(r.Problems, p)
		}
	}
}

func countFinding(checks []result.CheckCoverage, rule finding.Rule) {
	for i := range checks {
		if checks[i].Rule == rule {
			checks[i].Findings++
		}
	}
}
