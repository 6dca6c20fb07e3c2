package survey

import (
	"regexp"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// pipedToShell is a line that fetches a program and runs it.
var pipedToShell = regexp.MustCompile(`(?i)\b(curl|wget|fetch|iwr|invoke-webrequest)\b[^|;&\n]*\|\s*(sudo\s+)?((/usr)?/bin/)?(ba|z|da|k)?sh\b|\|\s*(python3?|node|perl|ruby)\s*(-|$)|\b(iex|invoke-expression)\b[\s(]+.*\b(iwr|irm|downloadstring|invoke-)|\$\((curl|wget)\b|<\((curl|wget)\b`)

// readFetchedCode notes code that is fetched and run.
func (s *surveyor) readFetchedCode() {
	for _, c := range s.callsIn("eval", "exec", "Function(", "vm.", "spawn", "system", "popen", "subprocess", "import(") {
		if c.X == nil || !s.g.Runs(c.X.Text) {
			continue
		}
		row, name := s.rowOf(c)
		if row == nil {
			continue
		}
		shown := strings.TrimPrefix(name, ".") + "()"
		if code := row.Argument("code", c); code != nil && s.finds(code, func(x *ir.Expr) verdict {
			if x.Kind == ir.Call && s.isRequest(x) {
				return yes
			}
			return goOn
		}) {
			s.report(sink.FetchedCode, c, shown, "what it fetched is run as code: whoever holds the address decides what this machine does")
			continue
		}
		if row.Kind() != "spawn" {
			continue
		}
		for _, a := range c.Args {
			if text := s.writtenText(a.Value, 0); pipedToShell.MatchString(text) {
				s.report(sink.FetchedCode, c, shown, "a program is fetched and run at once: whoever holds the address decides what this machine does")
				break
			}
		}
	}
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
