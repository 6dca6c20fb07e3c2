package scanner_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/scanner"
)

// publicTexts names a folder of public texts: attacks/definitions.ndjson, one object a line with the snapshot of a
// poisoned server, and honest/servers with snapshots of real ones.
const publicTexts = "GAUNTLET_TEXTS"

// worstText returns the gravest severity of the text rules on a snapshot, and how many definitions have a finding of at least medium severity.
func worstText(t *testing.T, name, snapshot string) (worst finding.Severity, flagged int) {
	t.Helper()
	c, err := catalog.Parse(name, snapshot, catalog.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	items := map[string]bool{}
	r := scanner.Run(c, scanner.Options{})
	for _, check := range r.Coverage.Checks {
		if check.State == "failed" {
			t.Errorf("%s: %s %s", name, check.Rule, check.Reason)
		}
	}
	for _, f := range r.Findings {
		if textRules[f.Rule] && f.Severity >= finding.Medium {
			worst = max(worst, f.Severity)
			items[f.Location.Item] = true
		}
	}
	return worst, len(items)
}

// TestPublicAttacks holds what share of published attacks is found. Most of them were learnt from, so the figure is no measure of
// unseen ones: docs/figures.md has that.
func TestPublicAttacks(t *testing.T) {
	dir := os.Getenv(publicTexts)
	if dir == "" {
		t.Skip(publicTexts + " is not set")
	}
	file, err := os.Open(filepath.Join(dir, "attacks", "definitions.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<22)
	all, medium, high := 0, 0, 0
	for lines.Scan() {
		var attack struct {
			ID       string
			Snapshot json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &attack); err != nil {
			t.Fatal(err)
		}
		snapshot := string(attack.Snapshot)
		if !strings.Contains(snapshot, `"tools"`) {
			snapshot = `{"tools": [], ` + strings.TrimLeft(snapshot, "{ ")
		}
		all++
		switch worst, _ := worstText(t, attack.ID, snapshot); {
		case worst >= finding.High:
			high++
			fallthrough
		case worst >= finding.Medium:
			medium++
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d attacks: %d found, %d with high severity", all, medium, high)
	if medium*100 < 95*all || high*100 < 85*all {
		t.Errorf("%d attacks: %d found, %d with high severity; want 95 %% and 85 %%", all, medium, high)
	}
}

// TestRealServers holds how many definitions of real servers are flagged, and that no check fails on any of them.
func TestRealServers(t *testing.T) {
	dir := os.Getenv(publicTexts)
	if dir == "" {
		t.Skip(publicTexts + " is not set")
	}
	files, err := filepath.Glob(filepath.Join(dir, "honest", "servers", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no snapshots: %v", err)
	}
	definitions, flagged, high := 0, 0, 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		worst, n := worstText(t, filepath.Base(name), string(data))
		definitions += strings.Count(string(data), `"inputSchema"`)
		flagged += n
		if worst >= finding.High {
			high++
			t.Logf("high: %s", filepath.Base(name))
		}
	}
	t.Logf("%d servers, about %d definitions: %d flagged, %d servers with a high finding", len(files), definitions, flagged, high)
	if flagged*1000 > 3*definitions || high*200 > len(files) {
		t.Errorf("%d of about %d definitions are flagged, %d of %d servers have a high finding; want at most 3 in 1,000 and 1 in 200", flagged, definitions, high, len(files))
	}
}
