package packaging

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/result"
)

var _ = register(check.Check{
	ID: "GNT-608", Name: "manifest-mismatch", Severity: finding.High, Maturity: check.Experimental, Needs: check.Package,
	Taxonomy: "MCP04:2025 exact, ASI04 close, CWE-345 close, CWE-506 weak, L6 close, L3 weak",
	Axis:     "supply-chain", Source: "https://blog.vlt.sh/blog/the-massive-hole-in-the-npm-ecosystem",
	Doc: `The registry says other than the archive what the package is: its name or version, what it depends on, what it runs when it is
installed, or its programs. The client obeys the registry, and whoever reads the archive sees something else (manifest confusion).

Not reported: other members of the manifest, and what registries add to it by themselves.`,
	Advice: "Do not install it, and tell the registry.",
	Run: func(p *check.Pass) {
		p.Looked(1)
		for _, o := range p.Package.Facts.Odd {
			if o.Kind == result.OddManifest {
				p.ReportPackage(check.PackageReport{Quote: o.Package, Message: "the registry and the archive differ: " + excerpt.Clip(o.Detail, 300), Identity: []string{o.Kind, o.Package}})
			}
		}
	},
})
