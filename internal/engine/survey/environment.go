package survey

import (
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// readSentEnvironment notes requests that carry the environment as a whole.
func (s *surveyor) readSentEnvironment() {
	for _, c := range s.callsIn("process.env", "os.environ", "os.Environ") {
		for _, a := range c.Args {
			if s.finds(a.Value, s.isWholeEnvironment) && s.isRequest(c) {
				s.report(sink.SentEnv, c, "environment", "all environment variables, including every credential in them, are sent in a request")
				break
			}
		}
	}
}

// isWholeEnvironment says of an expression whether it is the environment as a whole. One variable of it is not.
func (s *surveyor) isWholeEnvironment(e *ir.Expr) verdict {
	switch e.Kind {
	case ir.Attr:
		if isEnvironment(e) {
			return yes
		}
		if isEnvironment(e.X) && e.Text != "copy" && e.Text != "items" {
			return leave
		}
	case ir.Index:
		if isEnvironment(e.X) {
			return leave
		}
	case ir.Call:
		if e.X.Is(ir.Attr) && isEnvironment(e.X.X) && e.X.Text != "copy" && e.X.Text != "items" {
			return leave
		}
		return verdictIf(e.X.Is(ir.Attr) && e.X.Text == "Environ" && e.X.X != nil && e.X.X.Text == "os")
	}
	return goOn
}

// isEnvironment reports whether an expression is process.env or os.environ.
func isEnvironment(e *ir.Expr) bool {
	return e.Is(ir.Attr) && e.X.Is(ir.Name) && (e.Text == "env" && e.X.Text == "process" || e.Text == "environ" && e.X.Text == "os")
}
