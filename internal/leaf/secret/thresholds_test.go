package secret

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestTextThresholds holds where each judgement of a text turns: every case stands beside one that misses it by one.
func TestTextThresholds(t *testing.T) {
	for _, tt := range []struct {
		rule string
		says func(string) bool
		yes  []string
		no   []string
	}{
		// Three letters, three digits, four turns between them, more than 3.2 bits a character.
		{"random", random,
			[]string{"a1b2c3d4e5", "a1bcde2fghij3k", "1a2345b678c90", "abc123def456ghi", "A1b2C3d4E5"},
			[]string{"a1b2c3d4e", "a1bcde2fghijk", "1a2345b67890", "abcd123efg456", "a1b2a1b2a1b2", "a-b-c-d-e-1-2-3", ""}},
		// A run of six, or sixteen characters with little in them.
		{"placeholder", placeholder,
			[]string{"aB3dqqqqqq9z", "abababababababab", "abcdabcdabcdabcd", "your_key"},
			[]string{"aB3dqqqqq9z", "ababababababab9", "abcdeabcdeabcdea", "yoke"}},
		// Eight characters of which half succeed the one two places before.
		{"interleaved", interleaved,
			[]string{"a1b2c3d4", "a1b2c3x9", "A1b2C3x9"},
			[]string{"a1b2c9x4", "a1b2c3d", ""}},
		// Nine tenths repeat what stands up to twenty places before, at least twice in all.
		{"periodic", periodic,
			[]string{"abababababXb", "abcdefghijabcdefghij", strings.Repeat("abcdefghijklmnopqrst", 2), "aa"},
			[]string{"abXbabababab", "abcdefghijabcdefghi", strings.Repeat("abcdefghijklmnopqrstu", 2), "a", ""}},
		// Eight characters, with a symbol or both letter cases.
		{"strong", strong,
			[]string{"Abcdef12", "abcdef1!", "ABCDEF1!"},
			[]string{"Abcdef1", "abcde1!", "abcdef12", "ABCDEF12", "abcdef1-"}},
		// Three letters and a digit, at most a third of others, and a third class or seven characters.
		{"mixed", mixed,
			[]string{"abc1234", "Abc123", "abc1--", "abc12-", "ABC1234"},
			[]string{"abc123", "ab12345", "abcdefg", "abc1---", "Ab1234", "1234567"}},
		// Hexadecimal digits and hyphens only.
		{"opaque", opaque, []string{"0123456789abcdefABCDEF", "123e4567-e89b", ""}, []string{"0123456789abcdefg", "123_456"}},
	} {
		for _, s := range tt.yes {
			if !tt.says(s) {
				t.Errorf("%s(%q) = false", tt.rule, s)
			}
		}
		for _, s := range tt.no {
			if tt.says(s) {
				t.Errorf("%s(%q) = true", tt.rule, s)
			}
		}
	}
}

func TestLongestRuns(t *testing.T) {
	for _, tt := range []struct {
		text          string
		same, ascends int
	}{
		{"", 0, 0}, {"a", 1, 1}, {"aab", 2, 2}, {"baa", 2, 1}, {"abcdef", 1, 6}, {"abcdeg", 1, 5}, {"xabc", 1, 3},
		{"AbCd", 1, 4}, {"7890", 1, 4}, {"89012", 1, 5}, {"yza", 1, 2}, {"cba", 1, 1},
	} {
		if same, ascends := longestRun(tt.text), ascends(tt.text); same != tt.same || ascends != tt.ascends {
			t.Errorf("%q: a run of %d, ascending %d, want %d, %d", tt.text, same, ascends, tt.same, tt.ascends)
		}
	}
}

