package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/near"
)

// takeOut takes the servers of --remove out of the lockfile that was read. Nothing is written
// yet.
func (l *lockRun) takeOut(cmd *cobra.Command) error {
	for _, typed := range l.remove {
		if !slices.Contains(l.removed, typed) && !l.old.Remove(typed) {
			return usage(cmd, "--remove: %s holds no server %q%s", l.file, typed, l.insteadOf(typed))
		}
		l.removed = append(l.removed, typed)
	}
	return nil
}

func (l *lockRun) insteadOf(typed string) string {
	var names []string
	for i := range l.old.Servers {
		names = append(names, l.old.Servers[i].Address())
	}
	hint := near.Question(near.Names(typed, names), "")
	switch {
	case hint != "":
	case len(names) == 0:
		hint = "; it is empty"
	default:
		hint = ": want one of " + strings.Join(names[:min(len(names), 10)], ", ")
	}
	return hint
}

// contradiction returns the server that is to be taken out and is a target too, "" for none.
func (l *lockRun) contradiction(now *current) string {
	for _, name := range l.removed {
		if now.asked[name] {
			return name
		}
	}
	return ""
}

// saveRemoved writes the lockfile if anything was taken out of it, and says so.
func (l *lockRun) saveRemoved() error {
	if l.removed == nil {
		return nil
	}
	if err := l.save(&l.old.File); err != nil {
		return err
	}
	l.noteRemoved()
	return nil
}

func (l *lockRun) noteRemoved() {
	for _, name := range l.removed {
		l.note("taken out: %s", name)
	}
}
