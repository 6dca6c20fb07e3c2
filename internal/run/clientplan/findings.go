package clientplan

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/engine/scanner"
)

// mostFindings bounds the findings shown before asking for consent.
const mostFindings = 20

// DescribeFindings returns the findings of checks (nil for all) in the configurations, one per line, most severe first, for the
// person who decides about a launch.
func (p *Plan) DescribeFindings(checks []*config.Check) []string {
	found := scanner.Run(&catalog.Catalog{}, scanner.Options{Configs: p.Files, ConfigChecks: checks, Checks: []*check.Check{}}).Findings
	slices.SortStableFunc(found, func(a, b finding.Finding) int { return int(b.Severity) - int(a.Severity) })
	var lines []string
	for i := range found {
		if i == mostFindings {
			lines = append(lines, fmt.Sprintf("      and %d more", len(found)-i))
			break
		}
		f := &found[i]
		lines = append(lines, fmt.Sprintf("      %s %s %s: %s (%s:%d)", strings.ToUpper(f.Severity.String()), f.Rule, f.Location.Server, f.Message, f.Location.File, f.Location.Line))
	}
	return lines
}
