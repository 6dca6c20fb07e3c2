// Package suggest finds the names that a mistyped one may stand for.
package suggest

import (
	"slices"
	"strings"
)

// Names returns the names that a mistyped one may stand for: at most three, best first.
// They contain it, or few of its letters are wrong. Letter case does not matter.
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

// edits counts the bytes to insert, delete or replace to turn a into b.
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

// Question turns near names into the end of a message, "" if there are none. Each name is
// written behind the prefix.
func Question(names []string, prefix string) string {
	if len(names) == 0 {
		return ""
	}
	return "; did you mean " + prefix + strings.Join(names, " or "+prefix) + "?"
}
