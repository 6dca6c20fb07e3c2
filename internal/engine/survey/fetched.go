package survey

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

// pipedToShell is a line that fetches a program and runs it.
var pipedToShell = lazyregexp.New(`(?i)\b(curl|wget|fetch|iwr|invoke-webrequest)\b[^|;&\n]*\|\s*(sudo\s+)?((/usr)?/bin/)?(ba|z|da|k)?sh\b|\|\s*(python3?|node|perl|ruby)\s*(-|$)|\b(iex|invoke-expression)\b[\s(]+.*\b(iwr|irm|downloadstring|invoke-)|\$\((curl|wget)\b|<\((curl|wget)\b`)

// readFetchedCode notes code that is fetched and run.
func (s *surveyor) readFetchedCode() {
	s.eachRunner(func(c *ir.Expr, row *callgraph.Row, shown string) {
		if code := row.Argument("code", c); code != nil && s.isFetched(code, 0) {
			s.report(sink.FetchedCode, c, shown, "it runs downloaded text as code: whoever controls the address decides what this machine does")
		} else if row.Kind() == "spawn" && slices.ContainsFunc(c.Args, func(a ir.Arg) bool { return pipedToShell.MatchString(s.writtenText(a.Value, 0)) }) {
			s.report(sink.FetchedCode, c, shown, "it downloads a program and runs it: whoever controls the address decides what this machine does")
		}
	}, "eval", "exec", "Function(", "vm.", "spawn", "system", "popen", "subprocess", "import(")
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
	return s.finds(e, func(x *ir.Expr) verdict {
		switch {
		case x.Kind != ir.Call:
			return goOn
		case s.isRequest(x), depth < 3 && s.returnsFetched(x, depth):
			return yes
		}
		return goOn
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
	for _, callee := range s.g.Callees(c, callgraph.Context{}) {
		if callee.Func == nil || callee.Guess {
			continue
		}
		ir.EachStmt(callee.Func.Body, func(st *ir.Stmt) {
			found = found || st.Step == ir.Return && !st.Throws && st.X != nil && s.isFetched(st.X, depth+1)
		})
	}
	return found
}

// writtenText returns the text of an expression, with a blank for what is not known before it runs.
func (s *surveyor) writtenText(e *ir.Expr, depth int) string {
	if e == nil || depth > 6 {
		return " "
	}
	e = s.g.Definition(e)
	switch e.Kind {
	case ir.String:
		return e.Text
	case ir.Template, ir.List, ir.Either:
		var b strings.Builder
		for _, a := range e.Args {
			if e.Kind == ir.List {
				b.WriteByte(' ')
			}
			if b.Len() < 4_000 {
				b.WriteString(s.writtenText(a.Value, depth+1))
			}
		}
		return b.String()
	}
	return " "
}
