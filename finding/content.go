package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// ContentHash hashes one definition in canonical form: 64 hexadecimal digits of SHA-256. A decision
// about a finding is bound to it and becomes invalid when the definition changes.
func ContentHash(canonical string) string {
	h, part := sha256.New(), make([]byte, min(len(canonical), 32<<10)) // no second copy of a long definition
	for rest := canonical; rest != ""; {
		n := copy(part, rest)
		h.Write(part[:n])
		rest = rest[n:]
	}
	return hex.EncodeToString(h.Sum(nil))
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
