package boundary

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A transformation says how a value changed between its result and the call.
type transformation uint8

const (
	verbatim transformation = iota
	inBase64
	inHex
	inURL
	inHTML
	inJSON
	inFolding
	inPart
	inWhole // the argument is a part of the value
	outOf   // added to an encoding: encoded in the result, decoded in the call
)

var encodings = [...]string{inBase64: "base64", inHex: "hex", inURL: "URL encoding", inHTML: "HTML escapes", inJSON: "JSON escapes"}

// describeHow describes the transformation: "stands … in base64".
func (h transformation) describeHow() string {
	switch {
	case h == inFolding:
		return "with other white space or letter case"
	case h >= outOf:
		return "decoded from " + encodings[h-outOf]
	}
	return "in " + encodings[h]
}

// transformationName distinguishes transformations in fingerprints.
func (h transformation) transformationName() string { return strconv.Itoa(int(h)) }

// encodedForms returns text in the encodings with few spellings, which are searched for literally. The others are searched by decoding.
func encodedForms(text string) []form {
	whole := base64.StdEncoding.EncodeToString([]byte(text))
	forms := []form{{strings.TrimRight(whole, "="), inBase64}}
	if url := base64.RawURLEncoding.EncodeToString([]byte(text)); url != forms[0].text {
		forms = append(forms, form{url, inBase64})
	}
	small := hex.EncodeToString([]byte(text))
	forms = append(forms, form{small, inHex})
	if big := strings.ToUpper(small); big != small {
		forms = append(forms, form{big, inHex})
	}
	return forms
}

// A form is a text that represents a value.
type form struct {
	text string
	how  transformation
}

// decodedForms returns what a whole text decodes to.
func decodedForms(text string) []form {
	var out []form
	add := func(s string, h transformation) {
		if s != "" && s != text && utf8.ValidString(s) {
			out = append(out, form{s, h})
		}
	}
	if t := strings.TrimSpace(text); len(t) >= 16 && allIn(t, isBase64) {
		add(fromBase64(t), inBase64)
		if len(t)%2 == 0 && allIn(t, isHex) {
			b, _ := hex.DecodeString(t)
			add(string(b), inHex)
		}
	}
	return append(out, escapesOf(text)...)
}

// escapesOf returns a text with its escapes decoded, one kind at a time. They may occur anywhere in it.
func escapesOf(text string) []form {
	var out []form
	add := func(s string, h transformation) {
		if s != text && utf8.ValidString(s) {
			out = append(out, form{s, h})
		}
	}
	if strings.IndexByte(text, '%') >= 0 {
		add(unescapeURL(text, false), inURL)
	}
	if strings.IndexByte(text, '+') >= 0 {
		add(unescapeURL(text, true), inURL)
	}
	if strings.IndexByte(text, '&') >= 0 {
		add(html.UnescapeString(text), inHTML)
	}
	if strings.IndexByte(text, '\\') >= 0 {
		add(unescapeJSON(text), inJSON)
	}
	return out
}

func allIn(s string, in func(byte) bool) bool {
	for i := range len(s) {
		if !in(s[i]) {
			return false
		}
	}
	return true
}

func isBase64(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_' || c == '='
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// fromBase64 decodes either alphabet, with or without padding.
func fromBase64(s string) string {
	s = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(s, "="))
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		return ""
	}
	return string(b)
}

// unescapeURL decodes percent escapes; invalid ones are kept.
func unescapeURL(s string, plus bool) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			n, _ := strconv.ParseUint(s[i+1:i+3], 16, 8)
			b.WriteByte(byte(n))
			i += 2
		case s[i] == '+' && plus:
			b.WriteByte(' ')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// unescapeJSON decodes JSON string escapes; invalid ones are kept.
func unescapeJSON(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if at := strings.IndexByte(`"\/bfnrt`, s[i]); at >= 0 {
			b.WriteByte("\"\\/\b\f\n\r\t"[at])
			continue
		}
		if n, err := strconv.ParseUint(s[i+1:min(i+5, len(s))], 16, 16); s[i] == 'u' && err == nil && i+5 <= len(s) {
			r := rune(n)
			if r >= 0xD800 && r < 0xDC00 && i+11 <= len(s) && s[i+5:i+7] == `\u` {
				if low, err := strconv.ParseUint(s[i+7:i+11], 16, 16); err == nil && low >= 0xDC00 && low < 0xE000 {
					r = (r-0xD800)<<10 + rune(low) - 0xDC00 + 0x10000
					i += 6
				}
			}
			b.WriteRune(r)
			i += 4
			continue
		}
		b.WriteByte('\\')
		b.WriteByte(s[i])
	}
	return b.String()
}
