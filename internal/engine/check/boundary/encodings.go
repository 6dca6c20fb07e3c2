package boundary

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"strings"
	"unicode/utf8"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/rawjson"
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

// An encoding is a way to write a value. One with few spellings has encode, and these are searched for literally; the others are searched
// by decoding.
type encoding struct {
	how    transformation
	name   string
	mark   byte                  // that a text has which is written so; 0 if the whole text is decoded or nothing
	decode func(s string) string // "" for a text that is not written so
	encode func(s string) []string
}

// leastEncoded is the shortest text that is decoded as a whole, in bytes.
const leastEncoded = 16

var encodings = [...]encoding{
	{inBase64, "base64", 0, fromBase64, func(s string) []string {
		return []string{base64.RawStdEncoding.EncodeToString([]byte(s)), base64.RawURLEncoding.EncodeToString([]byte(s))}
	}},
	{inHex, "hex", 0, fromHex, func(s string) []string {
		small := hex.EncodeToString([]byte(s))
		return []string{small, strings.ToUpper(small)}
	}},
	{inURL, "URL encoding", '%', unescapeURL, nil},
	{inURL, "URL encoding", '+', func(s string) string { return unescapeURL(strings.ReplaceAll(s, "+", " ")) }, nil},
	{inHTML, "HTML escapes", '&', html.UnescapeString, nil},
	{inJSON, "JSON escapes", '\\', unescapeJSON, nil},
}

// describeHow describes the transformation: "stands … in base64".
func (h transformation) describeHow() string {
	for _, e := range encodings {
		switch h {
		case e.how:
			return "in " + e.name
		case e.how + outOf:
			return "decoded from " + e.name
		}
	}
	return "with other white space or letter case"
}

// A form is a text that represents a value.
type form struct {
	text string
	how  transformation
}

// encodedForms returns a text in the encodings that are searched for literally.
func encodedForms(text string) (out []form) {
	for _, e := range encodings {
		if e.encode == nil {
			continue
		}
		spellings := e.encode(text)
		for i, s := range spellings {
			if i == 0 || s != spellings[0] {
				out = append(out, form{s, e.how})
			}
		}
	}
	return out
}

// decodedForms returns what a text decodes to, as a whole or with its escapes.
func decodedForms(text string) (out []form) {
	whole := strings.TrimSpace(text)
	for _, e := range encodings {
		if e.mark == 0 && len(whole) >= leastEncoded {
			out = addDecoded(out, text, e.how, e.decode(whole))
		}
	}
	return append(out, escapesOf(text)...)
}

// escapesOf returns a text with its escapes decoded, one kind at a time. They may occur anywhere in it.
func escapesOf(text string) (out []form) {
	for _, e := range encodings {
		if e.mark != 0 && strings.IndexByte(text, e.mark) >= 0 {
			out = addDecoded(out, text, e.how, e.decode(text))
		}
	}
	return out
}

func addDecoded(out []form, text string, how transformation, decoded string) []form {
	if decoded == "" || decoded == text || !utf8.ValidString(decoded) {
		return out
	}
	return append(out, form{decoded, how})
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

func fromHex(s string) string {
	b, err := hex.DecodeString(s)
	if err != nil {
		return ""
	}
	return string(b)
}

var (
	urlEscape  = lazyregexp.New(`(?:%[0-9a-fA-F]{2})+`)
	jsonEscape = lazyregexp.New(`\\(?:["\\/bfnrt]|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4})`)
)

// unescapeURL decodes percent escapes; invalid ones are kept.
func unescapeURL(s string) string {
	return urlEscape.ReplaceAllStringFunc(s, func(e string) string { return fromHex(strings.ReplaceAll(e, "%", "")) })
}

// unescapeJSON decodes JSON string escapes; invalid ones are kept.
func unescapeJSON(s string) string {
	return jsonEscape.ReplaceAllStringFunc(s, func(e string) string { return rawjson.Unquote(`"` + e + `"`) })
}
