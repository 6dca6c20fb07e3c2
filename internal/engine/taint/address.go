package taint

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
)

// addressPackages are what knows all forms of an address.
var addressPackages = []string{"ipaddr", "ip-address", "private-ip", "is-ip-private", "netmask", "BlockList", "ip-cidr", "cidr", "ssrf", "ip.", "ip6addr", "@fastify/"}

// maxAddressCalls is how many calls, one inside the other, are followed from a check of an address.
const maxAddressCalls = 16

// knowsDottedOnly reports whether a check of an address reads text itself and has no way to see an IPv4 address that is
// written as IPv6: no package or class made for addresses, and no number read from hexadecimal digits.
func (r *reader) knowsDottedOnly(check *ir.Expr) bool {
	reads, knows := false, false // addresses are taken apart by the program itself; the forms of an address are known
	r.a.g.Reaches([]ir.Stmt{{X: check}}, maxAddressCalls, func(e *ir.Expr) bool {
		if !e.Is(ir.Call, ir.New) {
			return false
		}
		for _, name := range r.a.g.NamesOf(e) {
			method, second := lastWord(name), e.Arg(1)
			reads = reads || method == "startsWith" || method == "split" || method == "test" || method == "match"
			knows = knows || method == "parseInt" && second != nil && second.Text == "16" ||
				slices.ContainsFunc(addressPackages, func(p string) bool { return strings.HasPrefix(name, p) || strings.Contains(name, "."+p) })
		}
		return knows
	})
	return reads && !knows
}

// maxPartsDeep is how deep the parts of an expression are looked at.
const maxPartsDeep = 40
