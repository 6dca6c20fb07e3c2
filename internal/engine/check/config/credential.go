package config

import (
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// placeholder matches what manuals write in place of a secret.
var placeholder = lazyregexp.New(`(?i)^[<\[{(].*[>\]})]$|your|my[-_]|example|change.?me|replace|placeholder|dummy|redacted|insert|enter|todo|fixme|sample|xxx|\*\*\*|\.\.\.|…|^(?:true|false|none|null|nil|undefined|default|optional|required|test|secret|password|token|key|api.?key|bearer|basic|dev|local|anonymous|public|admin|root|user|postgres|guest)$`)

// credible reports whether a literal value can be a secret: long enough, without white space, not a placeholder, path,
// number or reference. A password may be a short word; a key or token has digits or is long.
func credible(value string, password bool) bool {
	v := strings.TrimSpace(literal(value))
	switch {
	case v == "" || strings.ContainsAny(v, " \t\n") || placeholder.MatchString(v):
		return false
	case strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "~") || strings.HasPrefix(v, `C:\`) || strings.Contains(v, "://"):
		return false
	case strings.Trim(v, "0123456789.,") == "" && (!password || len(v) < 6):
		return false
	case strings.Trim(v, v[:1]) == "":
		return false
	}
	if password {
		return len(v) >= 6
	}
	return len(v) >= 8 && (strings.ContainsAny(v, "0123456789") || len(v) >= 20)
}

// drawn reports whether a path segment looks random, like the keys that some services put into server URLs.
func drawn(s string) bool {
	digits, letters, turns, last := 0, 0, 0, 0
	for i := range len(s) {
		class := 0
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits++
			class = 1
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			letters++
			class = 2
		}
		if class != last && last != 0 {
			turns++
		}
		last = class
	}
	return len(s) >= 20 && digits >= 4 && letters >= 4 && turns >= 6 && !uuid.MatchString(s)
}

var uuid = lazyregexp.New(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
