package boundary

import (
	"strings"
	"testing"

	"gauntlet/rawjson"
)

// Words that everybody uses say nothing of where they came from, in any letter case and with white space around them.
func TestIsCommonWord(t *testing.T) {
	for text, want := range map[string]bool{
		"true": true, " TRUE ": true, "application/json": true, "text/plain; charset=utf-8": true, "text/plain;charset=utf-8": true, "image/svg+xml": true,
		"": true, " ": true, "------": true, "aaaa": true, "ää": false, "ab": false, "invoice-4711": false, "application/": false, "jpeg/image": false, "text/plain; boundary=x": false,
		strings.Repeat("-", 100): true, strings.Repeat("-", 101): false,
	} {
		if got := isCommonWord(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// A short text is followed where it can be more than a word or a number that everybody uses.
func TestMayBeDangerous(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "x": false, "rm": true, "12": false, "-1.5e+3": false, "10.0.0.1": true, "::1": true, "1.2.3": false, "true": false, "==": false, "x1": true,
	} {
		if got := mayBeDangerous(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// A short text stands for what a role takes where it has the form of it.
func TestFitsRole(t *testing.T) {
	for _, tt := range []struct {
		role, text string
		want       bool
	}{
		{commandRole, "ls", true}, {pathRole, "notes", false}, {pathRole, "a/b", true}, {pathRole, `a\b`, true}, {pathRole, "~ada", true}, {pathRole, ".env", true}, {pathRole, "a.env", false},
		{addressRole, "example", false}, {addressRole, "example.org", true}, {addressRole, "h:80", true}, {addressRole, "LocalHost", true}, {addressRole, "localhosts", false},
		{credentialRole, "abc12", false}, {credentialRole, "abcd12", true}, {credentialRole, "abcdef", false}, {"", "abcd12", false},
	} {
		if got := fitsRole(tt.role, tt.text); got != tt.want {
			t.Errorf("%s %q: %v, want %v", tt.role, tt.text, got, tt.want)
		}
	}
}

// A declared name is a server's, a tool's, or both with a dot between; it is not split.
func TestNames(t *testing.T) {
	for _, tt := range []struct {
		name, server, tool  string
		serverOrTool, tools bool
	}{
		{"mail", "mail", "send", true, false}, {"mail.send", "mail", "send", true, true}, {"send", "mail", "send", false, true}, {"mail.sent", "mail", "send", false, false},
		{"mail", "mail.send", "", false, false}, {"mail.", "mail", "", true, false}, {"", "mail", "", false, false}, {"a.b.c", "a.b", "c", true, true}, {"a.b.c", "a", "b.c", true, true},
	} {
		if namesServerOrTool(tt.name, tt.server, tt.tool) != tt.serverOrTool || namesTool(tt.name, tt.server, tt.tool) != tt.tools {
			t.Errorf("%q for %s and %s: %v, %v, want %v, %v", tt.name, tt.server, tt.tool, namesServerOrTool(tt.name, tt.server, tt.tool), namesTool(tt.name, tt.server, tt.tool), tt.serverOrTool, tt.tools)
		}
	}
}

func TestMayBeJSON(t *testing.T) {
	for text, want := range map[string]bool{"{}": true, " [1]\n": true, "[}": false, "{]": false, "{": false, "[": false, "": false, "x{}": false, "{}x": false} {
		if got := mayBeJSON(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// A text is long enough by its characters, not by its bytes.
func TestIsSubstantial(t *testing.T) {
	s := newSweep(4)
	for text, want := range map[string]bool{"abc": false, "abcd": true, "äöü": false, "äöüß": true, "𝄞𝄞𝄞": false, "𝄞𝄞𝄞𝄞": true, "": false} {
		if got := s.isSubstantial(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// Equal numbers are written alike, other ones are not.
func TestCanonicalNumber(t *testing.T) {
	write := func(text string) string {
		var tree rawjson.Tree
		if err := tree.Parse(text, 0); err != nil {
			t.Fatal(err)
		}
		return canonicalNumber(tree.Root())
	}
	for _, same := range [][2]string{{"1", "1.0"}, {"100", "1e2"}, {"0", "-0"}, {"1.50", "1.5"}} {
		if a, b := write(same[0]), write(same[1]); a != b {
			t.Errorf("%s is %s, %s is %s", same[0], a, same[1], b)
		}
	}
	for _, other := range [][2]string{{"1", "-1"}, {"1", "1.5"}, {"123456789012345", "123456789012346"}} {
		if a, b := write(other[0]), write(other[1]); a == b {
			t.Errorf("%s and %s are both %s", other[0], other[1], a)
		}
	}
}

// Folding leaves letters in small and white space as one blank, none at the ends.
func TestFoldText(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " \t": "", "A  b\n": "a b", "  ÄÖ\u00a0\u2003x ": "äö x", "a\vb\fc\rd": "a b c d", "a\x08b": "a\x08b", "@[Z": "@[z",
	} {
		if got := foldText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What was added may be held wherever it stands; a text that has a window which was not is not held.
func TestWindows(t *testing.T) {
	w := newWindows(8, 100)
	const text = "The quick brown fox jumps over the lazy dog"
	w.addWindows(text)
	f := foldText(text)
	for i := range len(f) - 8 {
		if !w.hasWindow(f, i) || !w.mayHold(f[i:i+8]) {
			t.Errorf("the window at %d is lost", i)
		}
	}
	for held, want := range map[string]bool{"QUICK  Brown fox": true, "short": true, "the quick brown cat jumps": false, "nowhere to be seen": false, strings.Repeat("nowhere to be seen ", 20): false} {
		if got := w.mayHoldText(held); got != want {
			t.Errorf("%q: %v, want %v", held, got, want)
		}
	}
	if big := newWindows(99, 1<<20); big.size != mostHead || len(big.bits)*64 != 8<<20 {
		t.Errorf("windows of %d bytes, %d bits", big.size, len(big.bits)*64)
	}
	if small := newWindows(4, 0); small.size != 4 || len(small.bits)*64 != leastSieve {
		t.Errorf("windows of %d bytes, %d bits", small.size, len(small.bits)*64)
	}
}

// Each encoding is undone to what was encoded, and told by its name.
func TestForms(t *testing.T) {
	const value = "ada@example.org?q=1"
	for _, f := range encodedForms(value) {
		padded := f.text + strings.Repeat("=", (4-len(f.text)%4)%4)
		found := false
		for _, d := range append(decodedForms(f.text), decodedForms(padded)...) {
			found = found || d.text == value && d.how == f.how
		}
		if !found {
			t.Errorf("%s (%s) is not undone: %+v", f.text, f.how.describeHow(), decodedForms(f.text))
		}
	}
	for how, want := range map[transformation]string{inBase64: "in base64", inHex: "in hex", inURL: "in URL encoding", inFolding: "with other white space or letter case", inBase64 + outOf: "decoded from base64", inJSON + outOf: "decoded from JSON escapes"} {
		if got := how.describeHow(); got != want {
			t.Errorf("%d: %q, want %q", how, got, want)
		}
	}
	for _, plain := range []string{"", "short", "plain words with blanks", "abcdefghijklmno"} {
		if got := decodedForms(plain); len(got) > 0 {
			t.Errorf("%q decodes to %+v", plain, got)
		}
	}
}
