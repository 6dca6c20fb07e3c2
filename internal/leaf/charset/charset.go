// Package charset decodes text files: UTF-8 with or without a byte order mark, UTF-16, which Windows programs write, and UTF-32
// with its mark. Every reader of a user's text uses it, so that no file is rejected or skipped because of its encoding.
package charset

import (
	"bufio"
	"io"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"
)

// looked is the number of bytes that determine the encoding.
const looked = 4

// decoderFor returns the decoder for a text with this beginning; nil for UTF-8 without a byte order mark.
func decoderFor(begin string) transform.Transformer {
	zero := func(i int) bool { return i < len(begin) && begin[i] == 0 }
	switch {
	case strings.HasPrefix(begin, "\xff\xfe\x00\x00"): // begins like UTF-16
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM).NewDecoder()
	case strings.HasPrefix(begin, "\x00\x00\xfe\xff"):
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM).NewDecoder()
	case strings.HasPrefix(begin, "\ufeff"), strings.HasPrefix(begin, "\xff\xfe"), strings.HasPrefix(begin, "\xfe\xff"):
		return unicode.BOMOverride(transform.Nop)
	case len(begin) < looked:
		return nil
	case !zero(0) && zero(1) && !zero(2) && zero(3): // no text contains NUL
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	case zero(0) && !zero(1) && zero(2) && !zero(3):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	}
	return nil
}

// Decode returns the text as UTF-8 without a byte order mark. Invalid UTF-16 becomes U+FFFD.
func Decode(text string) string {
	if rest, ok := strings.CutPrefix(text, "\ufeff"); ok {
		return rest // without a copy: a catalogue may have hundreds of megabytes
	}
	d := decoderFor(text[:min(len(text), looked)])
	if d == nil {
		return text
	}
	decoded, _, err := transform.String(d, text)
	if err != nil {
		return text // never: these decoders replace invalid input
	}
	return decoded
}

// NewReader returns the text of r as UTF-8 without a byte order mark.
func NewReader(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	begin, _ := b.Peek(looked) // the first Read returns the error again
	if d := decoderFor(string(begin)); d != nil {
		return transform.NewReader(b, d)
	}
	return b
}
