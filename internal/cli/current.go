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
	names   map[string]bool   // their addresses
	asked   map[string]bool   // the addresses of all that were asked about, as far as they are known
	left    []string          // why others were left out, for a person
	whole   bool              // nothing was left out
}

// newCurrent makes entries of what was gathered. left are the reasons why some was not.
func newCurrent(got *gathered, targets []target, left []string) *current {
	now := &current{left: left, names: map[string]bool{}, asked: map[string]bool{}}
	gaps := gapsOf(got)
	called := callings(got, targets)
	for i, o := range got.outcomes {
		for _, a := range targets[i].entries {
			now.asked[a] = true
		}
		if o.failure != nil {
			now.left = append(now.left, failureText(*o.failure))
		}
		for _, s := range o.servers {
			why := cmp.Or(gaps.of(s), repeats(got, &targets[i], s))
			for _, s := range oneEach(s) {
				now.add(lock.FromServer(s, whereabouts(&targets[i]), today()), s, called, why)
			}
		}
	}
	v := newVeil(got.given)
	for i := range now.left {
		v.message(&now.left[i])
	}
	now.whole = len(now.left) == 0
	return now
}

// callings counts the servers of each address. One that could not be read counts too: its
// address is not free for another.
func callings(got *gathered, targets []target) map[string]int {
	called := map[string]int{}
	for i, o := range got.outcomes {
		if len(o.servers) == 0 {
			for _, a := range targets[i].entries {
				called[a]++
			}
		}
		for _, s := range o.servers {
			for _, one := range oneEach(s) {
				called[addressOf(one)]++
			}
		}
	}
	return called
}

// addressOf is what a lockfile calls a server, by the first of its entries.
func addressOf(s *catalog.Server) string {
	if len(s.Entries) > 0 {
		return s.Entries[0]
	}
	return s.Name
}

// oneEach returns the server once for each of its entries, each of which is locked for itself: it
// may stand for another server tomorrow.
func oneEach(s *catalog.Server) []*catalog.Server {
	if len(s.Entries) < 2 {
		return []*catalog.Server{s}
	}
	var out []*catalog.Server
	for _, e := range s.Entries {
		one := *s
		one.Entries = []string{e}
		out = append(out, &one)
	}
	return out
}

// add takes an entry unless there is a reason why not.
func (now *current) add(e lock.Server, s *catalog.Server, called map[string]int, why string) {
	address := e.Address()
	now.asked[address] = true
	if called[address] > 1 {
		why = "another server of that name is among the targets: give them keys of their own in the configuration, lock one with --as NAME, or lock them in separate files"
	}
	if why != "" {
		now.left = append(now.left, fmt.Sprintf("%s: not locked: %s", address, why))
		return
	}
	now.entries = append(now.entries, e)
	now.servers = append(now.servers, s)
	now.names[address] = true
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

// against compares with the entries of the same addresses.
func (now *current) against(old *lock.Read) *diff.Diff {
	was, is := &catalog.Catalog{}, &catalog.Catalog{Servers: now.servers}
	for _, s := range old.Catalog.Servers {
		if now.names[addressOf(s)] {
			was.Servers = append(was.Servers, s)
		}
	}
	return diff.Catalogs(was, is)
}
