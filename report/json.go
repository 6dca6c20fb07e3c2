package report

import (
	"bufio"

	"gauntlet/finding"
	"gauntlet/result"
)

var _ = formats.register("json", "for programs: the whole report, as in docs/schemas/report.schema.json", writeJSON)

// writeJSON writes the form that docs/schemas/report.schema.json describes: the summary
// first, one finding, problem, rule … a line, so that two reports can be compared with diff.
// Lists are never null.
func writeJSON(w *bufio.Writer, r *result.Report, _ Options) error {
	s := newJSONStream(w)
	s.openBracket("", '{')
	s.writeValue("schema_version", r.SchemaVersion)
	s.writeValue("tool", r.Tool)
	s.writeValue("summary", withAllSeverities(r.Summary))
	if r.Gate != "" {
		s.writeValue("gate", r.Gate)
	}
	writeAttacks(s, r.Attacks)
	if r.Rates != nil {
		writeElements(s, "rates", r.Rates, itself)
	}
	if r.Expectations != nil {
		writeElements(s, "expectations", r.Expectations, itself)
	}
	writeVettings(s, r.Vetted)
	if r.Probing != nil {
		s.writeValue("probing", r.Probing)
	}
	var c finding.Finding // one for all: a copy each would be the costliest part
	writeElements(s, "findings", r.Findings, func(f *finding.Finding) any {
		c = *f
		if c.Taxonomy == nil {
			c.Taxonomy = []finding.TaxonomyRef{}
		}
		return &c
	})
	writeElements(s, "suppressed", r.Suppressed, func(f *result.Suppressed) any {
		c := *f
		if c.Finding.Taxonomy == nil {
			c.Finding.Taxonomy = []finding.TaxonomyRef{}
		}
		return &c
	})
	writeElements(s, "suppressions", r.Suppressions, itself)
	if r.Imported != nil {
		s.openBracket("imported", '{')
		writeElements(s, "files", r.Imported.Files, itself)
		writeElements(s, "findings", r.Imported.Findings, itself)
		s.writeValue("gates", r.Imported.Gates)
		s.closeBracket('}')
	}
	writeAdvisory(s, r.Advisory)
	writeCoverage(s, r)
	writeElements(s, "skipped", r.Skipped, itself)
	writeElements(s, "problems", r.Problems, itself)
	writeClients(s, r.Clients)
	writeSandboxes(s, r.Sandboxes)
	writeElements(s, "rules", r.Rules, func(rule *result.Rule) any {
		c := *rule
		if c.Taxonomy == nil {
			c.Taxonomy = []finding.TaxonomyRef{}
		}
		return &c
	})
	s.closeBracket('}')
	return s.finishStream()
}

// writeAttacks writes the runs of attack documents, and the verdict of the only one by
// itself as well, under the name that it has in the format (OATF §9.3).
func writeAttacks(s *jsonStream, runs []result.AttackRun) {
	if runs == nil {
		return
	}
	if len(runs) == 1 && runs[0].Verdict != nil {
		s.writeValue("verdict", runs[0].Verdict)
	}
	writeElements(s, "attacks", runs, func(a *result.AttackRun) any {
		c := *a
		if c.Actors == nil {
			c.Actors = []result.ActorRun{}
		}
		if c.Notices == nil {
			c.Notices = []result.Notice{}
		}
		return &c
	})
}

// writeAdvisory writes what models say, if any was asked.
func writeAdvisory(s *jsonStream, all []result.Advisory) {
	if all == nil {
		return
	}
	writeElements(s, "advisory", all, func(a *result.Advisory) any {
		c := *a
		if c.Findings == nil {
			c.Findings = []result.AdvisoryFinding{}
		}
		if c.Unjudged == nil {
			c.Unjudged = []result.NotJudged{}
		}
		return &c
	})
}

// writeCoverage writes the members coverage and posture, which SARIF carries as well.
func writeCoverage(s *jsonStream, r *result.Report) {
	s.openBracket("coverage", '{')
	writeElements(s, "servers", r.Coverage.Servers, func(c *result.ServerCoverage) any {
		d := *c
		if d.Lists == nil {
			d.Lists = []result.ListCoverage{}
		}
		return &d
	})
	writeElements(s, "fields", r.Coverage.Fields, itself)
	writeElements(s, "checks", r.Coverage.Checks, itself)
	if t := r.Coverage.Trace; t != nil {
		d := *t
		if d.Servers == nil {
			d.Servers = []string{}
		}
		s.writeValue("trace", &d)
	}
	s.closeBracket('}')
	writeElements(s, "posture", r.Posture, itself)
}

// writeClients writes the member clients, if configurations were asked for.
func writeClients(s *jsonStream, c *result.Clients) {
	if c == nil {
		return
	}
	s.openBracket("clients", '{')
	writeElements(s, "files", c.Files, itself)
	writeElements(s, "entries", c.Entries, func(e *result.ClientEntry) any {
		d := *e
		if d.Servers == nil {
			d.Servers = []string{}
		}
		if d.Tools == nil {
			d.Tools = []string{}
		}
		return &d
	})
	writeElements(s, "agents", c.Agents, func(a *result.Agent) any {
		d := *a
		if d.Entries == nil {
			d.Entries = []int{}
		}
		return &d
	})
	s.closeBracket('}')
}

func itself[T any](v *T) any { return v }

// withAllSeverities adds the zeros that a reader of by_severity is promised.
func withAllSeverities(s result.Summary) result.Summary {
	by := make(map[string]int, finding.Critical)
	for sev := finding.Info; sev <= finding.Critical; sev++ {
		by[sev.String()] = s.BySeverity[sev.String()]
	}
	s.BySeverity = by
	return s
}
