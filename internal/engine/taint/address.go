package taint

import (
	"strings"

	"gauntlet/internal/leaf/ir"
)

// knowsDottedOnly reports whether a check of an address reads text itself and has no way to see an IPv4 address that is
// written as IPv6: no package or class made for addresses, and no number read from hexadecimal digits.
func (r *reader) knowsDottedOnly(e *ir.Expr) bool {
	s := addressSearch{r: r, seen: map[*ir.Func]bool{}}
	s.expr(e, 0)
	return s.reads && !s.knows
}

// An addressSearch looks through the functions of a check.
type addressSearch struct {
	r     *reader
	seen  map[*ir.Func]bool
	left  int
	reads bool // it takes addresses apart by itself
	knows bool // it knows the forms of an address
}

const maxAddressSearch = 4000 // expressions

// addressPackages are what knows all forms of an address.
var addressPackages = []string{"ipaddr", "ip-address", "private-ip", "is-ip-private", "netmask", "BlockList", "ip-cidr", "cidr", "ssrf", "ip.", "ip6addr", "@fastify/"}

func (s *addressSearch) expr(e *ir.Expr, depth int) {
	if s.left++; e == nil || s.left > maxAddressSearch || depth > 40 || s.knows {
		return
	}
	switch e.Kind {
	case ir.Call, ir.New:
		s.call(e, depth)
	case ir.Function:
		s.function(e.Func, depth)
	}
	s.expr(e.X, depth+1)
	for _, a := range e.Args {
		s.expr(a.Value, depth+1)
	}
}

func (s *addressSearch) call(e *ir.Expr, depth int) {
	for _, callee := range s.r.a.g.Callees(e, s.r.ctx) {
		if callee.Func != nil {
			s.function(callee.Func, depth)
			continue
		}
		for _, p := range addressPackages {
			s.knows = s.knows || strings.HasPrefix(callee.Name, p) || strings.Contains(callee.Name, "."+p)
		}
		method := lastWord(callee.Name)
		s.reads = s.reads || method == "startsWith" || method == "split" || method == "test" || method == "match"
		if method == "parseInt" && len(e.Args) == 2 && e.Args[1].Value != nil && e.Args[1].Value.Text == "16" {
			s.knows = true
		}
	}
}

func (s *addressSearch) function(fn *ir.Func, depth int) {
	if !s.seen[fn] {
		s.seen[fn] = true
		s.body(fn.Body, depth+1)
	}
}

func (s *addressSearch) body(body []ir.Stmt, depth int) {
	for i := range body {
		st := &body[i]
		s.expr(st.X, depth)
		s.expr(st.Cond, depth)
		for _, a := range st.Arms {
			s.body(a.Body, depth+1)
		}
		s.body(st.Rest, depth+1)
	}
}
