package text

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Blob is a run of characters that encodes text or data.
type Blob struct {
	Encoding   string // "base64", "base32", "gzip", "hex", "percent", "escape", "entity", "spaced letters", and those of Spelled
	Start, End int    // byte offsets in the string
	Decoded    string // the text inside, "" if what it decodes to is no text
	Head       string // the first bytes that base64 and hex decode to, text or not
}

const (
	minBase64  = 24 // characters; shorter runs are words, ids and hashes too often
	minHex     = 24 // digits
	minEscapes = 4  // percent, \u and entity escapes in a row
)

// Blobs returns the encoded runs of s in order. Each is decoded once; what comes out is
// not searched for further encodings.
func Blobs(s string) []Blob {
	var out []Blob
	last := 0 // where the last blob ended
	for i := 0; i < len(s); {
		c := s[i]
		b := Blob{End: i}
		switch {
		case c == '\\':
			b = escapeBlob(s, i)
		case c|0x20 == 'u' && i+1 < len(s) && s[i+1] == '+':
			b = escapeBlob(s, i)
		case c == '%':
			b = percentBlob(s, last, i)
		case c == '&':
			b = entityBlob(s, i)
		case isBase64(c) && (i == 0 || !isBase64(s[i-1])):
			b = alphabetBlob(s, i)
		}
		if b.Encoding != "" {
			out, last = append(out, b), b.End
		}
		i = max(b.End, i+1)
	}
	return out
}

// isBase64 covers the standard and the URL alphabet.
func isBase64(c byte) bool { return inBase64[c] }

var inBase64 = func() (set [256]bool) {
	for c := range set {
		set[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
	}
	return set
}()

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func runLen(s string, at int, in func(byte) bool) int {
	n := 0
	for at+n < len(s) && in(s[at+n]) {
		n++
	}
	return n
}

// alphabetBlob reads a run of base64 or hex characters at s[at:]. A Blob without an
// Encoding only says how far to go on.
func alphabetBlob(s string, at int) Blob {
	n := 1
	for at+n < len(s) && inBase64[s[at+n]] {
		n++
	}
	if b := spacedBase64(s, at, n); b.Encoding != "" {
		return b
	}
	if digits := runLen(s[:at+n], at, isHex); digits >= 2 && (digits == n || s[at+digits] == '-') {
		if b := spacedHex(s, at, digits); b.Encoding != "" {
			return b
		}
	}
	if n < min(minHex, minBase64) { // nearly every word
		return Blob{End: at + n}
	}
	if runLen(s, at, isHex) == n {
		data, err := hex.DecodeString(s[at : at+n&^1])
		if err == nil && n%2 == 0 {
			return withText(Blob{Encoding: "hex", Start: at, End: at + n}, data)
		}
		return Blob{Encoding: "hex", Start: at, End: at + n}
	}
	if b := base32Blob(s, at, n); b.Encoding != "" {
		return b
	}
	return base64Blob(s, at, n)
}

// spacedHex reads hex written in groups: bytes as they appear in dumps ("49 67 6e"), colours ("#49676e #6f7265") and identifiers with hyphens.
// Groups of other lengths than two are taken for it only where they decode to text.
func spacedHex(s string, at, n int) Blob {
	if n%2 != 0 || n > 2*minHex || !isHex(s[at]) || !isHex(s[at+1]) || at > 1 && isHex(s[at-2]) && partsHex(s[at-1]) {
		return Blob{} // of an odd number of digits, or within a row that was looked at from its start
	}
	var data []byte
	bytes, i, end := true, at, at
	for i < len(s) {
		m := runLen(s[:min(len(s), i+2*minHex)], i, isHex)
		if m == 0 || m%2 != 0 || i+m < len(s) && isBase64(s[i+m]) && s[i+m] != '-' {
			break
		}
		bytes = bytes && m == 2
		for k := i; k < i+m; k += 2 {
			data = append(data, unhexDigit(s[k])<<4|unhexDigit(s[k+1]))
		}
		i += m
		end = i
		for k := 0; k < 3 && i < len(s) && partsHex(s[i]); k++ {
			i++
		}
	}
	b := withText(Blob{Encoding: "hex", Start: at, End: end}, data)
	if len(data)*2 < minHex || !bytes && (b.Decoded == "" || end-at == n) {
		return Blob{}
	}
	return b
}

func partsHex(c byte) bool {
	return c == ' ' || c == ':' || c == ',' || c == '#' || c == '-' || c == '\n'
}

func unhexDigit(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c >= 'a':
		return c - 'a' + 10
	}
	return c - 'A' + 10
}

