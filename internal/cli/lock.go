package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/run/clientplan"
	"gauntlet/internal/run/lockstate"
	"gauntlet/internal/run/redaction"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/discover"
	"gauntlet/lock"
	"gauntlet/report"
	"gauntlet/result"
)

type lockCommand struct {
	*app
	how     targetFlags
	configs configFlags
	file    string
	update  bool
	check   bool
	only    []string
	remove  []string
	as      string
	files   bool              // folders and files for agents were named
	format  report.DiffFormat // format of the changes

	old *lockstate.Lockfile // nil if there is none yet
}

func (a *app) newLockCommand() *cobra.Command {
	l := &lockCommand{app: a, format: report.DiffFormats()[0]}
	cmd := newCommand("lock [flags] [FILE | - | URL]... [-- COMMAND [ARG]...]", "Record approved definitions in a lockfile, and show changes", l.lockTargets)
	f := cmd.Flags()
	f.StringVarP(&l.file, "output", "o", lock.FileName, "write the result here: to this `FILE`, the lockfile, which is what it compares with, too")
	f.BoolVar(&l.update, "update", false, "approve what changed and write it (default off)")
	f.StringArrayVar(&l.only, "only", nil, "only these: with --update, what this `ADDRESS` names is approved; repeatable (default all)")
	f.StringArrayVar(&l.remove, "remove", nil, "take this `SERVER` out of the lockfile; needs no target; repeatable (default none)")
	f.StringVar(&l.as, "as", "", "call the server by this `NAME`: in the lockfile; for one server (default its own)")
	f.BoolVar(&l.check, "check", false, "write nothing, only check: exit 1 if there is a change (default off)")
	diffFormatFlag(cmd, &l.format)
	f.BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	l.configs.addConfigFlags(cmd)
	l.how.addTargetFlags(cmd)
	return cmd
}

func (l *lockCommand) lockTargets(cmd *cobra.Command, args []string) error {
	names, command, err := splitArguments(cmd, args)
	if err != nil {
		return err
	}
	names = l.takeAgentFiles(names)
	l.how.more = l.configs.anyGiven()
	targets, err := l.makeTargets(cmd, &l.how, names, command)
	if err != nil {
		return err
	}
	if err := l.checkLockFlags(cmd, targets); err != nil {
		return err
	}
	if err := l.readLockfile(); err != nil {
		return err
	}
	if l.remove != nil {
		if err := l.old.Remove(l.remove); err != nil {
			return usage(cmd, "--remove: %s", err)
		}
	}
	if len(targets) == 0 && !l.configs.anyGiven() {
		return l.saveRemoved()
	}
	if l.as != "" {
		targets[0].Entries = []string{l.as}
	}
	p, err := l.makePlan(cmd.Context(), &l.configs)
	if err != nil {
		return err
	}
	defer l.startProgress().Stop()
	now, err := l.readTargets(cmd.Context(), targets, p)
	if err != nil {
		return err
	}
	l.progress.Stop()
	if l.old == nil {
		return l.writeFirst(now)
	}
	if name := l.old.RemovedTarget(now); name != "" {
		return usage(cmd, "--remove: %s is among the targets", name)
	}
	changes := l.old.Old.Changes(now.Entries)
	if names := l.old.Unasked(now); names != nil {
		l.note("in %s and not looked at: %s", l.file, excerpt.List(names, 10))
	}
	switch {
	case l.update:
		return l.approveChanges(cmd, now, changes)
	case len(changes) == 0:
		if len(now.Left) == 0 {
			l.note("%s is up to date", l.file)
		}
		if l.format.Name != report.DiffFormats()[0].Name {
			return l.writeChanges(now, nil)
		}
		return nil
	}
	return l.showChanges(now, changes)
}

// takeAgentFiles removes folders and files for agents from the names: their files are locked, and the servers of their
// configurations.
func (l *lockCommand) takeAgentFiles(names []string) (rest []string) {
	for _, name := range names {
		info, err := os.Stat(name)
		if err == nil && (info.IsDir() || discover.Known(name) && !strings.HasSuffix(name, ".json")) {
			l.configs.files, l.files = append(l.configs.files, name), true
		} else {
			rest = append(rest, name)
		}
	}
	return rest
}

func (l *lockCommand) checkLockFlags(cmd *cobra.Command, targets []target.Target) error {
	in := target.SnapshotFiles(targets)
	return refuse(cmd, slices.Concat(l.configs.conflicts(), []conflict{
		{l.configs.noLaunch && !l.files && !l.configs.discover, "--no-launch leaves nothing to lock"},
		{l.remove != nil && l.check, "--check writes nothing and --remove does: want one of them"},
		{len(targets) == 0 && !l.configs.anyGiven() && l.remove == nil, "nothing to lock: name a snapshot file, - for standard input, the URL of a server, or -- and its command; or --config or --discover"},
		{l.remove != nil && !l.update && (len(targets) > 0 || l.configs.anyGiven()), "--remove beside targets wants --update: without, nothing is written"},
		{cmd.Flags().Changed("as") && (len(targets) != 1 || l.configs.anyGiven()), "--as gives one server a name: want one target"},
		{cmd.Flags().Changed("as") && strings.TrimSpace(l.as) == "", "--as: want a name"},
		{l.check && l.update, "--check writes nothing and --update does: want one of them"},
		{l.only != nil && len(targets) == 0 && !l.configs.anyGiven(), "--only says what of the targets is approved: name one"},
		{l.only != nil && !l.update, "--only says what --update approves: want both"},
		{l.file == "-" || l.file == "", "--output: want the name of a file, since the lockfile is compared with the next time"},
		stdinTwice(in), failed(userfile.CheckWritable(l.file, in)),
	}))
}

