package check

import (
	"fmt"
	"slices"

	"gauntlet/catalog"
	"gauntlet/result"
)

// runTogether runs a check that compares servers over each group of servers that one agent sees together. What two
// groups have in common is reported once.
func runTogether(k *Check, c *catalog.Catalog, opt Options, sh *shared, res *Result) {
	ledger := result.CheckCoverage{Rule: k.ID, Name: k.Name, State: "ran"}
	before := len(res.Findings)
	for _, group := range largest(opt.Together) {
		part := runPass(k, &catalog.Catalog{Documents: c.Documents, Servers: group}, opt, sh, res)
		ledger.Items += part.Items
		if part.State == "failed" {
			ledger.State, ledger.Reason = part.State, part.Reason
		}
	}
	seen := map[string]bool{}
	kept := res.Findings[:before]
	for _, f := range res.Findings[before:] {
		key := fmt.Sprint(f.Fingerprint, f.Input, f.Order, f.RelatedSpans)
		if !seen[key] {
			kept = append(kept, f)
		}
		seen[key] = true
	}
	res.Findings = kept
	ledger.Findings = len(kept) - before
	res.Checks = append(res.Checks, ledger)
}

// largest returns the groups of several servers that are not part of another: comparing all servers of a group covers its subsets.
func largest(groups [][]*catalog.Server) [][]*catalog.Server {
	sets := make([]map[*catalog.Server]bool, len(groups))
	for i, g := range groups {
		sets[i] = make(map[*catalog.Server]bool, len(g))
		for _, s := range g {
			sets[i][s] = true
		}
	}
	within := func(g []*catalog.Server, set map[*catalog.Server]bool) bool {
		return !slices.ContainsFunc(g, func(s *catalog.Server) bool { return !set[s] })
	}
	var out [][]*catalog.Server
	for i, g := range groups {
		if len(g) < 2 {
			continue
		}
		covered := slices.ContainsFunc(sets[:i], func(o map[*catalog.Server]bool) bool { return within(g, o) }) ||
			slices.ContainsFunc(sets[i+1:], func(o map[*catalog.Server]bool) bool { return len(o) > len(sets[i]) && within(g, o) })
		if !covered {
			out = append(out, g)
		}
	}
	return out
}
