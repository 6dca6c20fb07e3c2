package result

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
)

// ExitReason explains the result of ExitCode for the same arguments.
func (r *Report) ExitReason(floor finding.Severity, allowPartial bool) string {
	attacks := exitCode(r.Attacks)
	switch {
	case r.FailsAt(floor):
		return "a finding has severity " + orHigher(floor)
	case r.FailsImported(floor):
		return "an imported finding has severity " + orHigher(floor)
	case attacks == ExitGate:
		return targets(r.Attacks, (*AttackRun).Exploited) + " complied with an attack"
	case r.Failed() > 0:
		return "an expectation does not hold"
	case attacks == ExitTrouble:
		return "an attack has no verdict or never reached " + targets(r.Attacks, (*AttackRun).unsettled)
	case !r.Complete() && !allowPartial:
		return r.incompleteReason()
	case !r.Complete() && !r.Read():
		return "nothing was read"
	case !r.Complete():
		return "--allow-partial accepts that a part was not read"
	case len(r.Attacks) > 0:
		return strings.Replace(targets(r.Attacks, (*AttackRun).Resisted), " or ", " and ", 1) + " resisted every attack"
	case r.Ungated(floor) > 0:
		return "the only findings of severity " + orHigher(floor) + " are of experimental checks, which --gate stable leaves out"
	case floor == finding.None:
		return "no finding fails the run with --fail-on none"
	}
	return "no finding has severity " + orHigher(floor)
}

// targets names what the runs that count attacked.
func targets(runs []AttackRun, counts func(*AttackRun) bool) string {
	agent, server := false, false
	for i := range runs {
		if counts(&runs[i]) {
			onServer := runs[i].onServer()
			agent, server = agent || !onServer, server || onServer
		}
	}
	switch {
	case agent && server:
		return "the agent or the server"
	case server:
		return "the server"
	}
	return "the agent"
}

// incompleteReason says what is missing: input, or only something that was to be done, such as calls beyond a budget.
func (r *Report) incompleteReason() string {
	unread := func(p finding.Problem) bool { return p.Kind != finding.Limit }
	undone := r.Undone()
	if slices.ContainsFunc(r.Problems, unread) || len(undone) == 0 {
		return "part of the input was not read"
	}
	text := "not everything was done: " + strings.TrimSuffix(undone[0], ".")
	if more := len(undone) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

func orHigher(floor finding.Severity) string {
	if floor == finding.Critical {
		return floor.String()
	}
	return floor.String() + " or higher"
}
