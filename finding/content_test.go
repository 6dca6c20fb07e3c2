package finding

import "testing"

func TestContentHashIsSHA256(t *testing.T) {
	// Of FIPS 180-2, appendix B.1.
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got := ContentHash("abc"); got != want {
		t.Errorf("ContentHash(abc) = %s, want %s", got, want)
	}
}

func TestJoinContent(t *testing.T) {
	a, b := ContentHash("a"), ContentHash("b")
	if got := JoinContent(a); got != a {
		t.Errorf("one definition: %s, want its own hash %s", got, a)
	}
	if JoinContent(a, b) != JoinContent(b, a) {
		t.Error("the order of the definitions counts")
	}
	different := map[string]bool{a: true, b: true}
	for _, hashes := range [][]string{{}, {a, b}, {a, a}, {a, b, b}, {a, a, b}} {
		h := JoinContent(hashes...)
		if different[h] || len(h) != 64 {
			t.Errorf("JoinContent(%q) = %s, which is not 64 digits of its own", hashes, h)
		}
		different[h] = true
	}
}
