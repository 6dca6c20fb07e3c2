package packaging

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
)

var _ = register(check.Check{
	ID: "GNT-606", Name: "deprecated-package", Severity: finding.Low, Maturity: check.Experimental, Needs: check.Package,
	Taxonomy: "MCP04:2025 weak, ASI04 weak, CWE-1104 close, L6 close, L3 weak",
	Axis:     "supply-chain", Source: "https://docs.npmjs.com/deprecating-and-undeprecating-packages-or-package-versions",
	Doc: `The registry says that the package, or this version of it, is deprecated, retracted or yanked. Vulnerabilities in it will not be fixed.

Not reported: packages that are merely old.`,
	Advice: "Switch to its replacement; the message often names it.",
	Run: func(p *check.Pass) {
		p.Looked(1)
		if why := p.Package.Facts.Deprecated; why != "" {
			p.ReportPackage(check.PackageReport{Quote: why, Message: "its registry says that it is deprecated: " + excerpt.Quote(why, 200), Identity: []string{"deprecated"}})
		}
	},
})
