package text

import (
	"bytes"
	"compress/gzip"
	"encoding/base32"
	"encoding/base64"
	"io"
	"strings"
)

// maxInflated is the most that is taken out of a compressed run, in bytes: what is said to
// a model is shorter, and a bomb is not.
const maxInflated = 64 << 10

// inflate returns what a gzip stream holds, at most maxInflated bytes of it, nil if data
// is none.
func inflate(data []byte) []byte {
	if len(data) < 18 || data[0] != 0x1F || data[1] != 0x8B {
		return nil
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	out, err := io.ReadAll(io.LimitReader(r, maxInflated))
	if err != nil && len(out) == 0 {
		return nil
	}
	return out
}

// base32Blob reads n characters at s[at:] in either alphabet of RFC 4648 base32. A run of
// capitals is only taken for it if it decodes to text.
func base32Blob(s string, at, n int) Blob {
	run := s[at : at+n]
	if strings.IndexFunc(run, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') }) >= 0 {
		return Blob{}
	}
	data, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(run)
	if err != nil || !readable(data) {
		data, err = base32.HexEncoding.WithPadding(base32.NoPadding).DecodeString(run)
	}
	if err != nil || len(data) < 8 || !readable(data) {
		return Blob{}
	}
	end := at + n
	for end < len(s) && s[end] == '=' {
		end++
	}
	return withText(Blob{Encoding: "base32", Start: at, End: end}, data)
}

// The groups of base64 that is written apart.
const (
	minGroup  = 2
	maxGroup  = minBase64 - 1
	minGroups = 6
)

// spacedBase64 reads base64 in short groups with one space, full stop or line break between them. Words are groups
// as well, so the run is only taken for base64 if all of it decodes to text.
func spacedBase64(s string, at, n int) Blob {
	if n < minGroup || n > maxGroup || at > 1 && partsGroups(s[at-1]) && isBase64(s[at-2]) {
		return Blob{} // within a row that was looked at from its start
	}
	groups, end, mixed := 0, at, false
	for i := at; i < len(s); {
		m := 0
		for i+m < len(s) && inBase64[s[i+m]] && m <= maxGroup {
			m++
		}
		if m < minGroup && !(i+m == len(s) || i+m < len(s) && s[i+m] == '=') || m > maxGroup || m == 0 {
			break
		}
		mixed = mixed || mixedCase(s[i:i+m]) || digitInside(s[i:i+m])
		groups++
		i += m
		for end = i; end < len(s) && s[end] == '='; end++ {
		}
		if end > i || i >= len(s) || !partsGroups(s[i]) {
			break
		}
		i++
	}
	if groups < minGroups && end-at < 16*groups || !mixed || end-at < minBase64 {
		return Blob{}
	}
	run := unspaced.Replace(s[at:end])
	data, err := base64.RawStdEncoding.DecodeString(run)
	if err != nil && len(run)%4 == 1 {
		data, err = base64.RawStdEncoding.DecodeString(run[:len(run)-1])
	}
	if err != nil || inflate(data) == nil && !readable(data) {
		return Blob{}
	}
	return withText(Blob{Encoding: "base64", Start: at, End: end}, data)
}

// unspaced takes the spaces and the padding out of a row of groups. It is built once, since a
// sentence of short words with a number gets this far too.
var unspaced = strings.NewReplacer(" ", "", "=", "", "\n", "", ".", "")

func partsGroups(c byte) bool { return c == ' ' || c == '\n' || c == '.' }

func digitInside(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= '0' && r <= '9' }) >= 0
}

// readable reports whether data is text of several words, in ASCII.
func readable(data []byte) bool {
	spaces := 0
	for _, c := range data {
		if c >= 0x7F || c < 0x20 && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
		if c == ' ' {
			spaces++
		}
	}
	return spaces >= 2
}
