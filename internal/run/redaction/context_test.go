package redaction

import "testing"

// What stands around the evidence is shown up to the first value that is hidden, and not beyond: an
// excerpt may be cut within a value.
func TestContextEndsAtHiddenValues(t *testing.T) {
	v := New([]string{"KEY=hunter2-hunter2"})
	for _, tt := range []struct{ text, after, before string }{
		{"nothing to hide", "nothing to hide", "nothing to hide"},
		{"a hunter2-hunter2 b", "a [KEY]", "[KEY] b"},
		{"a hunter2-hunter2 b hunter2-hunter2 c", "a [KEY]", "[KEY] c"},
		{"hunter2-hunter2", "[KEY]", "[KEY]"},
		{"a hunter2-hunter2 [b] c", "a [KEY]", "[KEY] [b] c"},
	} {
		if got := v.contextAfter(tt.text); got != tt.after {
			t.Errorf("behind: %q became %q, want %q", tt.text, got, tt.after)
		}
		if got := v.contextBefore(tt.text); got != tt.before {
			t.Errorf("in front: %q became %q, want %q", tt.text, got, tt.before)
		}
	}
}
