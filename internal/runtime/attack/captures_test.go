package attack

import (
	"fmt"
	"strings"
	"testing"
)

// What templates of an actor see: its own values by their names, all by actor and name, and of
// one name the last.
func TestCapturePrecedence(t *testing.T) {
	type set struct{ actor, name, value string }
	for _, tt := range []struct {
		name  string
		sets  []set
		actor string
		want  map[string]string
	}{
		{"nothing", nil, "a", map[string]string{}},
		{"the last value counts", []set{{"a", "x", "1"}, {"a", "x", "2"}}, "a", map[string]string{"x": "2", "a.x": "2"}},
		{"an empty value counts too", []set{{"a", "x", "1"}, {"a", "x", ""}}, "a", map[string]string{"x": "", "a.x": ""}},
		{"its own value comes before another's of that name", []set{{"a", "x", "own"}, {"b", "x", "other"}}, "a", map[string]string{"x": "own", "a.x": "own", "b.x": "other"}},
		{"another's has no short name", []set{{"b", "x", "other"}}, "a", map[string]string{"b.x": "other"}},
		{"an actor whose name begins like another's", []set{{"ab", "x", "1"}, {"a", "y", "2"}}, "a", map[string]string{"ab.x": "1", "a.y": "2", "y": "2"}},
		{"a name with a dot", []set{{"a", "b.x", "1"}, {"b", "x", "2"}}, "a", map[string]string{"a.b.x": "1", "b.x": "1"}},
		{"the same, for the other", []set{{"a", "b.x", "1"}, {"b", "x", "2"}}, "b", map[string]string{"a.b.x": "1", "b.x": "2", "x": "2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 5 { // the order of a map must not matter
				c := newCaptureStore()
				for _, s := range tt.sets {
					c.setCapture(s.actor, s.name, s.value)
				}
				if got := c.visibleTo(tt.actor); fmt.Sprint(got) != fmt.Sprint(tt.want) {
					t.Fatalf("%v, want %v", got, tt.want)
				}
			}
		})
	}
}

func TestCaptureLimits(t *testing.T) {
	c := newCaptureStore()
	for _, tt := range []struct {
		n   int
		cut bool
	}{{maxCapture - 1, false}, {maxCapture, false}, {maxCapture + 1, true}} {
		if cut := c.setCapture("a", "x", strings.Repeat("v", tt.n)); cut != tt.cut || len(c.visibleTo("a")["x"]) != min(tt.n, maxCapture) {
			t.Errorf("%d bytes: cut %v, want %v; %d are kept", tt.n, cut, tt.cut, len(c.visibleTo("a")["x"]))
		}
	}
	// As many as there is room for, of which the first is replaced again and again.
	c = newCaptureStore()
	whole := strings.Repeat("v", maxCapture)
	for n := range maxCaptured / maxCapture {
		if c.setCapture("a", fmt.Sprint(n), whole) {
			t.Fatalf("value %d has no room", n)
		}
	}
	for range 3 {
		if c.setCapture("a", "0", whole) {
			t.Error("a value has no room in the place of one as long")
		}
	}
	if !c.setCapture("a", "more", "v") || c.visibleTo("a")["more"] != "" {
		t.Error("there is room for more than may be kept")
	}
	c.setCapture("a", "0", "")
	if c.setCapture("a", "more", "v") {
		t.Error("what was replaced by nothing leaves no room")
	}
	if missing, _ := c.missingKeys([]string{"a.0", "a.none", "b.0"}); fmt.Sprint(missing) != "[a.none b.0]" {
		t.Errorf("missing: %v", missing)
	}
}
