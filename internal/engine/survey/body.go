package survey

import (
	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
	"slices"
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
			if fn := s.readsRequest(c); fn != nil && !s.g.Reaches(fn.Body, 0, func(x *ir.Expr) bool { return x.Kind == ir.Call && x.X != nil && x.X.Text == "MaxBytesReader" }) {
				s.report(sink.UnboundedRead, c, "body", "the body of a request is read into memory as a whole, however long it is")
			}
		}
	}
}

// collector returns the function that takes the parts of a request's body as they come: req.on("data", f). A request is what a
// function gets beside the response to it.
func (s *surveyor) collector(c *ir.Expr) *ir.Expr {
	event, f := c.Arg(0), c.Arg(1)
	if !c.X.Is(ir.Attr) || c.X.Text != "on" || len(c.Args) != 2 || event == nil || event.Text != "data" || !f.Is(ir.Function) {
		return nil
	}
	request := c.X.X.Binding().Param
	if request == nil || request.Index != 0 || len(request.Func.Params) < 2 || !s.answers(request.Func, request.Func.Params[1].Name) {
		return nil
	}
	return f
}

// responseMembers are what a server calls on the response to a request.
var responseMembers = callgraph.Names("writeHead end setHeader statusCode status json send")

// answers reports whether a function uses a parameter as the response to a request, or hands it on.
func (s *surveyor) answers(fn *ir.Func, name string) bool {
	return s.g.Reaches(fn.Body, 0, func(x *ir.Expr) bool {
		if x.Kind == ir.Attr {
			return responseMembers[x.Text] && x.X != nil && x.X.Kind == ir.Name && x.X.Text == name
		}
		second := x.Arg(1)
		return x.Kind == ir.Call && second != nil && second.Kind == ir.Name && second.Text == name
	})
}

// bounds reports whether a function that collects parts compares how much there is.
func bounds(fn *ir.Func) (found bool) {
	ir.EachCondition(fn.Body, func(st *ir.Stmt) {
		found = found || st.Cond.Holds(func(e *ir.Expr) bool {
			return e.Kind == ir.Other && slices.Contains([]string{"<", ">", "<=", ">="}, e.Text)
		})
	})
	return found
}

// readsRequest returns the function around io.ReadAll(r.Body), where r is a request that came in; nil for any other call.
func (s *surveyor) readsRequest(c *ir.Expr) *ir.Func {
	body := c.Arg(0)
	if c.Calls() != "ReadAll" || !body.Is(ir.Attr) || body.Text != "Body" {
		return nil
	}
	p := body.X.Binding().Param
	if p == nil || p.Type == nil || p.Type.X == nil || p.Type.X.Text != "Request" || len(p.Func.Params) < 2 || p.Func.Name == "RoundTrip" { // whose request goes out
		return nil
	}
	return p.Func
}
