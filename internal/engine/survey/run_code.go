package survey

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

// pipedToShell is a line that fetches a program and runs it.
var pipedToShell = lazyregexp.New(`(?i)\b(curl|wget|fetch|iwr|invoke-webrequest)\b[^|;&\n]*\|\s*(sudo\s+)?((/usr)?/bin/)?(ba|z|da|k)?sh\b|\|\s*(python3?|node|perl|ruby)\s*(-|$)|\b(iex|invoke-expression)\b[\s(]+.*\b(iwr|irm|downloadstring|invoke-)|\$\((curl|wget)\b|<\((curl|wget)\b`)

func (s *surveyor) readFetchedCode() {
	s.eachRunner(func(c *ir.Expr, row *callgraph.Row, shown string) {
		if code := row.Argument("code", c); code != nil && s.isFetched(code, 0) {
			s.report(sink.FetchedCode, c, shown, "it runs downloaded text as code: whoever controls the address decides what this machine does")
		} else if row.Kind() == "spawn" && s.pipesToShell(c) {
			s.report(sink.FetchedCode, c, shown, "it downloads a program and runs it: whoever controls the address decides what this machine does")
		}
	}, "eval", "exec", "Function(", "vm.", "spawn", "system", "popen", "subprocess", "import(")
}

// pipesToShell reports whether what starts a program is given such a line, itself or in a list.
func (s *surveyor) pipesToShell(c *ir.Expr) bool {
	return slices.ContainsFunc(c.Args, func(a ir.Arg) bool {
		given := []ir.Arg{a}
		if d := s.g.Definition(a.Value); d.Is(ir.List) {
			given = d.Args
		}
		return slices.ContainsFunc(given, func(a ir.Arg) bool { return pipedToShell.MatchString(s.g.Text(a.Value, nil)) })
	})
}

// eachRunner calls f for the calls that start programs or run code, with what they are called, in files whose text holds one of some words.
func (s *surveyor) eachRunner(f func(c *ir.Expr, row *callgraph.Row, shown string), words ...string) {
	for _, c := range s.callsIn(words...) {
		if s.g.Runs(c.Calls()) {
			if row, name := s.rowOf(c); row != nil {
				f(c, row, strings.TrimPrefix(name, ".")+"()")
			}
		}
	}
}

// isFetched reports whether a value is what a request brought, or what a function of the program returns that sends one.
func (s *surveyor) isFetched(e *ir.Expr, depth int) bool {
	return s.g.Finds(e, func(x *ir.Expr) bool {
		return x.Kind == ir.Call && (s.isRequest(x) || depth < 3 && s.returnsFetched(x, depth))
	})
}

// maxEntered is how many calls of one program are entered to see what they return.
const maxEntered = 2_000

// returnsFetched reports whether a call enters a function of the program that returns what a request brought.
func (s *surveyor) returnsFetched(c *ir.Expr, depth int) bool {
	found := false
	if s.entered++; s.entered > maxEntered {
		return false
	}
	for _, callee := range s.g.Callees(c, nil) {
		if callee.Func == nil || callee.Guess {
			continue
		}
		ir.EachStmt(callee.Func.Body, func(st *ir.Stmt) {
			found = found || st.Step == ir.Return && !st.Throws && st.X != nil && s.isFetched(st.X, depth+1)
		})
	}
	return found
}

var decoders = callgraph.Names("atob b64decode b32decode b85decode a85decode fromhex unhexlify fromCharCode decompress inflateSync gunzipSync brotliDecompressSync unescape rot13")

// renamed is a variable as programs that make code unreadable call them.
var renamed = lazyregexp.New(`\b_0x[0-9a-f]{4,6}\b`)

// manyRenamed is how many of them a file holds that was made unreadable.
const manyRenamed = 100

// readHiddenCode notes code that is decoded before it is run, and files that were made unreadable.
func (s *surveyor) readHiddenCode() {
	s.eachRunner(func(c *ir.Expr, row *callgraph.Row, shown string) {
		if code := row.Argument("code", c); row.Kind() != "spawn" && !strings.Contains(shown, "loads") && s.g.Finds(code, isDecoded) {
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
func isDecoded(e *ir.Expr) bool {
	name, form := e.Calls(), e.Arg(1)
	switch {
	case e.Kind != ir.Call || e.X == nil:
		return false
	case name == "loads":
		return e.X.X != nil && e.X.X.Text == "marshal"
	case name == "from":
		return e.X.X != nil && e.X.X.Text == "Buffer" && form != nil && (form.Text == "base64" || form.Text == "hex")
	}
	return decoders[name]
}
