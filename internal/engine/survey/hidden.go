package survey

import (
	"bytes"
	"fmt"
	"gauntlet/internal/engine/callgraph"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

var decoders = callgraph.Names("atob b64decode b32decode b85decode a85decode fromhex unhexlify fromCharCode decompress inflateSync gunzipSync brotliDecompressSync unescape rot13")

// renamed is a variable as programs that make code unreadable call them.
var renamed = lazyregexp.New(`\b_0x[0-9a-f]{4,6}\b`)

// manyRenamed is how many of them a file holds that was made unreadable.
const manyRenamed = 100

// readHiddenCode notes code that is decoded before it is run, and files that were made unreadable.
func (s *surveyor) readHiddenCode() {
	s.eachRunner(func(c *ir.Expr, row *callgraph.Row, shown string) {
		if code := row.Argument("code", c); row.Kind() != "spawn" && !strings.Contains(shown, "loads") && s.finds(code, isDecoded) {
			s.report(sink.HiddenCode, c, shown, "it decodes what it runs, so the source does not show what it does")
		}
	}, "atob", "base64", "b64decode", "fromhex", "unhexlify", "fromCharCode", "decompress", "unzip", "inflate", "marshal", "unescape", "hex")
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
	name, form := e.Calls(), e.Arg(1)
	switch {
	case e.Kind != ir.Call || e.X == nil:
		return goOn
	case name == "loads":
		return verdictIf(e.X.X != nil && e.X.X.Text == "marshal")
	case name == "from":
		return verdictIf(e.X.X != nil && e.X.X.Text == "Buffer" && form != nil && (form.Text == "base64" || form.Text == "hex"))
	}
	return verdictIf(decoders[name])
}
