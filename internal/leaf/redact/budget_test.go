package redact

import "testing"

// A view is searched while the budget lasts, to its last byte and not beyond.
func TestBudget(t *testing.T) {
	if got := allowance(10); got != 10*budget+4096 {
		t.Errorf("a text of 10 bytes may take %d bytes of views", got)
	}
	const long, short, escaped = "s3cr3t-v", "s3cr3t-", "%733cr3t-v"
	for _, tt := range []struct {
		name   string
		secret string
		left   int
		do     func(*search)
		found  int
	}{
		{"what escapes stand for, with nothing left", long, len(escaped), func(s *search) { s.searchText(view{text: []byte(escaped)}, maxCodes) }, 1},
		{"what escapes stand for, one byte short", long, len(escaped) - 1, func(s *search) { s.searchText(view{text: []byte(escaped)}, maxCodes) }, 0},
		{"a code that fits", long, len(long), func(s *search) { s.code(view{text: []byte(long)}, maxCodes) }, 1},
		{"a code one byte too long", long, len(long) - 1, func(s *search) { s.code(view{text: []byte(long)}, maxCodes) }, 0},
		{"a short code that fits", short, len(short), func(s *search) { s.code(view{text: []byte(short)}, 1) }, 1},
		{"a short code one byte too long", short, len(short) - 1, func(s *search) { s.code(view{text: []byte(short)}, 1) }, 0},
	} {
		s := &search{Redactor: New([]string{"K=" + tt.secret}), left: tt.left}
		if tt.do(s); len(s.spans) != tt.found {
			t.Errorf("%s: %d found, want %d", tt.name, len(s.spans), tt.found)
		}
	}
}
