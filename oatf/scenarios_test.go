package oatf

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestScenarios loads every document of the public scenario library, and logs what each is
// warned about.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(suiteDir(t, "scenarios"), "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	var table strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		d, warnings, err := Load(string(text))
		if err != nil {
			t.Errorf("%s:\n%v", filepath.Base(f), err)
			continue
		}
		parsed, err := Parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		written := Serialize(d)
		again, _, err := Load(written)
		if err != nil || Serialize(again) != written {
			t.Errorf("%s: not the same when written and read again: %v", filepath.Base(f), err)
		}
		counts := map[string]int{}
		for _, w := range slices.Concat(warnings, Lint(parsed)) {
			counts[w.Rule]++
		}
		fmt.Fprintf(&table, "%-60s %v\n", filepath.Base(f), counts)
	}
	t.Logf("%d documents load\n%s", len(files), table.String())
}
