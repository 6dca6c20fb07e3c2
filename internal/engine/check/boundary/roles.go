package boundary

import (
	"net/netip"
	"strings"

	"gauntlet/capability"
	"gauntlet/classify"
	"gauntlet/internal/leaf/redact"
	"gauntlet/rawjson"
)

// The roles of parameters in which a value is dangerous whatever its length.
const (
	commandRole    = "a command"
	pathRole       = "a path"
	addressRole    = "an address"
	credentialRole = "a credential"
)

// maxRoles bounds the names of parameters whose roles are remembered.
const maxRoles = 10_000

// markRoles tells the short strings that are given to parameters with a dangerous role.
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

// parameterName is the name of the member that holds a value, directly or in lists.
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

// mayBeDangerous reports whether a short text can be more than a word that everybody uses: it
// is no number, unless it is an IP address, and has two characters at least.
func mayBeDangerous(text string) bool {
	return len(text) >= 2 && (strings.Trim(text, "0123456789.,+-eE") != "" || isIPAddress(text)) && !isCommonWord(text)
}

func isIPAddress(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil
}

// fitsRole reports whether a short text has the form of what a role takes: a path or an address
// that is one word is a name, which servers have in common for honest reasons.
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
