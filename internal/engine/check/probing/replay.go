package probing

import (
	"slices"

	"gauntlet/finding"
	"gauntlet/internal/leaf/probe"
)

// readFrom are the probes whose exchanges rules rest on, where it is not the probe of the rule itself.
var readFrom = map[finding.Rule][]string{
	"SEC-017": {"P03"}, "SEC-018": {"P01", "P03"}, "GNT-410": {"P02", "P03"}, "SEC-021": {"P11"},
	"GNT-443": {"P31", "P28"}, "GNT-445": {"P27"}, "GNT-450": {"P27"}, "GNT-451": {"P25", "P27"}, "GNT-452": {"P25", "P27"},
}

// Recorded returns the rule of a finding over recorded protocol probes, "" where no rule has the
// fingerprint, and the exchanges that it rests on; nil where it rests on more than exchanges that can be
// sent again as they are.
func Recorded(fingerprint, server string, e *probe.Protocol) (finding.Rule, []probe.Exchange) {
	for _, c := range Checks() {
		if finding.Fingerprint(string(c.ID), server) == fingerprint {
			return c.ID, exchangesOf(c.ID, e)
		}
	}
	return "", nil
}

func exchangesOf(rule finding.Rule, e *probe.Protocol) (out []probe.Exchange) {
	switch rule {
	case "GNT-412":
		return pick(e, func(x *probe.Exchange) bool { return x.Gone })
	case "SEC-020":
		if v := judgeErrors(e); v.By != nil && v.By.ID != "P11" && v.By.ID != "P09" {
			return []probe.Exchange{*v.By}
		}
		return nil
	}
	ids := readFrom[rule]
	for _, p := range table {
		if p.Rule.ID == rule && ids == nil && len(p.Steps)+len(p.ID) > 0 {
			ids = []string{p.ID}
		}
	}
	return pick(e, func(x *probe.Exchange) bool {
		return slices.Contains(ids, x.ID) && x.Step != "metadata" && x.Step != "made-up token"
	})
}

func pick(e *probe.Protocol, wanted func(*probe.Exchange) bool) (out []probe.Exchange) {
	for i := range e.Exchanges {
		if wanted(&e.Exchanges[i]) {
			out = append(out, e.Exchanges[i])
		}
	}
	return out
}

// Wanting says what a replay of a rule has not, without which its probe cannot be sent; "" for nothing.
func Wanting(rule finding.Rule, otherToken, burst bool) string {
	switch {
	case rule == "GNT-447":
		return "it takes a tool that is led to a planted service: probe without --recording"
	case rule == "GNT-446" && !otherToken:
		return "name the token of another user with --other-bearer-env"
	case rule == "SEC-024" && !burst:
		return "a burst is load: --burst N sends one"
	}
	return ""
}

// Unjudged says why evidence shows nothing of a rule over the protocol probes; "" where it shows something.
func Unjudged(rule finding.Rule, e *probe.Protocol) string {
	if judge := judges[rule]; judge != nil {
		if v := judge(e); v.State == Unprobed {
			return v.Text
		}
	}
	return ""
}