// base64Blob reads n characters at s[at:], and the lines that continue them when the
// text is wrapped.
func base64Blob(s string, at, n int) Blob {
	run := s[at : at+n]
	// Identifiers, paths and words joined by hyphens use the same alphabet; base64 of
	// any length mixes upper and lower case, and has few separators.
	if !mixedCase(run) || strings.Count(run, "-")+strings.Count(run, "_")+strings.Count(run, "/")*2 > len(run)/6 {
		return Blob{End: at + n}
	}
	end := at + n
	var lines strings.Builder
	lines.WriteString(run)
	for line := n; line >= minBase64 && end < len(s) && s[end] == '\n'; {
		m := runLen(s, end+1, isBase64)
		if m == 0 || m > line || m < line && m < 4 || !mixedCase(s[end+1:end+1+m]) && m < line {
			break
		}
		lines.WriteString(s[end+1 : end+1+m])
		end += 1 + m
		if m < line {
			break
		}
	}
	for end < len(s) && s[end] == '=' {
		end++
	}
	b, joined := Blob{Encoding: "base64", Start: at, End: end}, lines.String()
	enc := base64.RawStdEncoding
	if strings.ContainsAny(joined, "-_") {
		enc = base64.RawURLEncoding
	}
	data, _ := enc.DecodeString(joined) // as far as it goes: a model reads the rest of a damaged one, too
	return withText(b, data)
}

func mixedCase(s string) bool {
	var lower, upper int
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			lower++
		case c >= 'A' && c <= 'Z':
			upper++
		}
	}
	return lower >= 3 && upper >= 3
}

// withText keeps what a blob decodes to: all of it where it is text, the first bytes
// otherwise. There is no limit on number or size, or decoys in front would hide the rest;
// decoding is linear in the string.
func withText(b Blob, data []byte) Blob {
	if inflated := inflate(data); inflated != nil {
		b.Encoding, data = "gzip", inflated
	}
	if len(data) >= 8 && printable(data) {
		b.Decoded = string(data)
	}
	b.Head = string(data[:min(len(data), 16)])
	return b
}

// escapeBlob reads escapes that are in the text itself: \u0049, \u{49} and \x49 of JSON and JavaScript, \U00000049 of Python, \x{49} of Perl,
// \000049 of CSS, \111 of C, and U+0049.
func escapeBlob(s string, at int) Blob {
	var out strings.Builder
	i, n := at, 0
	for i < len(s) && (s[i] == '\\' || s[i]|0x20 == 'u') {
		code, size := escapeAt(s[i:])
		if size == 0 {
			break
		}
		out.WriteRune(code)
		i += size
		n++
		switch rest := s[i:min(len(s), i+12)]; {
		case len(rest) > 2 && rest[0] == ' ' && rest[1]|0x20 == 'u' && rest[2] == '+':
			i++
		default: // ordinary characters between escapes belong to the text
			if next := strings.IndexByte(rest, '\\'); next > 0 && !strings.ContainsAny(rest[:next], " \n") {
				out.WriteString(rest[:next])
				i += next
			}
		}
	}
	if n < minEscapes || !printable([]byte(out.String())) {
		return Blob{End: max(i, at+1)}
	}
	return Blob{Encoding: "escape", Start: at, End: i, Decoded: out.String()}
}

