package finding

import "testing"

// Parts that read alike once joined are still different parts.
func TestFingerprintKeepsPartsApart(t *testing.T) {
	seen := map[string][]string{}
	for _, parts := range [][]string{{}, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"", "ab"}, {"ab", ""}, {"b", "a"}} {
		f := Fingerprint(parts...)
		if len(f) != 32 {
			t.Errorf("Fingerprint(%q) = %q: want 32 digits", parts, f)
		}
		if other, twice := seen[f]; twice {
			t.Errorf("%q and %q have one fingerprint", parts, other)
		}
		seen[f] = parts
	}
}
