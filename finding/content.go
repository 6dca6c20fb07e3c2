package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// ContentHash hashes one definition in canonical form: 64 hexadecimal digits of SHA-256. A decision
// about a finding is bound to it and becomes invalid when the definition changes.
func ContentHash(canonical string) string {
	sum := sha256.Sum256([]byte(canonical))
	return hex.EncodeToString(sum[:])
}

// JoinContent returns the content hash of a finding about several definitions, given that of each.
// Their order does not matter; a single hash is returned unchanged.
func JoinContent(hashes ...string) string {
	if len(hashes) == 1 {
		return hashes[0]
	}
	sorted := slices.Sorted(slices.Values(hashes))
	h := sha256.New()
	for _, s := range sorted {
		h.Write([]byte(s))
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil))
}
