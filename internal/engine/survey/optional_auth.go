package survey

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// A check of a credential that passes where the server was given none guards nothing until somebody configures it:
// if (TOKEN && request.headers.authorization !== TOKEN) refuse, or if not API_KEY: return await call_next(request).

// isOptional reports whether a function that refuses requests asks for its credential only where a variable of the environment is
// set, without which the server starts all the same.
func (s *surveyor) isOptional(fn *ir.Func) bool {
	if s.isPutOptionally(fn) {
		return true
	}
	optional := ""
	ir.EachCondition(fn.Body, func(st *ir.Stmt) {
		if optional != "" {
			return
		}
		if c := st.Cond; c.Kind == ir.Either && c.Text == "&&" {
			for _, a := range c.Args {
				optional = cmp.Or(optional, s.settingAsked(a.Value, true))
			}
			return
		}
		if len(st.Arms) > 0 && !headersIn(st.Arms[0].Body).refuses && ir.Leaves(st.Arms[0].Body) { // if (!TOKEN) return next()
			optional = cmp.Or(optional, s.settingAsked(st.Cond, false))
		} else if len(st.Arms) > 0 && !headersIn(st.Rest).refuses { // if (TOKEN) { … }
			optional = cmp.Or(optional, s.settingAsked(st.Cond, true))
		}
	})
	return optional != "" && !s.isDemanded(optional)
}

// isPutOptionally reports whether a function that refuses requests is put before an endpoint only where a setting is there, or where another way
// puts the endpoint there without it: if token != "" { mux.Handle("/mcp", bearer(h)) } else { mux.Handle("/mcp", h) }.
func (s *surveyor) isPutOptionally(fn *ir.Func) bool {
	for fn.Name == "" && fn.Scope.Up.Owner() != nil { // the handler that a middleware returns
		fn = fn.Scope.Up.Owner()
	}
	name := fn.Name
	if fn.Class != nil && s.lang == "python" { // app.add_middleware(TokenMiddleware)
		name = fn.Class.Name
	}
	puts := func(body []ir.Stmt) (calls []string) {
		ir.EachExpr(body, func(e *ir.Expr) {
			if e.Holds(func(x *ir.Expr) bool { return lastName(x) == name }) {
				calls = append(calls, e.Calls())
			}
		})
		return calls
	}
	all, optional := 0, 0
	for _, body := range s.g.Program().Bodies() {
		all += len(puts(body))
		ir.EachCondition(body, func(st *ir.Stmt) {
			yes, no := st.Ways()
			guarded := puts(yes)
			setting := s.settingAsked(st.Cond, true)
			open := setting != "" && !s.isDemanded(setting)
			ir.EachExpr(no, func(e *ir.Expr) { open = open || slices.Contains(guarded, e.Calls()) })
			if open && len(puts(no)) == 0 {
				optional += len(guarded)
			}
		})
	}
	return optional > 0 && optional >= all
}

// isForgiving reports whether a function refuses only a credential that is wrong: if (supplied && supplied !== KEY) return false; return true.
// Whoever sends none is let in.
func (s *surveyor) isForgiving(fn *ir.Func) bool {
	found := false
	for i := range fn.Body {
		st := &fn.Body[i]
		c := st.Cond
		if st.Step == ir.Return && i == len(fn.Body)-1 && (st.X == nil || isFalse(st.X)) || st.Throws {
			return false
		}
		if st.Step != ir.Branch || c == nil || st.Block != ir.Plain || len(st.Arms) == 0 || len(st.Rest) > 0 || !ir.Leaves(st.Arms[0].Body) {
			continue
		}
		if x, there := ir.Presence(c); !there && s.isCredential(x) { // if (!supplied) return false
			return false
		}
		refuses := headersIn(st.Arms[0].Body).refuses || isFalse(st.Arms[0].Body[len(st.Arms[0].Body)-1].X)
		if refuses && c.Kind == ir.Either && c.Text == "&&" && s.isCredential(firstPart(c)) {
			found = true
		}
	}
	return found
}

// firstPart returns the first of the parts that have to hold together.
func firstPart(e *ir.Expr) *ir.Expr {
	for e != nil && e.Kind == ir.Either && e.Text == "&&" && len(e.Args) > 0 {
		e = e.Args[0].Value
	}
	return e
}

// isCredential reports whether an expression is the credential of a request, itself or by a function of the program that reads it.
func (s *surveyor) isCredential(e *ir.Expr) bool {
	if !e.Is(ir.Name, ir.Attr) {
		return false
	}
	d := s.g.Definition(e)
	return headersIn([]ir.Stmt{{X: d}}).credential || d.Kind == ir.Call && slices.ContainsFunc(s.g.Callees(d, nil), func(c callgraph.Callee) bool {
		return c.Func != nil && headersIn(c.Func.Body).credential
	})
}

func isFalse(e *ir.Expr) bool { return e != nil && (e.Text == "false" || e.Text == "False") }

// settingAsked returns the name by which a condition asks whether a variable of the environment is set or, as there says, is not; "" for any
// other.
func (s *surveyor) settingAsked(cond *ir.Expr, there bool) string {
	x, holds := ir.Presence(cond)
	if x == nil || holds != there {
		return ""
	}
	d := s.g.Definition(x)
	if name, ok := s.g.Variable(d, nil); ok && name != "*" && len(d.Args) < 2 {
		return x.Text
	}
	return ""
}

// isDemanded reports whether the program ends where a setting is not set.
func (s *surveyor) isDemanded(name string) (demanded bool) {
	for _, body := range s.g.Program().Bodies() {
		ir.EachCondition(body, func(st *ir.Stmt) {
			if x, there := ir.Presence(st.Cond); x != nil && !there && x.Text == name && len(st.Arms) > 0 {
				demanded = demanded || ends(st.Arms[0].Body)
			}
		})
	}
	return demanded
}

// ends reports whether a body raises an error or ends the process.
func ends(body []ir.Stmt) bool {
	return slices.ContainsFunc(body, func(st ir.Stmt) bool {
		name := st.X.Calls()
		return st.Step == ir.Return && st.Throws || name == "exit" || name == "Exit" || strings.HasPrefix(name, "Fatal")
	})
}
