package charset

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
	"unicode/utf8"
)

func utf16Of(text string, little bool) string {
	var b bytes.Buffer
	for _, u := range utf16.Encode([]rune(text)) {
		hi, lo := byte(u>>8), byte(u)
		if little {
			hi, lo = lo, hi
		}
		b.Write([]byte{hi, lo})
	}
	return b.String()
}

func TestDecode(t *testing.T) {
	const text = "oatf: \"0.1\"\r\nname: Übergabe 🚀\n"
	for _, tt := range []struct{ name, in, want string }{
		{"UTF-8", text, text},
		{"UTF-8 with a mark", "\ufeff" + text, text},
		{"UTF-16, little-endian", utf16Of("\ufeff"+text, true), text},
		{"UTF-16, big-endian", utf16Of("\ufeff"+text, false), text},
		{"UTF-16 without a mark, little-endian", utf16Of(text, true), text},
		{"UTF-16 without a mark, big-endian", utf16Of(text, false), text},
		{"UTF-32, little-endian", "\xff\xfe\x00\x00a\x00\x00\x00\x80\xf6\x01\x00", "a🚀"},
		{"UTF-32, big-endian", "\x00\x00\xfe\xff\x00\x00\x00a\x00\x01\xf6\x80", "a🚀"},
		{"half a character", utf16Of("\ufeffab", true) + "x", "ab\ufffd"},
		{"a mark in the middle stays", "a\ufeffb", "a\ufeffb"},
		{"ill-formed UTF-8 stays", "a\xffb", "a\xffb"},
		{"zeros in a binary", "\x00\x00\x00\x01", "\x00\x00\x00\x01"},
		{"nothing", "", ""},
		{"one byte", "a", "a"},
	} {
		if got := Decode(tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		got, err := io.ReadAll(NewReader(iotest.OneByteReader(strings.NewReader(tt.in))))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s, read: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("\ufeffa")
	f.Add(utf16Of("\ufeffa🚀", true))
	f.Add("\xff\xfe\x00\xd8")
	f.Fuzz(func(t *testing.T, in string) {
		got := Decode(in)
		read, err := io.ReadAll(NewReader(strings.NewReader(in)))
		if err != nil || string(read) != got {
			t.Errorf("decoded %q, read %q, %v", got, read, err)
		}
		if utf8.ValidString(in) && !strings.Contains(in, "\x00") && strings.TrimPrefix(in, "\ufeff") != got {
			t.Errorf("%q became %q", in, got)
		}
	})
}
