package classify

import (
	"strings"

	"gauntlet/capability"
)

// ParameterRole returns what a parameter of this name is, as far as the name alone tells;
// capability.Text where it tells nothing. See [Tool] for what a definition tells.
func ParameterRole(name string) capability.Role {
	var t tally
	p := parameter{name: name, parts: paramName(name, nil)}
	p.whole = strings.Join(p.parts, "")
	newToolReader().scoreRoleName(&t, &p, p.parts)
	return t.bestRole().role
}
