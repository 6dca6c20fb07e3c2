package runstate

import (
	"errors"
	"os"
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/result"
)

// at looks up variables that put the cache below a folder.
func at(dir string) func(string) string {
	return func(name string) string {
		return map[string]string{"HOME": dir, "XDG_CACHE_HOME": dir, "LocalAppData": dir}[name]
	}
}

// A report is read from the file that is named or, where none is, from what the last run in this directory has left.
func TestReadReport(t *testing.T) {
	t.Chdir(t.TempDir())
	getenv := at(t.TempDir())
	const good = `{"schema_version":"1.2","findings":[{"rule":"SEC-001","fingerprint":"f1"}]}`
	texts := map[string]string{"good.json": good, "-": good, "old.json": `{"schema_version":"2.0"}`, "none.json": `{}`, "ten.json": `{"schema_version":"10.0"}`, "no.json": "no JSON"}
	read := func(name string) (string, error) {
		if text, ok := texts[name]; ok {
			return text, nil
		}
		text, err := os.ReadFile(name)
		return string(text), err
	}
	for _, tt := range []struct{ name, err string }{
		{"good.json", ""},
		{"-", ""},
		{"old.json", "old.json: it is not a JSON report of gauntlet scan, version 1"},
		{"none.json", "none.json: it is not a JSON report"},
		{"ten.json", "ten.json: it is not a JSON report"},
		{"no.json", "no.json: "},
		{"missing.json", "missing.json: no such file"},
		{"", "no run in this directory has left findings: name a JSON report with --from"},
	} {
		r, err := ReadReport(tt.name, getenv, read)
		if tt.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), tt.err) {
				t.Errorf("%q: error %v, want %q", tt.name, err, tt.err)
			}
			continue
		}
		if err != nil || len(r.Findings) != 1 || r.Findings[0].Fingerprint != "f1" {
			t.Errorf("%q: %+v, %v", tt.name, r, err)
		}
	}
	texts["-"] = "no JSON"
	if _, err := ReadReport("-", getenv, read); err == nil || !strings.HasPrefix(err.Error(), "standard input: ") {
		t.Errorf("standard input: error %v", err)
	}
	KeepFindings(&result.Report{SchemaVersion: "1.0", Findings: []finding.Finding{{Rule: "SEC-002", Fingerprint: "kept"}}, Problems: []finding.Problem{{Message: "not kept"}}}, getenv)
	r, err := ReadReport("", getenv, read)
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Fingerprint != "kept" || r.Problems != nil {
		t.Errorf("of the last run: %+v, %v", r, err)
	}
	broken := errors.New("broken")
	if _, err := ReadReport("", getenv, func(string) (string, error) { return "", broken }); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "the last run: ") {
		t.Errorf("a last run that cannot be read: %v", err)
	}
	t.Chdir(t.TempDir())
	if _, err := FindReport(getenv); err == nil {
		t.Error("another directory has what this one left")
	}
}
