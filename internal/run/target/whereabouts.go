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

// markServers tells servers by how the user found them, so that they can be told apart in a lockfile
// and matched with what it holds.
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

// Whereabouts returns where a target is, without anything that may be secret: what a
// configuration refers to may be a part of an address too.
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

// withoutKeys returns a URL without the parts of its path that are keys.
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
