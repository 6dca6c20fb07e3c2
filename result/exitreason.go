package result

import "gauntlet/finding"

// ExitReason explains the result of ExitCode for the same arguments.
func (r *Report) ExitReason(floor finding.Severity, allowPartial bool) string {
	attacks := exitCode(r.Attacks)
	switch {
	case r.FailsAt(floor):
		return "a finding has severity " + orHigher(floor)
	case r.FailsImported(floor):
		return "an imported finding has severity " + orHigher(floor)
	case attacks == ExitGate:
		return "the agent complied with an attack"
	case r.Failed() > 0:
		return "an expectation does not hold"
	case attacks == ExitTrouble:
		return "an attack has no verdict or never reached the agent"
	case !r.Complete() && !allowPartial:
		return "part of the input was not read"
	case !r.Complete() && !r.Read():
		return "nothing was read"
	case !r.Complete():
		return "--allow-partial accepts that a part was not read"
	case len(r.Attacks) > 0:
		return "the agent resisted every attack"
	case r.Ungated(floor) > 0:
		return "the only findings of severity " + orHigher(floor) + " are of experimental checks, which --gate stable leaves out"
	case floor == finding.None:
		return "no finding fails the run with --fail-on none"
	}
	return "no finding has severity " + orHigher(floor)
}

func orHigher(floor finding.Severity) string {
	if floor == finding.Critical {
		return floor.String()
	}
	return floor.String() + " or higher"
}
