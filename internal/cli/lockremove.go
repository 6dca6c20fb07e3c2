package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/leaf/suggest"
	"gauntlet/internal/run/lockstate"
)

// removeServers takes the servers of --remove out of the lockfile that was read. Nothing is written
// yet.
func (l *lockCommand) removeServers(cmd *cobra.Command) error {
	for _, typed := range l.remove {
		if !slices.Contains(l.removed, typed) && !l.old.Remove(typed) {
			return usage(cmd, "--remove: %s holds no server %q%s", l.file, typed, l.suggestServer(typed))
		}
		l.removed = append(l.removed, typed)
	}
	return nil
}

func (l *lockCommand) suggestServer(typed string) string {
	var names []string
	for i := range l.old.Servers {
		names = append(names, l.old.Servers[i].Address())
	}
	hint := suggest.Question(suggest.Names(typed, names), "")
	switch {
	case hint != "":
	case len(names) == 0:
		hint = "; it is empty"
	default:
		hint = ": want one of " + strings.Join(names[:min(len(names), 10)], ", ")
	}
	return hint
}

// removedTarget returns the server that is to be taken out and is a target too, "" for none.
func (l *lockCommand) removedTarget(now *lockstate.State) string {
	for _, name := range l.removed {
		if now.Asked[name] {
			return name
		}
	}
	return ""
}

// saveRemoved writes the lockfile if anything was taken out of it, and says so.
func (l *lockCommand) saveRemoved() error {
	if l.removed == nil {
		return nil
	}
	if err := l.saveLockfile(&l.old.File); err != nil {
		return err
	}
	l.noteRemoved()
	return nil
}

func (l *lockCommand) noteRemoved() {
	for _, name := range l.removed {
		l.note("taken out: %s", name)
	}
}