func (l *lockCommand) readLockfile() (err error) {
	l.old, err = lockstate.Open(l.file, l.readFile, l.how.live.reading.Limits, l.say)
	if !errors.Is(err, lockstate.ErrMissing) {
		return err
	}
	for _, want := range []struct {
		given bool
		but   string
	}{
		{l.check, "there is nothing to check against until gauntlet lock has written it"},
		{l.remove != nil, "there is nothing to remove from"},
		{l.only != nil, "the first time all is written, without --only"},
	} {
		if want.given {
			return fmt.Errorf("%s: %w: %s", l.file, err, want.but)
		}
	}
	return nil
}

func (l *lockCommand) writeFirst(now *lockstate.State) error {
	if len(now.Entries) == 0 {
		return nil // the reason was reported
	}
	if err := l.writeTo(l.file, lockstate.First(now, today()).Write); err != nil {
		return err
	}
	l.note("%s: locked %s", l.file, excerpt.Count(len(now.Entries), "server"))
	return nil
}

// approveChanges applies the requested changes, and writes the lockfile if there are any.
func (l *lockCommand) approveChanges(cmd *cobra.Command, now *lockstate.State, changes []lock.Change) error {
	if l.only != nil {
		chosen, unchanged, err := l.old.Choose(l.only, now, changes)
		if err != nil {
			return usage(cmd, "--only: %s", err)
		}
		for _, typed := range unchanged {
			l.note("%s has not changed", typed)
		}
		changes = chosen
	}
	if len(changes) == 0 {
		l.note("%s: nothing to approve", l.file)
		return l.saveRemoved()
	}
	approved, left := l.old.Approve(now, changes, today())
	for _, c := range approved {
		l.note("approved: %s", lockstate.ChangeLine(c))
	}
	if err := l.save(); err != nil {
		return err
	}
	if left > 0 {
		l.note("%s not approved", excerpt.Count(left, "change"))
	}
	return nil
}

// saveRemoved writes the lockfile if servers were removed from it, and says so.
func (l *lockCommand) saveRemoved() error {
	if l.old == nil || l.old.Removed == nil {
		return nil
	}
	return l.save()
}

func (l *lockCommand) save() error {
	if err := l.writeTo(l.file, l.old.Old.Write); err != nil {
		return err
	}
	for _, name := range l.old.Removed {
		l.note("taken out: %s", name)
	}
	return nil
}

func (l *lockCommand) showChanges(now *lockstate.State, changes []lock.Change) error {
	if err := l.writeChanges(now, changes); err != nil {
		return err
	}
	if l.check {
		l.code = result.ExitGate
		return nil
	}
	l.say("%s is there and differs; nothing was written: approve with --update, one change with --update --only ADDRESS", l.file)
	l.code = result.ExitTrouble
	return nil
}

// writeChanges writes what changed, for people with the addresses that --only accepts.
func (l *lockCommand) writeChanges(now *lockstate.State, changes []lock.Change) error {
	d := now.Diff(l.old.Old)
	return l.writeFormat(l.format.Name, "-", func(w io.Writer) error {
		if err := l.format.Write(w, d, l.terminalOptions(false)); err != nil || l.format.Name != report.DiffFormats()[0].Name {
			return err
		}
		return lockstate.WriteLines(w, changes)
	})
}

func today() string { return time.Now().UTC().Format(time.DateOnly) }

// readTargets reads the targets. Those that cannot be read completely are reported and left out, so that their locked state does
// not change.
func (l *lockCommand) readTargets(ctx context.Context, targets []target.Target, p *clientplan.Plan) (*lockstate.State, error) {
	var unread []string
	if p != nil {
		if l.files || l.configs.discover {
			targets = append(targets, p.FileTargets()...)
		}
		targets = append(targets, p.Targets()...)
		for _, problem := range p.Problems {
			unread = append(unread, target.FailureText(problem))
		}
	}
	got, err := l.gatherTargets(ctx, &l.how, targets)
	if err != nil {
		return nil, err
	}
	now := lockstate.New(got, targets, unread, today())
	v := redaction.New(got.Secrets)
	for i := range now.Left {
		v.Message(&now.Left[i])
		l.say("%s", now.Left[i])
	}
	if len(now.Left) > 0 {
		l.code = result.ExitTrouble
	}
	return now, nil
}
