package check

import (
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/leaf/taxonomy"
	"gauntlet/result"
)

// PackageFacts are what is known of a package before it runs.
type PackageFacts struct {
	Label  string // name and version, for findings
	Facts  *result.Package
	Number int // document number in the scan: see finding.Finding.Input
}

// A PackageReport is a check's finding about a package.
type PackageReport struct {
	File     string // in the package; "" for the whole package
	Line     int    // 0 for no line
	Quote    string // text there
	Message  string
	Severity finding.Severity // None: the check's default
	// Identity identifies the finding across scans, without the package's version.
	Identity []string
}

// ReportPackage records a finding about a package. Its content is its quote, so that a decision about it holds until that changes.
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
