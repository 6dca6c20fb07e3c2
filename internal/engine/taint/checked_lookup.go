package taint

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
)

// A request may be given what connects for it: an agent whose lookup compares the address that it found before the connection is made.
// No name that resolves to something else a moment later passes such a check.

// connectors are options of a request that say who connects.
var connectors = strings.Fields("dispatcher agent httpAgent httpsAgent lookup connect transport connector")

var filteringPackages = lazyregexp.New(`^(request-filtering-agent|ssrf-req-filter|ssrf-agent|ssrf-filter|private-ip-filter|advocate|drawbridge|safeurl)`)

// connectsChecked reports whether a request is made by something that compares the addresses that it connects to: a client of such a package, or a
// function that looks a name up and can end early because of what it found. The client may be made with it, and be a member of something.
func (r *reader) connectsChecked(c call) bool {
	checks := func(e *ir.Expr) (found, into bool) {
		switch e.Kind {
		case ir.Function:
			found = r.looksAndLeaves(e.Func.Body, false)
		case ir.Name, ir.Attr:
			found = r.anyLooksAndLeaves(e, false)
		case ir.Call, ir.New:
			found = filteringPackages.MatchString(r.a.g.Outside(e.X, r.ctx)) || r.anyLooksAndLeaves(e.Option("Control"), true)
			if class := r.a.g.ClassOf(e, r.ctx); class != nil && !found {
				found = slices.ContainsFunc(slices.Sorted(maps.Keys(class.Methods)), func(m string) bool { return r.looksAndLeaves(class.Methods[m].Body, false) })
			}
		}
		return found, r.spend()
	}
	return slices.ContainsFunc(connectors, func(o string) bool { return r.a.g.Looks(r.optionOf(c.expr, o), checks) }) ||
		slices.ContainsFunc(r.clients(c), func(e *ir.Expr) bool { return r.a.g.Looks(e, checks) })
}

// clients returns what the receiver of a call is made of.
func (r *reader) clients(c call) (out []*ir.Expr) {
	if !c.expr.X.Is(ir.Attr) {
		return nil
	}
	x := r.a.g.Definition(c.expr.X.X)
	class := r.a.g.ClassOf(x.X, r.ctx)
	if !x.Is(ir.Attr) || class == nil {
		return []*ir.Expr{x}
	}
	out = slices.Clone(class.Fields[x.Text])
	for _, o := range r.a.g.Program().Objects {
		if o.Is(ir.New) && o.HasMember(x.Text) && r.a.g.ClassOf(o, nil) == class {
			out = append(out, o.Member(x.Text))
		}
	}
	return out
}

// anyLooksAndLeaves is looksAndLeaves of the functions that an expression may stand for.
func (r *reader) anyLooksAndLeaves(e *ir.Expr, looks bool) bool {
	return e != nil && slices.ContainsFunc(r.a.g.Functions(e, r.ctx), func(callee callgraph.Callee) bool { return r.looksAndLeaves(callee.Func.Body, looks) })
}

// looksAndLeaves reports whether a body, or one of a function in it, looks a name up, unless it is given what was found, and has a way out behind
// a condition.
func (r *reader) looksAndLeaves(body []ir.Stmt, looks bool) bool {
	leaves := false
	var read func(body []ir.Stmt)
	look := func(e *ir.Expr) (found, into bool) {
		looks = looks || e.Kind == ir.Call && operations[r.a.g.Outside(e.X, r.ctx)].name == "lookup"
		if e.Kind == ir.Function {
			read(e.Func.Body)
		}
		return !r.spend(), true
	}
	read = func(body []ir.Stmt) {
		ir.EachStmt(body, func(s *ir.Stmt) {
			s.X.Search(maxPartsDeep, look)
			s.Cond.Search(maxPartsDeep, look)
			leaves = leaves || looks && s.Cond != nil && asksMore(s.Cond) && slices.ContainsFunc(s.Arms, func(a ir.Arm) bool { return ir.Leaves(a.Body) })
		})
	}
	read(body)
	return looks && leaves
}

// asksMore reports whether a condition asks more than whether something is there: if (err) is no check of an address.
func asksMore(e *ir.Expr) bool { return e.Kind == ir.Call || e.Kind == ir.Other || e.Kind == ir.Either }
