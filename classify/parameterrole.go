package classify

import (
	"strings"

	"gauntlet/capability"
)

// ParameterRole returns the role that a parameter's name suggests, capability.Text if it suggests
// none.
func ParameterRole(name string) capability.Role {
	var t tally
	p := parameter{name: name, parts: paramName(name, nil)}
	p.whole = strings.Join(p.parts, "")
	newToolReader(new(Lens)).scoreRoleName(&t, &p, p.parts)
	return t.bestRole().role
}
