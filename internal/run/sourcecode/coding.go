package sourcecode

import (
	"bytes"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// codingLine is the comment on one of a Python source's first two lines that says how the rest is written (PEP 263).
var codingLine = lazyregexp.New(`^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)`)

// asciiCodings begin the names of the codings in which the characters of ASCII are what they are in UTF-8, and so all
// that is code. In others "+AGUAdgBhAGw-" may be a call: UTF-7, unicode_escape, rot13 and whatever somebody registers.
var asciiCodings = []string{"utf-8", "utf8", "u8", "ascii", "us-ascii", "646", "latin", "l1", "iso-8859", "iso8859", "8859", "cp1", "cp4", "cp8", "cp9", "windows-125", "koi8", "mac", "gb", "big5", "euc", "shift-jis", "sjis", "s-jis", "tis-620"}

// strangeCoding returns the coding of a Python source in which its bytes do not say what Python reads, "" for none.
func strangeCoding(text []byte) string {
	for range 2 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		if m := codingLine.FindStringSubmatch(string(line[:min(len(line), longestLine)])); m != nil {
			name := strings.ReplaceAll(strings.ToLower(m[1]), "_", "-")
			for _, known := range asciiCodings {
				if strings.HasPrefix(name, known) {
					return ""
				}
			}
			return m[1]
		}
		text = rest
	}
	return ""
}
