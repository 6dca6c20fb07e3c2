// Package suggest finds names that a mistyped one may stand for.
package suggest

import (
	"slices"
	"strings"
)

// Names returns at most three names that a mistyped one may stand for, best first: those that contain it, or differ in few letters.
// Case is ignored.
func Names(typed string, names []string) []string {
	type candidate struct {
		name  string
		edits int
	}
	typed = strings.ToLower(typed)
	var found []candidate
	for _, name := range names {
		lower := strings.ToLower(name)
		n := edits(typed, lower)
		if n <= min(3, max(1, len(typed)/2)) || len(typed) > 2 && strings.Contains(lower, typed) {
			found = append(found, candidate{name, n})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.edits - b.edits })
	var out []string
	for _, c := range found[:min(len(found), 3)] {
		out = append(out, c.name)
	}
	return out
}

// edits returns the byte insertions, deletions and replacements that turn a into b.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Question returns the end of a message that suggests names, each after the prefix, or "".
func Question(names []string, prefix string) string {
	if len(names) == 0 {
		return ""
	}
	return "; did you mean " + prefix + strings.Join(names, " or "+prefix) + "?"
}
