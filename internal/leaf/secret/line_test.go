package secret

import (
	"strings"
	"testing"
)

func TestLineAround(t *testing.T) {
	long := strings.Repeat("x", 2*maxLine)
	for _, tt := range []struct {
		text       string
		start, end int
		want       string
	}{
		{"before\nkey=1\nafter", 7, 10, "key=1"},
		{"before\nkey=1\nafter", 7, 12, "key=1"},
		{"before\nkey=1\nafter", 11, 12, "key=1"},
		{"key=1", 0, 5, "key=1"},
		{"\nkey\n", 1, 4, "key"},
		{long + "key" + long, len(long), len(long) + 3, long[:maxLine] + "key" + long[:maxLine]},
	} {
		got := lineAround(tt.text, span{tt.start, tt.end})
		if tt.text[got.start:got.end] != tt.want {
			t.Errorf("%.20q from %d to %d: %.20q, want %.20q", tt.text, tt.start, tt.end, tt.text[got.start:got.end], tt.want)
		}
	}
}
