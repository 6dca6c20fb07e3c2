package cli

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"gauntlet/catalog"
	"gauntlet/diff"
	"gauntlet/finding"
	"gauntlet/internal/wire"
	"gauntlet/lock"
)

// current are the servers that lock was asked about and that were read as a whole.
type current struct {
	entries []lock.Server
	servers []*catalog.Server // of the entries
	names   map[string]bool
	left    []string // why others were left out, for a person
	whole   bool     // nothing was left out
}

// newCurrent makes entries of what was gathered. left are the reasons why some was not.
func newCurrent(got *gathered, targets []target, left []string) *current {
	now := &current{left: left, names: map[string]bool{}}
	gaps := gapsOf(got)
	called := map[string]int{}
	for _, s := range got.catalog.Servers {
		called[s.Name]++
	}
	for i, o := range got.outcomes {
		if o.failure != nil {
			now.left = append(now.left, failureText(*o.failure))
		}
		for _, s := range o.servers {
			why := gaps.of(s)
			if why == "" {
				why = repeats(got, &targets[i], s)
			}
			if called[s.Name] > 1 {
				why = "another server has that name, and an address could not tell them apart: lock them in files of their own"
			}
			if why != "" {
				now.left = append(now.left, fmt.Sprintf("%s: not locked: %s", s.Name, why))
				continue
			}
			now.entries = append(now.entries, lock.FromServer(s, whereabouts(&targets[i]), today()))
			now.servers = append(now.servers, s)
			now.names[s.Name] = true
		}
	}
	v := newVeil(got.given)
	for i := range now.left {
		v.message(&now.left[i])
	}
	now.whole = len(now.left) == 0
	return now
}

// gaps are what was not read, by document and server; "" stands for the whole document.
type gaps map[gap]string

type gap struct {
	document int
	server   string
}

// gapsOf finds what was not read. What is malformed was read, and is locked as it is.
func gapsOf(got *gathered) gaps {
	out := gaps{}
	for _, p := range got.catalog.Problems {
		if at := (gap{p.Input, p.Location.Server}); p.Kind != finding.Malformed && out[at] == "" {
			out[at] = p.Message
		}
	}
	return out
}

func (g gaps) of(s *catalog.Server) string {
	return cmp.Or(g[gap{s.Document.Number, s.Name}], g[gap{s.Document.Number, ""}])
}

// repeats returns why a live server cannot be locked that repeats a secret, "" if it can.
func repeats(got *gathered, t *target, s *catalog.Server) string {
	if !t.live() {
		return ""
	}
	names := secretsIn(s.Document.Text, secrets(got.given, t))
	if names == nil {
		return ""
	}
	return fmt.Sprintf("the server repeats the value of %s, and a lockfile is for others to read; capture it, look at the snapshot, and lock that", strings.Join(names, ", "))
}

// secrets are the values given to live servers that a lockfile must not hold. A variable may
// also hold what every text does, as true or production.
func secrets(given []string, t *target) []string {
	if t.command == nil || t.configured() { // of a configuration, those that are secret have been told apart
		return given
	}
	var out []string
	for _, g := range given {
		_, value, _ := strings.Cut(g, "=")
		mixed := strings.ContainsFunc(value, unicode.IsDigit) && strings.ContainsFunc(value, unicode.IsLetter)
		if len(value) >= 8 && mixed || len(value) >= 20 {
			out = append(out, g)
		}
	}
	return out
}

// whereabouts returns where a target is, without anything that may be secret.
func whereabouts(t *target) lock.Target {
	var at lock.Target
	switch {
	case t.command != nil:
		at.Command = filepath.Base(t.command[0])
	case t.url != "":
		at = lock.URLTarget(withoutKeys(t.url))
	}
	hidden := wire.Redactor(t.guard) // what a configuration refers to may stand in an address too
	return lock.Target{Command: hidden.Replace(at.Command), URL: hidden.Replace(at.URL)}
}

// withoutKeys returns a URL without the parts of its path that are keys.
func withoutKeys(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	keys := wire.URLSecrets(text)
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

// against compares with the entries of the same names.
func (now *current) against(old *lock.Read) *diff.Diff {
	was, is := &catalog.Catalog{}, &catalog.Catalog{Servers: now.servers}
	for _, s := range old.Catalog.Servers {
		if now.names[s.Name] {
			was.Servers = append(was.Servers, s)
		}
	}
	return diff.Catalogs(was, is)
}
