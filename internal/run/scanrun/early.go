package scanrun

import (
	"slices"

	"gauntlet/internal/engine/scanner"
	"gauntlet/internal/run/redaction"
	"gauntlet/internal/run/target"
	"gauntlet/result"
)

// scanAlone reports to viewers what the checks find in one server while others are still asked. It is safe for concurrent use.
func (s *Scan) scanAlone(g *target.Gathered) {
	s.tellFindings(scanner.Run(&g.Catalog, scanner.Options{Checks: s.Checks, Version: s.Reader.Version}), g.Secrets)
}

// tellFindings reports a partial report's findings to viewers, without what servers were given.
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
