package check

import (
	"slices"
	"strings"
)

// SourceSEC is the public page that defines SEC-001 to SEC-016 and SEC-033 to SEC-035.
const SourceSEC = "https://mcptest.sh/docs/security/running-security-checks"

// NewLane returns the two ends of a list of checks: checks lists them by id, and register adds one and returns it. A package registers
// its checks while its variables are initialized, before any function runs, so that the list is complete when it is asked for.
func NewLane() (checks func() []*Check, register func(Check) *Check) {
	var all []*Check
	checks = func() []*Check {
		return slices.SortedFunc(slices.Values(all), func(a, b *Check) int { return strings.Compare(string(a.ID), string(b.ID)) })
	}
	register = func(c Check) *Check {
		all = append(all, &c)
		return &c
	}
	return checks, register
}
