package scanrun

import (
	"slices"

	"gauntlet/internal/engine/scanner"
	"gauntlet/internal/run/redaction"
	"gauntlet/internal/run/target"
	"gauntlet/result"
)

// scanAlone tells those who watch what the checks find in one server, while others are still asked. It is
// called by several goroutines.
func (s *Scan) scanAlone(g *target.Gathered) {
	s.tellFindings(scanner.Run(&g.Catalog, scanner.Options{Checks: s.Checks, Version: s.Reader.Version}), g.Secrets)
}

// tellFindings tells those who watch the findings of a report that goes on, without what servers were given.
func (s *Scan) tellFindings(r *result.Report, given []string) {
	tell := s.Progress.Watcher()
	if tell == nil {
		return
	}
	early := &result.Report{Findings: slices.Clone(r.Findings)}
	if len(given) > 0 {
		redaction.New(given).Report(early)
	}
	tell(early.Findings)
}
