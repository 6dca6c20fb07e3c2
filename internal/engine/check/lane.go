package check

import (
	"slices"
	"strings"
)

// SourceSEC is the public page that defines SEC-001 to SEC-016 and SEC-033 to SEC-035.
const SourceSEC = "https://mcptest.sh/docs/security/running-security-checks"

// A Lane collects the checks of one package as its variables are initialised, which is
// before any function runs: the set is complete when Checks is first called. The zero
// Lane is empty and ready.
type Lane struct{ checks []*Check }

// Register adds a check. It returns the lane's copy, so that a package variable can hold it.
func (l *Lane) Register(c Check) *Check {
	l.checks = append(l.checks, &c)
	return &c
}

// Checks returns the lane's checks by id.
func (l *Lane) Checks() []*Check {
	out := slices.Clone(l.checks)
	slices.SortFunc(out, func(a, b *Check) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return out
}
