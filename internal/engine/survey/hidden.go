package survey

import (
	"bytes"
	"fmt"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

// decoders make text of what nobody can read.
var decoders = map[string]bool{"atob": true, "b64decode": true, "b32decode": true, "b85decode": true, "a85decode": true, "fromhex": true, "unhexlify": true, "fromCharCode": true,
	"decompress": true, "inflateSync": true, "gunzipSync": true, "brotliDecompressSync": true, "loads": false, "unescape": true, "rot13": true}

// renamed is a variable as programs that make code unreadable call them.
var renamed = lazyregexp.New(`\b_0x[0-9a-f]{4,6}\b`)

// manyRenamed is how many of them a file holds that was made unreadable.
const manyRenamed = 100

// readHiddenCode notes code that is decoded before it is run, and files that were made unreadable.
func (s *surveyor) readHiddenCode() {
	for _, c := range s.callsIn("atob", "base64", "b64decode", "fromhex", "unhexlify", "fromCharCode", "decompress", "unzip", "inflate", "marshal", "unescape", "hex") {
		if c.X == nil || !s.g.Runs(c.X.Text) {
			continue
		}
		row, name := s.rowOf(c)
		if row == nil {
			continue
		}
		code := row.Argument("code", c)
		if code == nil || row.Kind() == "spawn" || strings.Contains(name, "loads") {
			continue
		}
		if s.finds(code, isDecoded) {
			s.report(sink.HiddenCode, c, strings.TrimPrefix(name, ".")+"()", "it decodes what it runs, so the source does not show what it does")
		}
	}
	for _, f := range s.g.Program().Files {
		if !bytes.Contains(f.Source, []byte("_0x")) {
			continue
		}
		if all := renamed.FindAllIndex(f.Source, manyRenamed); len(all) == manyRenamed {
			first := all[0]
			s.out = append(s.out, sink.Site{Kind: sink.HiddenCode, Name: "file", At: sink.Place{File: f.Path, Line: f.Line(int32(first[0])), Start: first[0], End: first[1]},
				Why: fmt.Sprintf("its variables are renamed to numbers, as an obfuscator does: %d or more", manyRenamed)})
		}
	}
}

// isDecoded says of an expression whether it is decoded from what nobody can read.
func isDecoded(e *ir.Expr) verdict {
	if e.Kind != ir.Call || e.X == nil {
		return goOn
	}
	if decoders[e.X.Text] || e.X.Text == "loads" && e.X.X != nil && e.X.X.Text == "marshal" {
		return yes
	}
	if e.X.Text == "from" && e.X.X != nil && e.X.X.Text == "Buffer" && len(e.Args) > 1 && e.Args[1].Value != nil && (e.Args[1].Value.Text == "base64" || e.Args[1].Value.Text == "hex") {
		return yes
	}
	return goOn
}
