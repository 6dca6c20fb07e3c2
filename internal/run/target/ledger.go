package target

import (
	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/scanner"
	"gauntlet/result"
)

// Ledger returns the report of a scan of the snapshot without checks, on which a capture's exit code is based. Its problems are
// what the server did not provide.
func (c *Captured) Ledger(limits catalog.Limits) (*result.Report, error) {
	snapshot, err := catalog.Parse("", c.Text, limits)
	if err != nil {
		return nil, err
	}
	r := scanner.Run(snapshot, scanner.Options{Checks: []*check.Check{}})
	r.Problems = nil
	for _, g := range c.Gaps {
		r.Problems = append(r.Problems, finding.Problem{Kind: finding.Unread, Message: g.Method + ": " + g.Message})
	}
	return r, nil
}
