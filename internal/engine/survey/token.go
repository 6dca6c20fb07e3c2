package survey

import (
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// readTokens notes requests to other servers that carry the credential which the caller of this one sent.
func (s *surveyor) readTokens() {
	for _, c := range s.callsIn("uthorization") {
		if x := headerGiven(c, "authorization"); x != nil && s.finds(x, isCredentialOfRequest) && s.isRequest(c) {
			s.report(sink.PassedToken, c, "Authorization", "the credential that a client sent to this server is forwarded to another server, for which it was not issued")
		}
	}
}

// headerGiven returns the value of a header that a call is given in a table of headers, or nil.
func headerGiven(c *ir.Expr, name string) (out *ir.Expr) {
	(&ir.Expr{Args: c.Args}).Holds(func(e *ir.Expr) bool {
		if e.Kind == ir.Object {
			for _, a := range e.Args {
				if strings.EqualFold(a.Name, name) {
					out = a.Value
				}
			}
		}
		return out != nil
	})
	return out
}

// isCredentialOfRequest says of an expression whether it is the header by which a client authenticates.
func isCredentialOfRequest(e *ir.Expr) verdict {
	of, name := e.X, e.Text
	if key := e.Arg(0); e.Is(ir.Index, ir.Call) && key != nil {
		name = key.Text
	}
	direct := false
	if e.Kind == ir.Call {
		if !e.X.Is(ir.Attr) {
			return goOn
		}
		of, direct = e.X.X, e.X.Text == "header"
	}
	return verdictIf(e.Is(ir.Attr, ir.Index, ir.Call) && strings.EqualFold(name, "authorization") && (direct || isHeaders(of) && belongsToRequest(of)))
}

// belongsToRequest reports whether headers are named as those of a request that came in.
func belongsToRequest(e *ir.Expr) bool {
	if e.Kind != ir.Attr || e.X == nil {
		return e.Kind == ir.Name && (strings.HasPrefix(strings.ToLower(e.Text), "req") || strings.HasPrefix(strings.ToLower(e.Text), "incoming"))
	}
	switch strings.ToLower(e.X.Text) {
	case "req", "request", "requestinfo", "request_info", "r", "http_request":
		return true
	}
	return false
}
