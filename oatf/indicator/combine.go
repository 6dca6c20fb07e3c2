package indicator

import (
	"slices"

	"gauntlet/oatf"
	"gauntlet/verdict"
)

// ComputeVerdict combines the verdicts of indicators, by id, into that of the attack (§9.2, SDK §4.5). An indicator
// without a verdict counts as skipped. An attack without indicators is an error.
func ComputeVerdict(attack *oatf.Attack, verdicts map[string]verdict.Indicator) verdict.Attack {
	list := make([]verdict.Indicator, len(attack.Indicators))
	for n := range attack.Indicators {
		i := &attack.Indicators[n]
		v, ok := verdicts[i.ID]
		if !ok {
			v = verdict.Indicator{Result: verdict.Skipped, Evidence: "it was not evaluated"}
		}
		v.ID, v.Tier = i.ID, string(i.Tier)
		list[n] = v
	}
	return combine(attack, list)
}

func combine(attack *oatf.Attack, list []verdict.Indicator) verdict.Attack {
	out := verdict.Attack{ID: attack.ID, Indicators: list}
	for i := range list {
		out.Summary.Add(list[i].Result)
		if list[i].Result == verdict.Matched && tierRank(list[i].Tier) > tierRank(out.MaxTier) {
			out.MaxTier = list[i].Tier
		}
	}
	all := attack.Correlation != nil && attack.Correlation.Logic == oatf.LogicAll
	out.Outcome, out.Reason = outcome(out.Summary, len(list), all)
	return out
}

// outcome is the algorithm of §9.2. An error may hide anything, so it takes precedence over matches; if nothing was
// evaluated, nothing is known.
func outcome(s verdict.Summary, indicators int, all bool) (verdict.Outcome, string) {
	switch {
	case indicators == 0:
		return verdict.Failed, ErrNoIndicators.Error()
	case s.Skipped == indicators:
		return verdict.Failed, "every indicator was skipped, so nothing was evaluated"
	case s.Error > 0:
		return verdict.Failed, "an indicator could not be evaluated"
	case s.Matched == indicators, s.Matched > 0 && !all:
		return verdict.Exploited, ""
	case s.Matched > 0:
		return verdict.Partial, ""
	}
	return verdict.NotExploited, ""
}

// tierRank orders tiers; unknown tiers rank lowest.
func tierRank(tier string) int {
	if tier == "" {
		return -2
	}
	return slices.Index([]oatf.Tier{oatf.TierIngested, oatf.TierLocalAction, oatf.TierBoundaryBreach}, oatf.Tier(tier))
}
