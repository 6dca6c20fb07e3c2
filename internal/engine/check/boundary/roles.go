package boundary

import (
	"net/netip"
	"strings"

	"gauntlet/capability"
	"gauntlet/classify"
	"gauntlet/internal/leaf/redact"
	"gauntlet/rawjson"
)

// Roles of parameters in which a value of any length is dangerous.
const (
	commandRole    = "a command"
	pathRole       = "a path"
	addressRole    = "an address"
	credentialRole = "a credential"
)

// maxRoles limits the parameter names whose roles are cached.
const maxRoles = 10_000

// markRoles marks short strings in parameters with a dangerous role.
func (s *valueSweep) markRoles() {
	for i := range s.entries {
		e := &s.entries[i]
		if e.text == "" || e.worthy || !mayBeDangerous(e.trimmed()) {
			continue
		}
		if role := s.roleOf(parameterName(e.value)); fitsRole(role, e.trimmed()) {
			e.role = role
		}
	}
}

// parameterName returns the name of the member that contains a value, directly or in lists.
func parameterName(v rawjson.Value) string {
	for v.Exists() && !v.Key().Exists() {
		v = v.Parent()
	}
	return v.Key().Text()
}

func (s *valueSweep) roleOf(name string) string {
	role, ok := s.roles[name]
	if !ok {
		switch classify.ParameterRole(name) {
		case capability.Command:
			role = commandRole
		case capability.Path:
			role = pathRole
		case capability.URL, capability.Host:
			role = addressRole
		default:
			if redact.CredentialName(name) {
				role = credentialRole
			}
		}
		if len(s.roles) < maxRoles {
			s.roles[strings.Clone(name)] = role
		}
	}
	return role
}

// mayBeDangerous reports whether a short text can be more than a common word: at least two characters, and not a number
// other than an IP address.
func mayBeDangerous(text string) bool {
	return len(text) >= 2 && (strings.Trim(text, "0123456789.,+-eE") != "" || isIPAddress(text)) && !isCommonWord(text)
}

func isIPAddress(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil
}

// fitsRole reports whether a short text has the form of a role: a path or address of a single word is a name, which
// servers may share for honest reasons.
func fitsRole(role, text string) bool {
	switch role {
	case commandRole:
		return true
	case pathRole:
		return strings.ContainsAny(text, `/\~`) || strings.HasPrefix(text, ".")
	case addressRole:
		return strings.ContainsAny(text, ".:/") || strings.EqualFold(text, "localhost")
	case credentialRole:
		return len(text) >= 6 && strings.ContainsAny(text, "0123456789")
	}
	return false
}
