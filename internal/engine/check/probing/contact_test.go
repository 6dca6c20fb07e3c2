package probing

import (
	"strings"
	"testing"

	"gauntlet/internal/leaf/probe"
	"gauntlet/result"
)

// What an ordinary conversation shows is said, and no more than that.
func TestFillContacts(t *testing.T) {
	for _, tt := range []struct {
		name, id string
		contacts []probe.Contact
		state    result.State
		detail   string // a part of it
	}{
		{"nothing was heard", "encryption", nil, result.NeedsProbe, "needs"},
		{"HTTPS", "encryption", []probe.Contact{{Scheme: "https", Answered: true, Software: []string{"Express"}}}, result.Seen, `"Express"`},
		{"plain HTTP", "encryption", []probe.Contact{{Scheme: "http", Answered: true}}, result.NotSeen, "plain HTTP"},
		{"one of two", "encryption", []probe.Contact{{Place: "a", Scheme: "https", Answered: true}, {Place: "b", Scheme: "http", Answered: true}}, result.NotSeen, "b: "},
		{"one of two is unknown", "encryption", []probe.Contact{{Place: "a", Scheme: "https", Answered: true}, {Place: "b"}}, result.NeedsProbe, "needs"},
		{"refused", "authentication", []probe.Contact{{Refused: 401, Challenge: "Bearer\x1b[2J"}}, result.Seen, `\x1b`},
		{"answered without a token", "authentication", []probe.Contact{{Answered: true}}, result.NotSeen, "without a token"},
		{"answered with one", "authentication", []probe.Contact{{Answered: true, Token: true}}, result.NeedsProbe, "with our token"},
		{"a short session id", "session", []probe.Contact{{Session: 4, Answered: true}}, result.NotSeen, "4 characters"},
		{"a long one", "session", []probe.Contact{{Session: 36, Answered: true}}, result.NeedsProbe, "36 characters"},
		{"the same again", "list-stability", []probe.Contact{{Asked: 1}}, result.Seen, "2 times"},
		{"another one", "list-stability", []probe.Contact{{Asked: 3, Differed: 1}}, result.NotSeen, "1 of 3"},
		{"a page may read", "origin-check", []probe.Contact{{ReadBy: "*"}}, result.NeedsProbe, `"*"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := []result.Signal{{ID: tt.id, State: result.NeedsProbe, Detail: "needs"}}
			FillContacts(s, tt.contacts)
			if s[0].State != tt.state || !strings.Contains(s[0].Detail, tt.detail) {
				t.Errorf("%s: %s", s[0].State, s[0].Detail)
			}
		})
	}
}
