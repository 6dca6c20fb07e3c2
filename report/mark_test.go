package report

import (
	"strings"
	"testing"
)

func TestExcerptOfLine(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		from, to   int
		want       string
	}{
		{"a part", "name: value", 6, 11, "name: value\n      ^~~~~"},
		{"a place", "name: 値", 6, 6, "name: 値\n      ^~"},
		{"the end", "name:", 5, 5, "name: \n     ^"},
		{"wide characters", "名: 値", 5, 8, "名: 値\n    ^~"},
		{"hostile characters", "a\x1b[2J: b", 7, 8, "a<U+001B>[2J: b\n              ^"},
		{"out of bounds", "ab", -3, 99, "ab\n^~"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(Excerpt(tt.line, tt.from, tt.to, 80), "\n"); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestExcerptOfLongLine(t *testing.T) {
	line := strings.Repeat("é", 1<<20)
	rows := Excerpt(line, 1<<20, 1<<20+2, 80)
	if len(rows) != 2 || !strings.HasPrefix(rows[0], "…é") || !strings.HasSuffix(rows[0], "é…") || strings.TrimLeft(rows[1], " ") != "^" {
		t.Errorf("got %q", rows)
	}
	if rows := Excerpt(line, 0, len(line), 80); len(rows) != 2 || len([]rune(rows[0])) > 80 {
		t.Errorf("got %q", rows)
	}
}
