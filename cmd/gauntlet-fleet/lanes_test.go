package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gauntlet/result"
)

// One plan puts targets of several kinds through several lanes, on one machine; every target has its SARIF, and what is not
// done is in the report with its reason.
func TestLanes(t *testing.T) {
	dir := t.TempDir()
	writeSnapshots(t, dir, 1, "")
	plan := filepath.Join(dir, "lanes.yaml")
	text := `
targets:
  - agent: builtin:victim
  - snapshots/s00000.json
  - missing.json
lanes:
  - lane: scan
    options: {fail-on: none}
  - lane: attack
    documents: [tool-poisoning]
`
	if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	reports := filepath.Join(dir, "reports")
	cmd := exec.Command(os.Args[0], "run", "--directory", reports, "--quiet", plan)
	cmd.Env = append(os.Environ(), role+"=program")
	out, _ := cmd.CombinedOutput() // the exit code says
	if code := cmd.ProcessState.ExitCode(); code != result.ExitGate {
		t.Errorf("exit code %d, want 1 since the victim complied: %s", code, out)
	}
	written, err := os.ReadFile(filepath.Join(reports, "fleet.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r result.Fleet
	if err := json.Unmarshal(written, &r); err != nil {
		t.Fatal(err)
	}
	if s := r.Summary; s.Complete || s.Done != 2 || s.Jobs != 2 || s.Counts["exploited"] != 1 || s.Counts["high"]+s.Counts["critical"] == 0 {
		t.Errorf("summary %+v, want the scan's finding and the attack's outcome", s)
	}
	if len(r.Left) != 1 || r.Left[0].Reason != "no such file" {
		t.Errorf("left %+v, want the missing file", r.Left)
	}
	for _, target := range r.Targets {
		if _, err := os.Stat(filepath.Join(reports, filepath.FromSlash(target.Page))); target.Page == "" || err != nil {
			t.Errorf("%s has the page %q: %v", target.Name, target.Page, err)
		}
	}
	if files, err := filepath.Glob(filepath.Join(reports, "sarif", "*.sarif")); err != nil || len(files) != 2 {
		t.Errorf("SARIF files %q (%v), want one a target", files, err)
	}
}
