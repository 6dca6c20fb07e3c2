package taint

import (
	"slices"
	"strings"
	"testing"
)

// TestOperationTable: each row has an operation and facts that are known, and no function has two.
func TestOperationTable(t *testing.T) {
	known := []string{"number", "text", "path", "part", "ending", "first", "second", "third", "lookup", "below"}
	seen := map[string]bool{}
	for line := range strings.Lines(operationTable) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		if len(fields) < 3 || !slices.Contains(known, fields[0]) {
			t.Errorf("%q: want an operation, facts and functions", line)
			continue
		}
		for _, f := range strings.Split(fields[1], "+") {
			if _, ok := factNames[f]; !ok {
				t.Errorf("%q: no fact is called %s", line, f)
			}
		}
		for _, function := range fields[2:] {
			if seen[function] {
				t.Errorf("%s has two rows", function)
			}
			seen[function] = true
		}
	}
}
