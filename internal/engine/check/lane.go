package check

import (
	"slices"
	"strings"
)

// SourceSEC is the public page that defines SEC-001 to SEC-016 and SEC-033 to SEC-035.
const SourceSEC = "https://mcptest.sh/docs/security/running-security-checks"

// A Lane collects the checks of a package while its variables are initialized, before any function runs, so that it is
// complete when Checks is called. The zero Lane is ready for use.
type Lane struct{ checks []*Check }

// Register adds a check and returns the lane's copy for a package variable.
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
