package lockstate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/internal/leaf/suggest"
	"gauntlet/internal/run/target"
	"gauntlet/lock"
	"gauntlet/report"
)

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