// TestValueBehind: a separator within 48 bytes, then at least six bytes with a digit; the last such run counts.
func TestValueBehind(t *testing.T) {
	pad := func(n int) string { return strings.Repeat("-", n) }
	for _, tt := range []struct {
		text string // the label has been cut off
		want string // what stands up to the end; "-" for none
	}{
		{": abc123 x", ": abc123"},
		{": abc12 x", "-"},
		{": abcdef x", "-"},
		{"=abc123", "=abc123"},
		{` is "abc123"`, ` is "abc123`},
		{" is-abc123", "-"},
		{" isabc123", "-"},
		{" as abc123", "-"},
		{": abc123 = def456;", ": abc123 = def456"},
		{": abc123 = def45;", ": abc123"},
		{pad(maxLabel-1) + ":abc123", pad(maxLabel-1) + ":abc123"},
		{pad(maxLabel) + ":abc123", "-"},
		{":" + strings.Repeat(" ", 12) + "abc123", ":" + strings.Repeat(" ", 12) + "abc123"},
		{":" + strings.Repeat(" ", 13) + "abc123", "-"},
		{"", "-"}, {":", "-"}, {" is", "-"}, {" is ", "-"},
	} {
		got := "-"
		if end, ok := valueBehind(tt.text, 0); ok {
			got = tt.text[:end]
		}
		if got != tt.want {
			t.Errorf("behind the label in %q: up to %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestSignedToken: each of the claims of jwt.io's sample makes a token a copy of it, whatever the others are.
func TestSignedToken(t *testing.T) {
	token := func(header, claims, signature string) string {
		enc := base64.RawURLEncoding
		return enc.EncodeToString([]byte(header)) + "." + enc.EncodeToString([]byte(claims)) + "." + signature
	}
	const header = `{"alg":"HS256"}`
	for _, tt := range []struct {
		name, token string
		want        bool
	}{
		{"a token", token(header, `{"sub":"42","name":"Jane","iss":"acme"}`, "x"), true},
		{"no claims of these", token(header, `{}`, "x"), true},
		{"claims that are no texts", token(header, `{"sub":1234567890}`, "x"), true},
		{"the sample's subject", token(header, `{"sub":"1234567890","name":"Jane"}`, "x"), false},
		{"the sample's name", token(header, `{"sub":"42","name":"John Doe"}`, "x"), false},
		{"the RFC's issuer", token(header, `{"iss":"joe"}`, "x"), false},
		{"no algorithm", token(`{"typ":"JWT"}`, `{}`, "x"), false},
		{"no signature", token(header, `{}`, ""), false},
		{"two parts", strings.TrimSuffix(token(header, `{}`, ""), "."), false},
		{"a header that is no JSON", "e30x." + base64.RawURLEncoding.EncodeToString([]byte(`{}`)) + ".x", false},
		{"claims that are no object", token(header, `[]`, "x"), false},
	} {
		if got := signedToken(tt.token); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}

// TestCredentialLabel: a key or a token is a credential unless it is one of a thing that has keys of its own.
func TestCredentialLabel(t *testing.T) {
	for label, want := range map[string]bool{
		"api_key: ": true, "key: ": true, "the access token is ": true, "password = ": true, "Authorization: Bearer ": true, "db_password: ": true,
		"file key: ": false, "primary_key: ": false, "pageToken=": false, "apiToken=": true, "page token=": false, "the primary thing's key: ": true,
		"keyboard: ": false, "secretary: ": false, "name: ": false, "": false, "is ": false,
		"pagetoken=": false, "apitoken=": true, "sortkey: ": false, "key as basic ": true,
	} {
		if got := credentialLabel(label+"X", span{len(label), len(label) + 1}); got != want {
			t.Errorf("%q: %t, want %t", label, got, want)
		}
	}
}

// TestEntropyFloor: a match must have more entropy than its rule asks for; as much is not enough.
func TestEntropyFloor(t *testing.T) {
	for text, want := range map[string]bool{"qmzrkxw": false, "qmzrkxwt": false, "qmzrkxwtb": true} {
		r := &rule{ID: "x", own: true, Entropy: 3} // eight different characters have 3 bits each
		if got := load().judgeMatch(r, text, span{0, len(text)}, span{0, len(text)}); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}
