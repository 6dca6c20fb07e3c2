package sourcecode

import (
	"bytes"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// codingLine matches the encoding comment in a Python source's first two lines (PEP 263).
var codingLine = lazyregexp.New(`^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)`)

// asciiCodings are name prefixes of encodings that agree with UTF-8 on ASCII, and so on all code. In others "+AGUAdgBhAGw-" may be
// a call: UTF-7, unicode_escape, rot13 and registered ones.
var asciiCodings = []string{"utf-8", "utf8", "u8", "ascii", "us-ascii", "646", "latin", "l1", "iso-8859", "iso8859", "8859", "cp1", "cp4", "cp8", "cp9", "windows-125", "koi8", "mac", "gb", "big5", "euc", "shift-jis", "sjis", "s-jis", "tis-620"}

// strangeCoding returns a Python source's encoding if its bytes do not read as Python reads them, or "".
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
