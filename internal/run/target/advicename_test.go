package target

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/runtime/mcpclient"
)

func TestAdviseName(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "files-mcp"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	const url, program = "the URL of a server begins with http", "put -- before its command"
	for _, tt := range []struct{ name, want, not string }{
		{"localhost:3000", url, program},
		{"localhost:3000/mcp", url, program},
		{"10.0.0.1:80", url, program},
		{"localhost:port", "", url},
		{"C:12", "", url}, // a drive
		{"ws://localhost:3000", "no other scheme is supported", program},
		{"files-mcp", program + ": gauntlet scan -- files-mcp", url},
		{"files-mpc", "", program},
	} {
		got := AdviseName(tt.name)
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) || strings.Contains(got, tt.not) || got != "" && !strings.HasPrefix(got, "; ") {
			t.Errorf("AdviseName(%q) = %q, want %q and not %q", tt.name, got, tt.want, tt.not)
		}
	}
}

func TestLedger(t *testing.T) {
	gap := mcpclient.Gap{Method: "tools/list", Message: "timed out"}
	for _, tt := range []struct {
		name     string
		captured Captured
		exit     [2]int // without and with --allow-partial
		problems string
	}{
		{"all was read", Captured{Text: `{"server":{"name":"s"},"tools":[{"name":"a"}]}`}, [2]int{0, 0}, ""},
		{"a list is missing", Captured{Text: `{"server":{"name":"s"},"prompts":[{"name":"a"}]}`, Gaps: []mcpclient.Gap{gap}}, [2]int{2, 0}, "tools/list: timed out"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := tt.captured.Ledger(catalog.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			var problems []string
			for _, p := range r.Problems {
				problems = append(problems, p.Message)
			}
			got := [2]int{r.ExitCode(finding.None, false), r.ExitCode(finding.None, true)}
			if got != tt.exit || strings.Join(problems, "\n") != tt.problems || len(r.Findings) > 0 {
				t.Errorf("exit codes %v, problems %q, %d findings, want %v, %q and none", got, problems, len(r.Findings), tt.exit, tt.problems)
			}
		})
	}
	if _, err := (&Captured{Text: "no snapshot"}).Ledger(catalog.Limits{}); err == nil {
		t.Error("no error for a text that is no snapshot")
	}
}
