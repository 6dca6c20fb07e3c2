package scanner_test

import (
	"os"
	"slices"
	"testing"

	"gauntlet/catalog"
	"gauntlet/internal/engine/scanner"
)

// The examples are what the README shows first: the poisoned one has a finding of every
// check of single definitions, the honest one says only what its tools can do, the others
// have one of every check of their lane.
func TestExamples(t *testing.T) {
	for _, tt := range []struct {
		file     string
		want     []string
		baseline string
	}{
		{"../../../examples/poisoned.json", []string{"SEC-001", "SEC-002", "SEC-003", "SEC-004", "SEC-005", "SEC-006", "SEC-007", "SEC-008", "SEC-009", "SEC-016", "SEC-033"}, ""},
		{"../../../examples/honest.json", []string{"SEC-033"}, ""},
		{"../../../examples/multi-server.json", []string{"SEC-010", "SEC-011", "SEC-012", "SEC-013", "SEC-016", "SEC-033", "SEC-034"}, ""},
		{"../../../examples/current.json", []string{"SEC-014", "SEC-015", "SEC-016", "SEC-033"}, "../../../examples/baseline.json"},
		{"../../../examples/current.json", []string{"SEC-016", "SEC-033"}, "../../../examples/current.json"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			opt := scanner.Options{}
			if tt.baseline != "" {
				opt.Baseline = read(t, tt.baseline)
			}
			r := scanner.Run(read(t, tt.file), opt)
			var got []string
			for _, f := range r.Findings {
				if !slices.Contains(got, string(f.Rule)) {
					got = append(got, string(f.Rule))
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("rules that fire: %v, want %v", got, tt.want)
			}
			if !r.Complete() {
				t.Errorf("problems: %+v", r.Problems)
			}
		})
	}
}

func read(t *testing.T, file string) *catalog.Catalog {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Parse(file, string(text), catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Related places have lines in their own file, the baseline's included.
func TestBaselinePlaces(t *testing.T) {
	r := scanner.Run(read(t, "../../../examples/current.json"), scanner.Options{Baseline: read(t, "../../../examples/baseline.json")})
	for _, f := range r.Findings {
		if f.Rule == "SEC-016" || f.Rule == "SEC-033" {
			continue
		}
		if len(f.Related) != 1 || f.Related[0].File != "../../../examples/baseline.json" || f.Related[0].Line < 2 || f.Related[0].EndLine < f.Related[0].Line {
			t.Errorf("%s: related %+v, want one place with lines in the baseline", f.Rule, f.Related)
		}
	}
}

// A baseline of other servers compares nothing, which must not read like "no change".
func TestForeignBaseline(t *testing.T) {
	r := scanner.Run(read(t, "../../../examples/multi-server.json"), scanner.Options{Baseline: read(t, "../../../examples/baseline.json")})
	if len(r.Problems) != 0 { // notebook stands in both
		t.Errorf("problems: %+v", r.Problems)
	}
	r = scanner.Run(read(t, "../../../examples/multi-server.json"), scanner.Options{Baseline: parse(t, `{"servers":[{"name":"x","tools":[]},{"name":"y","tools":[]}]}`)})
	if r.Complete() {
		t.Error("a scan that compared nothing is complete")
	}
	r = scanner.Run(read(t, "../../../examples/current.json"), scanner.Options{Baseline: parse(t, `{"server":{"name":"notebook"},"tools":[],"nextCursor":"2"}`)})
	if len(r.Problems) != 1 || r.Problems[0].Location.File != "b.json" || r.Problems[0].Location.Line != 1 {
		t.Errorf("problems %+v, want that the baseline's list goes on", r.Problems)
	}
}

func parse(t *testing.T, text string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Parse("b.json", text, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
