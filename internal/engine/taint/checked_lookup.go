package taint

import (
	"strings"

	"gauntlet/internal/leaf/ir"
)

// A request may be given what connects for it: an agent whose lookup compares the address that it found before the connection is made.
// No name that resolves to something else a moment later passes such a check.

// connectors are options of a request that say who connects.
var connectors = names("dispatcher agent httpAgent httpsAgent lookup connect transport connector")

// filteringPackages make agents that refuse addresses of this machine's networks.
var filteringPackages = []string{"request-filtering-agent", "ssrf-req-filter", "ssrf-agent", "ssrf-filter", "private-ip-filter", "advocate", "drawbridge", "safeurl"}

// connectsChecked reports whether a request is made by something that compares the addresses that it connects to.
func (r *reader) connectsChecked(c call) bool {
	for _, a := range c.expr.Args {
		if a.Value == nil {
			continue
		}
		if connectors[a.Name] && r.checksAddresses(a.Value, 0) {
			return true
		}
		if d := r.a.g.Written(a.Value); d.Kind == ir.Object {
			for _, m := range d.Args {
				if connectors[m.Name] && m.Value != nil && r.checksAddresses(m.Value, 0) {
					return true
				}
			}
		}
	}
	return false
}

// checksAddresses reports whether an expression holds a function that looks a name up and can end early because of what it found.
func (r *reader) checksAddresses(e *ir.Expr, depth int) bool {
	if e == nil || depth > 8 || !r.spend() {
		return false
	}
	if e.Kind == ir.Name || e.Kind == ir.Attr {
		for _, callee := range r.a.g.Functions(e, r.ctx) {
			if s := (lookupSearch{r: r}); s.body(callee.Func.Body, 0) {
				return true
			}
		}
		if d := r.a.g.Written(e); d != e {
			return r.checksAddresses(d, depth+1)
		}
		return false
	}
	if e.Kind == ir.Function {
		s := lookupSearch{r: r}
		return s.body(e.Func.Body, 0)
	}
	if e.Kind == ir.Call || e.Kind == ir.New {
		name := r.a.g.Outside(e.X, r.ctx)
		for _, p := range filteringPackages {
			if strings.HasPrefix(name, p) {
				return true
			}
		}
	}
	for _, a := range e.Args {
		if r.checksAddresses(a.Value, depth+1) {
			return true
		}
	}
	return false
}

// A lookupSearch looks through a function, and those written in it, for a lookup and a way out behind a condition.
type lookupSearch struct {
	r            *reader
	looks, leave bool
}

func (s *lookupSearch) body(body []ir.Stmt, depth int) bool {
	for i := range body {
		st := &body[i]
		s.expr(st.X, depth)
		s.expr(st.Cond, depth)
		for _, a := range st.Arms {
			if st.Cond != nil && s.looks && isBranchOut(a.Body) {
				s.leave = s.leave || asksMore(st.Cond)
			}
			s.body(a.Body, depth+1)
		}
		s.body(st.Rest, depth+1)
	}
	return s.looks && s.leave
}

func (s *lookupSearch) expr(e *ir.Expr, depth int) {
	if e == nil || depth > 20 || !s.r.spend() {
		return
	}
	if e.Kind == ir.Call {
		s.looks = s.looks || lookups[s.r.a.g.Outside(e.X, s.r.ctx)]
	}
	if e.Kind == ir.Function {
		s.body(e.Func.Body, depth+1)
	}
	s.expr(e.X, depth+1)
	for _, a := range e.Args {
		s.expr(a.Value, depth+1)
	}
}

// isBranchOut reports whether a body leaves the function.
func isBranchOut(body []ir.Stmt) bool {
	for i := range body {
		if body[i].Step == ir.Return {
			return true
		}
	}
	return false
}

// asksMore reports whether a condition asks more than whether something is there: if (err) is no check of an address.
func asksMore(e *ir.Expr) bool { return e.Kind == ir.Call || e.Kind == ir.Other || e.Kind == ir.Either }
