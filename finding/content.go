package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// ContentHash hashes a definition in canonical form with SHA-256, in hexadecimal. A decision about a finding is bound
// to it and becomes invalid when the definition changes.
func ContentHash(canonical string) string {
	h, part := sha256.New(), make([]byte, min(len(canonical), 32<<10)) // avoids copying a long definition
	for rest := canonical; rest != ""; {
		n := copy(part, rest)
		h.Write(part[:n])
		rest = rest[n:]
	}
	return hex.EncodeToString(h.Sum(nil))
}

// JoinContent combines the content hashes of several definitions in any order; a single hash is returned unchanged.
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
