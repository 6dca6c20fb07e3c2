// Package lockstate turns servers just read into lockfile entries, and says which cannot be locked and why.
package lockstate

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"gauntlet/catalog"
	"gauntlet/diff"
	"gauntlet/finding"
	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/run/target"
	"gauntlet/lock"
)

// A State holds the requested servers that were read completely.
type State struct {
	Entries []lock.Server
	servers []*catalog.Server // of the entries
	names   map[string]bool   // their addresses
	Asked   map[string]bool   // addresses of all requested servers, as far as known
	Left    []string          // why others were left out, for a person; may quote servers
}

// New returns entries of what was gathered, approved today. left holds reasons why some was not gathered.
func New(got *target.Gathered, targets []target.Target, left []string, today string) *State {
	now := &State{Left: left, names: map[string]bool{}, Asked: map[string]bool{}}
	gaps := findGaps(got)
	called := countAddresses(got, targets)
	for i, o := range got.Outcomes {
		for _, a := range targets[i].Entries {
			now.Asked[a] = true
		}
		if o.Failure != nil {
			now.Left = append(now.Left, target.FailureText(*o.Failure))
		} else if len(o.Servers) == 0 {
			now.Left = append(now.Left, cmp.Or(targets[i].File, "a target")+": not locked: it holds no server")
		}
		for _, s := range o.Servers {
			why := cmp.Or(gaps.ofServer(s), repeatedSecrets(got, &targets[i], s))
			for _, s := range oneForEachEntry(s) {
				now.addEntry(lock.FromServer(s, target.Whereabouts(&targets[i]), today), s, called, why)
			}
		}
	}
	return now
}

// countAddresses counts the servers per address. An unreadable one counts too: its address is not free for another.
func countAddresses(got *target.Gathered, targets []target.Target) map[string]int {
	called := map[string]int{}
	for i, o := range got.Outcomes {
		if len(o.Servers) == 0 {
			for _, a := range targets[i].Entries {
				called[a]++
			}
		}
		for _, s := range o.Servers {
			for _, one := range oneForEachEntry(s) {
				called[AddressOf(one)]++
			}
		}
	}
	return called
}

// AddressOf returns a server's name in lockfiles, by its first entry.
func AddressOf(s *catalog.Server) string {
	if len(s.Entries) > 0 {
		return s.Entries[0]
	}
	return s.Name
}

// oneForEachEntry returns the server once per entry. Each is locked separately: tomorrow it may stand for another server.
func oneForEachEntry(s *catalog.Server) []*catalog.Server {
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

// addEntry adds an entry unless there is a reason not to.
func (now *State) addEntry(e lock.Server, s *catalog.Server, called map[string]int, why string) {
	address := e.Address()
	now.Asked[address] = true
	if called[address] > 1 {
		why = "another server of that name is among the targets: give them keys of their own in the configuration, lock one with --as NAME, or lock them in separate files"
	}
	if why != "" {
		now.Left = append(now.Left, fmt.Sprintf("%s: not locked: %s", address, why))
		return
	}
	now.Entries = append(now.Entries, e)
	now.servers = append(now.servers, s)
	now.names[address] = true
}

// gaps says what was not read, by document and server; "" stands for the whole document.
type gaps map[gap]string

type gap struct {
	document int
	server   string
}

// findGaps finds what was not read. Malformed parts were read, and are locked unchanged.
func findGaps(got *target.Gathered) gaps {
	out := gaps{}
	for _, p := range got.Catalog.Problems {
		if at := (gap{p.Input, p.Location.Server}); p.Kind != finding.Malformed && out[at] == "" {
			out[at] = p.Message
		}
	}
	return out
}

func (g gaps) ofServer(s *catalog.Server) string {
	return cmp.Or(g[gap{s.Document.Number, s.Name}], g[gap{s.Document.Number, ""}])
}

// repeatedSecrets returns why a live server that repeats a secret cannot be locked, or "".
func repeatedSecrets(got *target.Gathered, t *target.Target, s *catalog.Server) string {
	if !t.Live() {
		return ""
	}
	names := redact.New(telltaleSecrets(got.Secrets, t)).Names(s.Document.Text)
	if names == nil {
		return ""
	}
	return fmt.Sprintf("the server repeats the value of %s, and a lockfile is for others to read; capture it, look at the snapshot, and lock that", strings.Join(names, ", "))
}

// telltaleSecrets returns the values given to live servers that a lockfile must not hold. Common values of variables, such as true
// or production, are not among them.
func telltaleSecrets(given []string, t *target.Target) []string {
	if t.Command == nil || t.Configured { // a configuration's secrets are already identified
		return given
	}
	var out []string
	for _, g := range given {
		name, value, _ := strings.Cut(g, "=")
		mixed := strings.ContainsFunc(value, unicode.IsDigit) && strings.ContainsFunc(value, unicode.IsLetter)
		if redact.CredentialName(name) || len(value) >= 8 && mixed || len(value) >= 16 {
			out = append(out, g)
		}
	}
	return out
}

// Diff compares with the entries of the same addresses.
func (now *State) Diff(old *lock.Read) *diff.Diff {
	was, is := &catalog.Catalog{}, &catalog.Catalog{Servers: now.servers}
	for _, s := range old.Catalog.Servers {
		if now.names[AddressOf(s)] {
			was.Servers = append(was.Servers, s)
		}
	}
	return diff.Catalogs(was, is)
}
