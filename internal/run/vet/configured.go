package vet

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/run/clientplan"
	"gauntlet/internal/runtime/fetch"
)

// Configured returns a plan's servers as targets: what a package runner would fetch is vetted as that package with its entry's
// arguments and variables, anything else as its command or address. names selects entries; nil for all. missing lists names without
// an entry.
func Configured(p *clientplan.Plan, names []string) (targets []Target, missing []string) {
	missing = slices.Clone(names)
	for _, l := range p.Launches {
		wanted := len(names) == 0
		for _, e := range l.Entries {
			if slices.Contains(names, e.Name) {
				wanted = true
				missing = slices.DeleteFunc(missing, func(n string) bool { return n == e.Name })
			}
		}
		if wanted {
			targets = append(targets, configuredTarget(l))
		}
	}
	return targets, missing
}

func configuredTarget(l *clientplan.Launch) Target {
	t := Target{Name: l.Target.Name}
	run, ok := config.RunsPackage(l.Resolved)
	if ok {
		separator := ":"
		spec, err := fetch.Parse(run.Ecosystem + separator + strings.TrimPrefix(run.Text, "npm:"))
		if err == nil {
			t.Spec, t.Args, t.Env, t.Guard = spec, run.Args, l.Target.Env, l.Target.Guard
			return t
		}
	}
	server := l.Target.Server
	t.Server = &server
	return t
}
