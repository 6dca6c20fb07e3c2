// Package lockstate turns servers just read into lockfile entries, and says which cannot be locked and why.
package lockstate

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode"

	"gauntlet/catalog"
	"gauntlet/diff"
	"gauntlet/finding"
	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/leaf/suggest"
	"gauntlet/internal/run/target"
	"gauntlet/lock"
	"gauntlet/report"
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

// Diff compares with the entries of the same addresses; what was left out makes it incomplete.
func (now *State) Diff(old *lock.Read) *diff.Diff {
	was, is := &catalog.Catalog{}, &catalog.Catalog{Servers: now.servers}
	for _, s := range old.Catalog.Servers {
		if now.names[AddressOf(s)] {
			was.Servers = append(was.Servers, s)
		}
	}
	for _, why := range now.Left {
		is.Problems = append(is.Problems, finding.Problem{Kind: finding.Unread, Message: why, Input: -1})
	}
	return diff.Catalogs(was, is)
}

// A Lockfile is a lockfile and its planned changes. Nothing is written here.
type Lockfile struct {
	Name    string
	Old     *lock.Read // nil if there is none yet
	Removed []string   // servers removed from it
}

// ErrMissing says that there is no lockfile yet.
var ErrMissing = errors.New("no such file")

// Open reads the lockfile; ErrMissing if there is none. One edited by hand cannot be compared with: its faults are reported, and
// that is an error.
func Open(name string, read func(name string, limit int) (string, error), limits catalog.Limits, say func(format string, args ...any)) (*Lockfile, error) {
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, ErrMissing
	}
	text, err := read(name, limits.Bytes)
	if err != nil {
		return nil, err
	}
	if !lock.Is(text) {
		return nil, fmt.Errorf("%s: it is there and no lockfile: name another with --output", name)
	}
	old, err := lock.Parse(name, text, limits)
	if err != nil {
		return nil, err
	}
	if old.Damage != nil {
		for _, p := range old.Damage {
			say("%s", target.FailureText(p))
		}
		return nil, fmt.Errorf("%s: nothing in it is taken for approved: get back the file as gauntlet wrote it, or take it away and lock anew", name)
	}
	return &Lockfile{Name: name, Old: old}, nil
}

// First returns a lockfile that approves everything that was read.
func First(now *State, today string) *lock.File {
	var all []lock.Address
	for i := range now.Entries {
		all = append(all, lock.Address{Server: now.Entries[i].Address()})
	}
	f := &lock.File{}
	f.Approve(now.Entries, all, today)
	return f
}

// Remove removes servers.
func (l *Lockfile) Remove(servers []string) error {
	for _, typed := range servers {
		if !slices.Contains(l.Removed, typed) && !l.Old.Remove(typed) {
			return fmt.Errorf("%s holds no server %q%s", l.Name, typed, l.suggestServer(typed))
		}
		l.Removed = append(l.Removed, typed)
	}
	return nil
}

func (l *Lockfile) suggestServer(typed string) string {
	var names []string
	for i := range l.Old.Servers {
		names = append(names, l.Old.Servers[i].Address())
	}
	return suggestName(typed, names, "; it is empty", ": want one of ")
}

// suggestName returns help for an unknown name: a similar one, that there are none, or which there are.
func suggestName(typed string, names []string, none, some string) string {
	hint := suggest.Question(suggest.Names(typed, names), "")
	switch {
	case hint != "":
		return hint
	case len(names) == 0:
		return none
	}
	return some + strings.Join(names[:min(len(names), 10)], ", ")
}

// RemovedTarget returns a server that is both removed and a target, or "".
func (l *Lockfile) RemovedTarget(now *State) string {
	for _, name := range l.Removed {
		if now.Asked[name] {
			return name
		}
	}
	return ""
}

// Unasked returns the lockfile's servers that were not requested.
func (l *Lockfile) Unasked(now *State) []string {
	var names []string
	for i := range l.Old.Servers {
		if a := l.Old.Servers[i].Address(); !now.Asked[a] {
			names = append(names, a)
		}
	}
	return names
}

// Choose returns the changes that the addresses name, and the addresses without a change.
func (l *Lockfile) Choose(addresses []string, now *State, changes []lock.Change) (chosen []lock.Change, unchanged []string, err error) {
	for _, typed := range addresses {
		found, known, err := l.Old.Find(typed, now.Entries, changes)
		switch {
		case err != nil:
			return nil, nil, err
		case found != nil:
			chosen = append(chosen, found...)
		case known:
			unchanged = append(unchanged, typed)
		default:
			var names []string
			for _, c := range changes {
				names = append(names, c.Address.String())
			}
			return nil, nil, fmt.Errorf("%q names nothing that changed%s", typed, suggestName(typed, names, "; nothing has changed", ": what changed is "))
		}
	}
	return chosen, unchanged, nil
}

// Approve applies changes, and returns the approved ones and how many remain.
func (l *Lockfile) Approve(now *State, chosen []lock.Change, today string) (approved []lock.Change, left int) {
	var addresses []lock.Address
	taken := map[lock.Address]bool{}
	for _, c := range chosen {
		if !taken[c.Address] {
			taken[c.Address] = true
			addresses, approved = append(addresses, c.Address), append(approved, c)
		}
	}
	l.Old.Approve(now.Entries, addresses, today)
	return approved, len(l.Old.Changes(now.Entries))
}

// ChangeLine returns a change on one line, with its address for approval.
func ChangeLine(c lock.Change) string { return fmt.Sprintf("%-7s  %s", c.State, c.Address) }

// WriteLines writes changes with their addresses after an empty line, for people.
func WriteLines(w io.Writer, changes []lock.Change) error {
	var b strings.Builder
	b.WriteString("\n")
	for _, c := range changes {
		b.WriteString(report.Visible(ChangeLine(c)) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
