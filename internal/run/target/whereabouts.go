package target

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/internal/leaf/redact"
	"gauntlet/lock"
)

// markServers marks servers by how the user named them, so that a lockfile can distinguish and match them.
func markServers(servers []*catalog.Server, t *Target) {
	at := Whereabouts(t)
	for _, s := range servers {
		if t.Entries != nil {
			s.Entries = t.Entries
		}
		if t.Live() {
			s.Target = cmp.Or(at.URL, at.Command)
		}
	}
}

// Whereabouts returns a target's location without secrets: values expanded from a configuration's references may be part of a URL
// too.
func Whereabouts(t *Target) lock.Target {
	var at lock.Target
	switch {
	case t.Command != nil:
		at.Command = t.Program()
	case t.URL != "":
		at = lock.URLTarget(withoutKeys(t.URL))
	}
	hidden := redact.New(t.Guard)
	return lock.Target{Command: hidden.Replace(at.Command), URL: hidden.Replace(at.URL)}
}

// withoutKeys returns a URL without path segments that are keys.
func withoutKeys(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	keys := redact.URLSecrets(text)
	parts := strings.Split(u.EscapedPath(), "/")
	for i, part := range parts {
		if plain, err := url.PathUnescape(part); err != nil || slices.Contains(keys, "path="+plain) {
			parts[i] = "KEY"
		}
	}
	u.RawPath = strings.Join(parts, "/")
	if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
		return ""
	}
	return u.String()
}
