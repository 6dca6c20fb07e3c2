package packaging

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/result"
)

var _ = register(check.Check{
	ID: "GNT-607", Name: "odd-dependency", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Package,
	Taxonomy: "MCP04:2025 close, ASI04 close, CWE-829 close, CWE-494 weak, L6 close, L3 weak",
	Axis:     "supply-chain", Source: "https://cwe.mitre.org/data/definitions/829.html",
	Doc: `Installing the package brings in something that is not a version of a package of the registry, so that no registry, hash or
advisory speaks for it.

Severity medium for a dependency by address (a git repository, a URL, a file or folder of the machine, or a host that the
package led its client to), and for one that the registry does not have, so that anybody may publish it; low for one that
comes inside another archive, or of which no hash is known; info for packages that stand under the name of another one,
and for those that are not installed on this system (optional ones for another one, for instance), which were not read.`,
	Advice: "Read what the dependency is and where it comes from, and prefer a version that depends on the registry alone.",
	Run: func(p *check.Pass) {
		p.Looked(1)
		for _, o := range p.Package.Facts.Odd {
			severity := map[string]finding.Severity{result.OddAddress: finding.Medium, result.OddBundled: finding.Low, result.OddUnverified: finding.Low, result.OddAbsent: finding.Info, result.OddAlias: finding.Info, result.OddFree: finding.Medium}[o.Kind]
			if severity == finding.None {
				continue
			}
			p.ReportPackage(check.PackageReport{
				Severity: severity, Quote: o.Package, Identity: []string{o.Kind, nameOf(o.Package)},
				Message: fmt.Sprintf("%s: %s", excerpt.Quote(o.Package, 90), excerpt.Clip(o.Detail, 300)),
			})
		}
	},
})
