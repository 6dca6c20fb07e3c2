package packaging

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "GNT-603", Name: "package-integrity-mismatch", Severity: finding.Critical, Maturity: check.Experimental, Needs: check.Package,
	Taxonomy: "MCP04:2025 exact, ASI04 close, CWE-345 exact, CWE-353 weak, L6 close, L3 weak",
	Axis:     "supply-chain", Source: "https://cwe.mitre.org/data/definitions/345.html",
	Doc: `The hash of the downloaded archive differs from the one that its registry or the reference to it states. An intermediary, a
mirror or the registry itself serves something else.

Not reported if no hash is stated; the report then says that the archive could not be compared.`,
	Advice: "Do not install it. Download it again from another network, and tell the registry if the mismatch persists.",
	Run: func(p *check.Pass) {
		p.Looked(1)
		if why := p.Package.Facts.Mismatch; why != "" {
			p.ReportPackage(check.PackageReport{Message: why, Identity: []string{"mismatch"}})
		}
	},
})
