package scanner_test

import (
	"slices"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/engine/scanner"
	"gauntlet/result"
)

// configs is one configuration with an unpinned package, which GNT-101 reports, and a
// problem of its own.
func configs() []config.File {
	at := config.Place{Pointer: "/mcpServers/s", Line: 3, Column: 5}
	e := config.Entry{Client: "cursor", File: "mcp.json", Name: "s", Place: at, Transport: config.Stdio, Command: "npx", CommandAt: at, Args: []config.Value{config.NewValue("some-mcp", at)}}
	return []config.File{{
		Client: "cursor", Path: "mcp.json", Entries: []config.Entry{e},
		Problems: []finding.Problem{{Kind: finding.Malformed, Message: "odd", Location: finding.Location{File: "mcp.json", Line: 9}}},
	}}
}

// Configurations are judged beside servers: their findings come last, under the same gate.
func TestConfigurationsAreJudgedBesideServers(t *testing.T) {
	c, err := catalog.Parse("a.json", poisoned, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	r := scanner.Run(c, scanner.Options{Configs: configs()})
	last := r.Findings[len(r.Findings)-1]
	if last.Rule != "GNT-101" || last.Location.File != "mcp.json" || last.Location.Line != 3 || r.Findings[len(r.Findings)-2].Rule != "SEC-001" {
		t.Errorf("findings %v", r.Findings)
	}
	if r.Summary.Findings != len(r.Findings) || r.Summary.BySeverity["medium"] == 0 || r.Complete() || r.Problems[0].Location.Line != 9 {
		t.Errorf("summary %v, problems %v", r.Summary, r.Problems)
	}
	ran := slices.ContainsFunc(r.Coverage.Checks, func(k result.CheckCoverage) bool {
		return k.Rule == "GNT-101" && k.State == "ran" && k.Items == 1 && k.Findings == 1
	})
	if !ran || !slices.ContainsFunc(r.Rules, func(k result.Rule) bool { return k.ID == "GNT-108" && len(k.Taxonomy) > 0 }) {
		t.Errorf("ledger %v", r.Coverage.Checks)
	}
}

func TestConfigurationsAlone(t *testing.T) {
	files := configs()
	files[0].Problems = nil
	r := scanner.Run(&catalog.Catalog{}, scanner.Options{Configs: files})
	if !r.Complete() || len(r.Findings) != 1 || r.ExitCode(finding.High, false) != result.ExitOK || r.ExitCode(finding.Medium, false) != result.ExitGate {
		t.Errorf("%v, problems %v", r.Findings, r.Problems)
	}
	r = scanner.Run(&catalog.Catalog{}, scanner.Options{Configs: files, Checks: []*check.Check{}, ConfigChecks: []*config.Check{}})
	if r.Complete() || len(r.Skipped) < len(config.Checks()) {
		t.Error("a scan without any check reads like a clean one")
	}
}

// A scan without configurations says nothing of them.
func TestNoConfigurations(t *testing.T) {
	r := scanner.Run(&catalog.Catalog{}, scanner.Options{})
	for _, k := range r.Rules {
		if k.ID == "GNT-101" {
			t.Error("the rules of configurations are listed")
		}
	}
	if r.Complete() {
		t.Error("a scan of nothing is complete")
	}
}
