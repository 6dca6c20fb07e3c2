package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

// reportSites reports the places of some kinds, one finding each.
func reportSites(p *check.Pass, severity func(sink.Site) finding.Severity, kinds ...sink.SiteKind) {
	p.Looked(p.Source.Files)
	for _, s := range p.Source.Sites {
		for _, k := range kinds {
			if s.Kind != k {
				continue
			}
			p.ReportSource(check.SourceReport{
				At: s.At, Tool: s.Tool, Message: s.Name + ": " + s.Why, Severity: severity(s),
				Identity: []string{string(s.Kind), s.Name, s.At.File},
			})
		}
	}
}
