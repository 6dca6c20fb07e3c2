package finding

import (
	"crypto/sha256"
	"encoding/hex"
)

// Fingerprint hashes what identifies a finding across scans to 32 hexadecimal digits. parts are UTF-8 and are kept separate.
func Fingerprint(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0xFF}) // never part of UTF-8
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
