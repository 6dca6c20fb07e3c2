package packaging

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
)

var _ = register(check.Check{
	ID: "GNT-604", Name: "imitated-package-name", Severity: finding.High, Maturity: check.Experimental, Needs: check.Package,
	Taxonomy: "MCP04:2025 close, ASI04 close, CWE-1007 weak, CWE-451 close, L6 close, L3 weak",
	Axis:     "supply-chain", Source: "https://owasp.org/www-project-mcp-top-10/",
	Doc: `The name of the package looks like that of a well-known MCP server or SDK and is another one: a letter is missing, doubled, changed or
swapped with its neighbour, letters of another script or digits look the same, separators differ, the scope is one letter off, or
the scope of an official package is left out. Whoever mistypes a name, or a model that invents one, installs it.

The well-known names are a list that comes with the program (internal/run/vet/popular.txt, with its source and date).
Severity high where the names look alike to the eye or differ by one letter, medium where separators differ or the scope is left out.

Not reported: the well-known names themselves, names below eight letters, and other packages of a scope that is itself well
known. An honest fork with a name that is one letter away is reported too: a person can tell, a program cannot.`,
	Advice: "Compare the name, letter by letter, with the one that you meant.",
	Run: func(p *check.Pass) {
		p.Looked(1)
		if l := p.Package.Facts.Imitates; l != nil {
			p.ReportPackage(check.PackageReport{
				Quote: p.Package.Label, Severity: l.Severity, Identity: []string{l.Name},
				Message: fmt.Sprintf("the name looks like %s, which is another package: %s", excerpt.Quote(l.Name, 90), l.How),
			})
		}
	},
})
