package trace

import (
	"strconv"
	"testing"
)

func TestLabels(t *testing.T) {
	l := NewLabels("c")
	for _, tt := range []struct{ secret, want string }{{"hunter2", "c1"}, {"", ""}, {"hunter3", "c2"}, {"hunter2", "c1"}} {
		if got := l.Of(tt.secret); got != tt.want {
			t.Errorf("Of(%q) = %q, want %q", tt.secret, got, tt.want)
		}
	}
	for n := range maxLabels {
		l.Of(strconv.Itoa(n))
	}
	if got := l.Of("one more"); got != "c?" || l.Of("hunter2") != "c1" || len(l.names) != maxLabels {
		t.Errorf("one beyond the bound is %q with %d remembered", got, len(l.names))
	}
}