// escapeAt reads one escape at the beginning of s and returns how long it is, 0 for none.
func escapeAt(s string) (code rune, size int) {
	if len(s) < 4 {
		return 0, 0
	}
	from, width, base := 2, 0, 16
	hexes := runLen(s[:min(len(s), 10)], 1, isHex)
	switch c := s[1]; {
	case s[0] == '\\' && (c == 'u' || c == 'x') && s[2] == '{':
		from, width = 3, runLen(s[:min(len(s), 10)], 3, isHex)
		if width == 0 || from+width >= len(s) || s[from+width] != '}' {
			return 0, 0
		}
		size = 1
	case c == 'u' && s[0] == '\\', c == '+' && s[0]|0x20 == 'u':
		width = 4
	case s[0] != '\\':
		return 0, 0
	case c == 'U':
		width = 8
	case c == 'x':
		width = 2
	case hexes == 6 && s[1] == '0' && s[2] == '0':
		from, width = 1, 6
	case c >= '0' && c <= '3':
		from, width, base = 1, 3, 8
	}
	if width == 0 || from+width > len(s) {
		return 0, 0
	}
	n, err := strconv.ParseUint(s[from:from+width], base, 31)
	if err != nil {
		return 0, 0
	}
	return rune(n), size + from + width
}

// percentBlob reads the word around the percent sign at s[at], which belongs to it back
// to from. A sign without two hex digits stands for itself, as in a browser.
func percentBlob(s string, from, at int) Blob {
	inside := func(c byte) bool {
		return c > ' ' && c < utf8.RuneSelf && c != '"' && c != '\'' && c != '`'
	}
	start, end, n := at, at, 0
	for start > from && inside(s[start-1]) {
		start--
	}
	var out []byte
	for i := start; i < len(s) && inside(s[i]); i, end = i+1, i+1 {
		if s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			out = append(out, unhexDigit(s[i+1])<<4|unhexDigit(s[i+2]))
			i += 2
			n++
			continue
		}
		out = append(out, s[i])
	}
	if n < minEscapes || !printable(out) {
		return Blob{End: end}
	}
	return Blob{Encoding: "percent", Start: start, End: end, Decoded: string(out)}
}

func entityBlob(s string, at int) Blob {
	end, n := at, 0
	for end < len(s) && s[end] == '&' {
		semi := strings.IndexByte(s[end:min(len(s), end+10)], ';')
		if semi < 3 || s[end+1] != '#' || runLen(s, end+2, inReference) != semi-2 {
			break
		}
		end += semi + 1
		n++
		if end < len(s) && s[end] == ' ' && end+1 < len(s) && s[end+1] == '&' {
			end++
		}
	}
	if n < minEscapes {
		return Blob{End: max(end, at+1)}
	}
	return Blob{Encoding: "entity", Start: at, End: end, Decoded: html.UnescapeString(s[at:end])}
}

// inReference covers what a numeric character reference is made of.
func inReference(c byte) bool { return isHex(c) || c == 'x' || c == 'X' }

// spacedLetters is the encoding of what may have no gaps between its words.
const spacedLetters = "spaced letters"

// SpacedLetters returns runs of single letters with one separator between them
// ("i g n o r e  a l l"), joined; wider gaps part words. Six letters are the least.
func SpacedLetters(s string) []Blob {
	var out []Blob
	for i := 0; i < len(s); {
		if !isLetter(s[i]) || i > 0 && (isLetter(s[i-1]) || s[i-1] >= utf8.RuneSelf) || i+2 >= len(s) || !isSeparator(s[i+1]) {
			i++
			continue
		}
		b, end := spacedRun(s, i)
		if b.Encoding != "" {
			out = append(out, b)
		}
		i = end
	}
	return out
}

func spacedRun(s string, at int) (Blob, int) {
	sep := s[at+1]
	var out []byte
	letters, i := 0, at
	for i < len(s) && isLetter(s[i]) && (i+1 == len(s) || !isLetter(s[i+1]) && s[i+1] < utf8.RuneSelf) {
		out = append(out, s[i])
		letters++
		i++
		gap := 0
		for i < len(s) && (s[i] == sep || s[i] == ' ') && gap < 4 {
			gap++
			i++
		}
		if gap == 0 {
			break
		}
		if gap > 1 {
			out = append(out, ' ')
		}
	}
	if letters < 6 {
		return Blob{}, max(i, at+1)
	}
	return Blob{Encoding: spacedLetters, Start: at, End: i, Decoded: strings.TrimSpace(string(out))}, i
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isSeparator(c byte) bool {
	return c == ' ' || c == '.' || c == '-' || c == '_' || c == '*' || c == '|' || c == '/'
}
