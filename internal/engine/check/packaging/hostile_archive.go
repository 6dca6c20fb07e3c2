package packaging

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/result"
)

var _ = register(check.Check{
	ID: "GNT-602", Name: "hostile-archive", Severity: finding.High, Maturity: check.Experimental, Needs: check.Package,
	Taxonomy: "MCP04:2025 close, ASI04 close, CWE-22 close, CWE-409 close, L6 close, L3 weak",
	Axis:     "supply-chain", Source: "https://cwe.mitre.org/data/definitions/409.html",
	Doc: `The archive of the package has entries that no honest tool writes: a path that leaves the archive, a link that leads out of it, a
device or a pipe, or content that unpacks to more than 100 times its size and more than 64 MiB. A program that unpacks it
carelessly overwrites files outside the package or fills the disk.

Nothing of such an archive is installed or started; what could be unpacked safely is read. Links that stay inside are no fault, nor is an
archive that is merely large: that is a limit, and a problem of the report.`,
	Advice: "Do not install it, and do not unpack it by other means.",
	Run: func(p *check.Pass) {
		p.Looked(1)
		for _, f := range p.Package.Facts.Faults {
			if !f.Hostile() {
				continue
			}
			p.ReportPackage(check.PackageReport{Quote: f.Path, Message: faultMessage(f), Identity: []string{f.Kind, f.Path}})
		}
	},
})

func faultMessage(f result.ArchiveFault) string {
	if f.Path == "" {
		return "the archive is built to do harm: " + f.Detail
	}
	return fmt.Sprintf("the archive is built to do harm: %s %s", excerpt.Quote(f.Path, 120), f.Detail)
}
