package taint

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
)

// addressPackages are what knows all forms of an address.
var addressPackages = []string{"ipaddr", "ip-address", "private-ip", "is-ip-private", "netmask", "BlockList", "ip-cidr", "cidr", "ssrf", "ip.", "ip6addr", "@fastify/"}

const maxAddressSearch = 4000 // expressions

// knowsDottedOnly reports whether a check of an address reads text itself and has no way to see an IPv4 address that is
// written as IPv6: no package or class made for addresses, and no number read from hexadecimal digits.
func (r *reader) knowsDottedOnly(check *ir.Expr) bool {
	seen := map[*ir.Func]bool{}
	left := maxAddressSearch
	reads, knows := false, false // addresses are taken apart by the program itself; the forms of an address are known
	var look func(e *ir.Expr) (found, into bool)
	enter := func(fn *ir.Func) {
		if !seen[fn] {
			seen[fn] = true
			ir.EachExpr(fn.Body, func(e *ir.Expr) { e.Search(maxPartsDeep, look) })
		}
	}
	look = func(e *ir.Expr) (found, into bool) {
		if left--; left < 0 || knows {
			return true, false
		}
		switch e.Kind {
		case ir.Function:
			enter(e.Func)
		case ir.Call, ir.New:
			for _, callee := range r.a.g.Callees(e, r.ctx) {
				if callee.Func != nil {
					enter(callee.Func)
					continue
				}
				method := lastWord(callee.Name)
				reads = reads || method == "startsWith" || method == "split" || method == "test" || method == "match"
				knows = knows || method == "parseInt" && len(e.Args) == 2 && e.Args[1].Value != nil && e.Args[1].Value.Text == "16" ||
					slices.ContainsFunc(addressPackages, func(p string) bool { return strings.HasPrefix(callee.Name, p) || strings.Contains(callee.Name, "."+p) })
			}
		}
		return false, true
	}
	check.Search(maxPartsDeep, look)
	return reads && !knows
}

// maxPartsDeep is how deep the parts of an expression are looked at.
const maxPartsDeep = 40
