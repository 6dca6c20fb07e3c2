package survey

import (
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// readBodies notes requests whose body the server reads whole, however long it is.
func (s *surveyor) readBodies() {
	switch s.lang {
	case "typescript":
		for _, c := range s.callsIn("\"data\"", "'data'") {
			if f := s.collector(c); f != nil && !bounds(f.Func) {
				s.report(sink.UnboundedRead, c, "body", "the body of a request is collected in memory, however long it is")
			}
		}
	case "go":
		for _, c := range s.callsIn("ReadAll(") {
			if fn := s.readsRequest(c); fn != nil && !holdsInside(fn.Body, 0, func(x *ir.Expr) bool { return x.Kind == ir.Call && x.X != nil && x.X.Text == "MaxBytesReader" }) {
				s.report(sink.UnboundedRead, c, "body", "the body of a request is read into memory as a whole, however long it is")
			}
		}
	}
}

// collector returns the function that takes the parts of a request's body as they come: req.on("data", f). A request is what a
// function gets beside the response to it.
func (s *surveyor) collector(c *ir.Expr) *ir.Expr {
	if c.X == nil || c.X.Kind != ir.Attr || c.X.Text != "on" || len(c.Args) != 2 || c.Args[0].Value == nil || c.Args[0].Value.Text != "data" {
		return nil
	}
	f := c.Args[1].Value
	if f == nil || f.Kind != ir.Function || c.X.X == nil || c.X.X.Kind != ir.Name {
		return nil
	}
	bindings, _ := c.X.X.Scope.Find(c.X.X.Text)
	if len(bindings) != 1 || bindings[0].Param == nil || bindings[0].Param.Index != 0 {
		return nil
	}
	owner := bindings[0].Param.Func
	if len(owner.Params) < 2 || !answers(owner, owner.Params[1].Name) {
		return nil
	}
	return f
}

// responseMembers are what a server calls on the response to a request.
var responseMembers = map[string]bool{"writeHead": true, "end": true, "setHeader": true, "statusCode": true, "status": true, "json": true, "send": true}

// answers reports whether a function uses a parameter as the response to a request, or hands it on.
func answers(fn *ir.Func, name string) bool {
	return holdsInside(fn.Body, 0, func(x *ir.Expr) bool {
		if x.Kind == ir.Attr {
			return responseMembers[x.Text] && x.X != nil && x.X.Kind == ir.Name && x.X.Text == name
		}
		second := x.Arg(1)
		return x.Kind == ir.Call && second != nil && second.Kind == ir.Name && second.Text == name
	})
}

// holdsInside reports whether a body, the functions that are written in it included, holds what is says.
func holdsInside(body []ir.Stmt, depth int, is func(*ir.Expr) bool) (found bool) {
	ir.EachExpr(body, func(e *ir.Expr) {
		found = found || e.Search(maxParts, func(x *ir.Expr) (bool, bool) {
			if x.Kind == ir.Function {
				return depth <= maxInside && holdsInside(x.Func.Body, depth+1, is), false
			}
			return is(x), true
		})
	})
	return found
}

// bounds reports whether a function that collects parts compares how much there is.
func bounds(fn *ir.Func) bool {
	found := false
	ir.EachStmt(fn.Body, func(st *ir.Stmt) {
		found = found || st.Step == ir.Branch && st.Cond != nil && st.Cond.Holds(func(e *ir.Expr) bool {
			switch e.Text {
			case "<", ">", "<=", ">=":
				return e.Kind == ir.Other
			}
			return false
		})
	})
	return found
}

// readsRequest returns the function around io.ReadAll(r.Body), where r is a request that came in; nil for any other call.
func (s *surveyor) readsRequest(c *ir.Expr) *ir.Func {
	if c.X == nil || c.X.Text != "ReadAll" || len(c.Args) != 1 {
		return nil
	}
	body := c.Args[0].Value
	if body == nil || body.Kind != ir.Attr || body.Text != "Body" || body.X == nil || body.X.Kind != ir.Name {
		return nil
	}
	bindings, _ := body.X.Scope.Find(body.X.Text)
	if len(bindings) != 1 || bindings[0].Param == nil {
		return nil
	}
	p := bindings[0].Param
	if p.Type == nil || p.Type.X == nil || p.Type.X.Text != "Request" || len(p.Func.Params) < 2 || p.Func.Name == "RoundTrip" { // whose request goes out
		return nil
	}
	return p.Func
}
