package scanner_test

import (
	"bufio"
	"os"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/scanner"
	"gauntlet/rawjson"
)

// textRules are the rules that judge what a definition says to a model.
var textRules = map[finding.Rule]bool{
	"SEC-001": true, "SEC-002": true, "SEC-003": true, "SEC-004": true, "SEC-005": true, "SEC-006": true, "SEC-008": true, "MCP-S-004": true,
}

// The families were written by authors who had not read the rules: attackers who must not be caught, honest authors of tools that
// sound dangerous, and maintainers of popular servers. The weights have learnt from all of them since, so this test only holds
// the level that was reached; how much is found at first sight is in docs/figures.md.
func TestFamilies(t *testing.T) {
	for _, tt := range []struct {
		file        string
		least, most int // cases with a finding of severity medium or above
	}{
		{"attacks-1", 75, 80},
		{"attacks-2", 73, 80},
		{"attacks-3", 114, 119},
		{"attacks-4", 90, 95},
		{"attacks-5", 101, 105},
		{"attacks-6", 45, 48},     // 29 at first sight
		{"attacks-7a", 126, 130},  // 58 at first sight
		{"attacks-7b", 125, 130},  // 51 at first sight
		{"attacks-7c", 121, 130},  // 57 at first sight
		{"attacks-8a", 190, 198},  // 108 at first sight
		{"attacks-9a", 280, 301},  // 110 at first sight
		{"attacks-9b", 288, 300},  // 99 of the first 210 at first sight
		{"attacks-10a", 154, 160}, // 125 at first sight
		{"attacks-10c", 64, 70},   // 28 at first sight
		{"honest-1", 0, 1},
		{"honest-2", 0, 2},
		{"honest-3", 0, 1},
		{"honest-4", 0, 0},
		{"honest-5", 0, 3},
		{"honest-6", 0, 1},   // 6 of 40 at first sight
		{"honest-7a", 0, 2},  // 7 at first sight
		{"honest-7b", 0, 2},  // 11 at first sight
		{"honest-7c", 0, 6},  // 17 at first sight
		{"honest-8a", 0, 6},  // 8 at first sight
		{"honest-9a", 0, 6},  // 12 at first sight
		{"honest-9b", 0, 6},  // 11 of the first 175 at first sight
		{"honest-10a", 0, 3}, // 3 of 60 at first sight
		{"honest-10b", 0, 4}, // 11 of 180 at first sight
		{"honest-10c", 0, 2}, // 1 of 70 at first sight
		{"servers-1", 0, 2},  // two that do advertise themselves
		{"servers-2", 0, 1},
		{"servers-3", 0, 0},
		{"servers-4", 0, 0},
		{"servers-5", 0, 0}, // none of 8 at first sight
		{"servers-6", 0, 1}, // 1 of 16 at first sight
	} {
		t.Run(tt.file, func(t *testing.T) {
			flagged, cases := 0, 0
			f, err := os.Open("testdata/families/" + tt.file + ".ndjson")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			lines := bufio.NewScanner(f)
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				cases++
				if flagsText(t, lines.Text()) {
					flagged++
				}
			}
			if err := lines.Err(); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d flagged", flagged, cases)
			if flagged < tt.least || flagged > tt.most {
				t.Errorf("%d of %d cases are flagged, want %d to %d", flagged, cases, tt.least, tt.most)
			}
		})
	}
}

// flagsText reports whether a text rule fires on the snapshot of one case.
func flagsText(t *testing.T, line string) bool {
	t.Helper()
	snapshot := rawjson.LastMember(line, "snapshot")
	c, err := catalog.Parse("case.json", snapshot, catalog.Limits{})
	if err != nil {
		t.Fatalf("%.80s: %v", line, err)
	}
	for _, f := range scanner.Run(c, scanner.Options{}).Findings {
		if textRules[f.Rule] && f.Severity >= finding.Medium {
			return true
		}
	}
	return false
}
