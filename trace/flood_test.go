package trace

import (
	"testing"
	"time"
)

func TestFloodMeter(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(1000, 0).Add(time.Duration(ms) * time.Millisecond) }
	for _, tt := range []struct {
		name string
		n    int // messages
		over int // milliseconds that they take
		want int // floods that are told
	}{
		{"as many as may be, at once", FloodMessages, 0, 0},
		{"one more", FloodMessages + 1, 0, 1},
		{"one more, over a window", FloodMessages + 1, 1000, 1},
		{"as many in each of two windows", 2 * FloodMessages, 2002, 0},
		{"many times as many are told once", 10 * FloodMessages, 5000, 1},
	} {
		var f FloodMeter
		told := 0
		for n := range tt.n {
			if f.Count(at(n * tt.over / max(1, tt.n-1))) {
				told++
			}
		}
		if told != tt.want {
			t.Errorf("%s: told %d times, want %d", tt.name, told, tt.want)
		}
	}
}
