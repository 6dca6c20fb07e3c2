package check

import (
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/leaf/taxonomy"
	"gauntlet/result"
)

// PackageFacts are what is known of a package before it runs.
type PackageFacts struct {
	Label  string // what findings call it: name and version
	Facts  *result.Package
	Number int // among the documents of the scan: see finding.Finding.Input
}

// A PackageReport is what a check has to say about a package.
type PackageReport struct {
	File     string // in the package; "" for the package as a whole
	Line     int    // 0 where no line is meant
	Quote    string // what stands there
	Message  string
	Severity finding.Severity // None: the check's own
	// Identity names what the finding is about across scans, without the version of the package.
	Identity []string
}

// ReportPackage records a finding about a package. Its content is what it quotes, so that a decision
// about it holds until that changes.
func (p *Pass) ReportPackage(r PackageReport) {
	k := p.check
	file := p.Package.Label
	if r.File != "" {
		file += "/" + r.File
	}
	quote := r.Quote[:clipAt(r.Quote, 0, min(len(r.Quote), maxEvidence))]
	f := finding.Finding{
		Rule: k.ID, Name: k.Name, Severity: k.Severity, Message: r.Message, Advice: k.Advice,
		Location: finding.Location{File: file, Line: r.Line}, Taxonomy: taxonomy.Of(k.Taxonomy),
		Fingerprint: finding.Fingerprint(append([]string{string(k.ID)}, r.Identity...)...),
		Evidence:    finding.Evidence{Raw: quote, End: len(quote)},
		Content:     finding.ContentHash(strings.Join(append(r.Identity, r.Quote), "\x00")),
		Input:       p.Package.Number, Order: p.reports, OrderEnd: p.reports,
	}
	if r.Severity != finding.None {
		f.Severity = r.Severity
	}
	p.reports++
	p.res.Findings = append(p.res.Findings, f)
}
