package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/leaf/suggest"
	"gauntlet/internal/run/clientplan"
	"gauntlet/internal/run/lockstate"
	"gauntlet/internal/run/redaction"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/userfile"
	"gauntlet/lock"
	"gauntlet/report"
	"gauntlet/result"
)

// lockCommand is one run of the subcommand lock.
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
	format  report.DiffFormat // of what changed

	old     *lock.Read // nil if there is no lockfile yet
	removed []string   // servers that were taken out of it
}

func (a *app) newLockCommand() *cobra.Command {
	l := &lockCommand{app: a, format: report.DiffFormats()[0]}
	cmd := &cobra.Command{
		Use:   "lock [flags] [FILE | - | URL]... [-- COMMAND [ARG]...]",
		Short: "Write down what servers were approved to say, and what changed since",
		Long: `lock reads snapshots and live servers as scan does and writes a lockfile: every
definition in full, its hash beside it, to be committed and reviewed like code.
gauntlet scan --baseline compares with it, and gauntlet diff shows it against another state.

A lockfile that is there is not overwritten: lock shows what changed and writes nothing
until --update approves it, all of it or with --only what an ADDRESS names: SERVER,
SERVER/tool/NAME (also prompt, resource, template), SERVER/instructions,
SERVER/capabilities, or whatever else lock lists. Servers of the lockfile that are not named
stay as they are, and so does one that could not be read as a whole. --remove takes one out.

SERVER is the server's key in a configuration (client/key where the file is a client's
own), the name that --as gives it, or else its own name.

The lockfile names a server's program or URL, never its arguments, variables, headers or
query. A hash that does not fit what stands beside it is an error: the file is not for
editing by hand.

Exit codes: 1 if --check finds a change; else 2 if there is a change and no --update, or
anything asked for was unread; else 0.`,
		Example: `  gauntlet lock -- npx -y @modelcontextprotocol/server-everything
  gauntlet lock --output mcp.lock.json github.json https://example.com/mcp
  gauntlet lock --check -- ./my-server
  gauntlet lock --update --only my-server/tool/search -- ./my-server
  gauntlet lock --config mcp.json --yes
  gauntlet lock --remove my-server`,
		RunE: l.lockTargets,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&l.file, "output", "o", lock.FileName, "write the result here: to this `FILE`, the lockfile, which is what it compares with, too")
	_ = cmd.MarkFlagFilename("output", "json") // fails only for a flag that is not there
	f.BoolVar(&l.update, "update", false, "approve what changed and write it (default off)")
	f.StringArrayVar(&l.only, "only", nil, "only these: with --update, what this `ADDRESS` names is approved; repeatable (default all)")
	f.StringArrayVar(&l.remove, "remove", nil, "take this `SERVER` out of the lockfile; needs no target; repeatable (default none)")
	f.StringVar(&l.as, "as", "", "call the server by this `NAME`: in the lockfile; for one server (default its own)")
	f.BoolVar(&l.check, "check", false, "write nothing, only check: exit 1 if there is a change (default off)")
	diffFormatFlag(cmd, &l.format)
	f.BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	l.configs.addConfigFlags(cmd)
	_ = f.MarkHidden("no-launch") // without servers there is nothing to lock
	l.how.addTargetFlags(cmd)
	return cmd
}

func (l *lockCommand) lockTargets(cmd *cobra.Command, args []string) error {
	targets, err := l.parseTargets(cmd, &l.how, args)
	if err != nil {
		return err
	}
	if err := l.checkLockFlags(cmd, targets); err != nil {
		return err
	}
	if err := l.readLockfile(); err != nil {
		return err
	}
	if err := l.removeServers(cmd); err != nil {
		return err
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
	if name := l.removedTarget(now); name != "" {
		return usage(cmd, "--remove: %s is among the targets", name)
	}
	changes := l.old.Changes(now.Entries)
	l.noteUnasked(now)
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

func (l *lockCommand) checkLockFlags(cmd *cobra.Command, targets []target.Target) error {
	switch {
	case l.configs.findConflict() != "":
		return usage(cmd, "%s", l.configs.findConflict())
	case l.configs.noLaunch:
		return usage(cmd, "--no-launch leaves nothing to lock")
	case l.remove != nil && l.check:
		return usage(cmd, "--check writes nothing and --remove does: want one of them")
	case len(targets) == 0 && !l.configs.anyGiven() && l.remove == nil:
		return usage(cmd, "nothing to lock: name a snapshot file, - for standard input, the URL of a server, or -- and its command; or --config or --discover")
	case l.remove != nil && !l.update && (len(targets) > 0 || l.configs.anyGiven()):
		return usage(cmd, "--remove beside targets wants --update: without, nothing is written")
	case cmd.Flags().Changed("as") && (len(targets) != 1 || l.configs.anyGiven()):
		return usage(cmd, "--as gives one server a name: want one target")
	case cmd.Flags().Changed("as") && strings.TrimSpace(l.as) == "":
		return usage(cmd, "--as: want a name")
	case l.check && l.update:
		return usage(cmd, "--check writes nothing and --update does: want one of them")
	case l.only != nil && len(targets) == 0 && !l.configs.anyGiven():
		return usage(cmd, "--only says what of the targets is approved: name one")
	case l.only != nil && !l.update:
		return usage(cmd, "--only says what --update approves: want both")
	case l.file == "-" || l.file == "":
		return usage(cmd, "--output: want the name of a file, since the lockfile is compared with the next time")
	}
	in := snapshotFiles(targets)
	if n := len(slices.DeleteFunc(slices.Clone(in), func(f string) bool { return f != "-" })); n > 1 {
		return usage(cmd, "- is named %d times: standard input can be read once", n)
	}
	if err := userfile.CheckWritable(l.file, in); err != nil {
		return usage(cmd, "%s", err)
	}
	return nil
}

// readLockfile reads the lockfile that is there.
func (l *lockCommand) readLockfile() error {
	_, err := os.Stat(l.file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && l.check:
		return fmt.Errorf("%s: no such file: there is nothing to check against until gauntlet lock has written it", l.file)
	case errors.Is(err, fs.ErrNotExist) && l.remove != nil:
		return fmt.Errorf("%s: no such file: there is nothing to remove from", l.file)
	case errors.Is(err, fs.ErrNotExist) && l.only != nil:
		return fmt.Errorf("%s: no such file: the first time all is written, without --only", l.file)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	text, err := l.readFile(l.file, l.how.limits.Bytes)
	if err != nil {
		return err
	}
	if !lock.Is(text) {
		return fmt.Errorf("%s: it is there and no lockfile: name another with --output", l.file)
	}
	old, err := lock.Parse(l.file, text, l.how.limits.Limits)
	if err != nil {
		return err
	}
	if old.Damage != nil {
		for _, p := range old.Damage {
			l.say("%s", target.FailureText(p))
		}
		return fmt.Errorf("%s: nothing in it is taken for approved: get back the file as gauntlet wrote it, or take it away and lock anew", l.file)
	}
	l.old = old
	return nil
}

// writeFirst writes a lockfile where none was.
func (l *lockCommand) writeFirst(now *lockstate.State) error {
	if len(now.Entries) == 0 {
		return nil // why has been said
	}
	var all []lock.Address
	for i := range now.Entries {
		all = append(all, lock.Address{Server: now.Entries[i].Address()})
	}
	f := &lock.File{}
	f.Approve(now.Entries, all, today())
	if err := l.saveLockfile(f); err != nil {
		return err
	}
	l.note("%s: locked %s", l.file, plural(len(now.Entries), "server"))
	return nil
}

// approveChanges takes over what was asked for, and writes the lockfile if that is anything.
func (l *lockCommand) approveChanges(cmd *cobra.Command, now *lockstate.State, changes []lock.Change) error {
	chosen := changes
	if l.only != nil {
		chosen = nil
		for _, typed := range l.only {
			found, err := l.findChanges(cmd, typed, now, changes)
			if err != nil {
				return err
			}
			chosen = append(chosen, found...)
		}
	}
	if len(chosen) == 0 {
		l.note("%s: nothing to approve", l.file)
		return l.saveRemoved()
	}
	var addresses []lock.Address
	told := map[lock.Address]bool{}
	for _, c := range chosen {
		if !told[c.Address] {
			told[c.Address] = true
			addresses = append(addresses, c.Address)
			l.note("approved: %s", changeLine(c))
		}
	}
	l.old.Approve(now.Entries, addresses, today())
	if err := l.saveLockfile(&l.old.File); err != nil {
		return err
	}
	l.noteRemoved()
	if left := len(l.old.Changes(now.Entries)); left > 0 {
		l.note("%s not approved", plural(left, "change"))
	}
	return nil
}

func (l *lockCommand) findChanges(cmd *cobra.Command, typed string, now *lockstate.State, changes []lock.Change) ([]lock.Change, error) {
	found, known, err := l.old.Find(typed, now.Entries, changes)
	switch {
	case err != nil:
		return nil, usage(cmd, "--only: %s", err)
	case found != nil:
		return found, nil
	case known:
		l.note("%s has not changed", typed)
		return nil, nil
	}
	var names []string
	for _, c := range changes {
		names = append(names, c.Address.String())
	}
	hint := suggest.Question(suggest.Names(typed, names), "")
	switch {
	case hint != "":
	case len(names) == 0:
		hint = "; nothing has changed"
	default:
		hint = ": what changed is " + strings.Join(names[:min(len(names), 10)], ", ")
	}
	return nil, usage(cmd, "--only: %q names nothing that changed%s", typed, hint)
}

// showChanges tells what changed and that nothing was written.
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

// writeChanges writes what changed, for people with the addresses that --only takes.
func (l *lockCommand) writeChanges(now *lockstate.State, changes []lock.Change) error {
	d := now.Diff(l.old)
	write := l.writeTo
	if l.format.Name == report.DiffFormats()[0].Name {
		write = l.writeShown
	}
	return write("-", func(w io.Writer) error {
		if err := l.format.Write(w, d, l.terminalOptions(false)); err != nil || l.format.Name != report.DiffFormats()[0].Name {
			return err
		}
		var b strings.Builder
		b.WriteString("\n")
		for _, c := range changes {
			b.WriteString(report.Visible(changeLine(c)) + "\n")
		}
		_, err := io.WriteString(w, b.String())
		return err
	})
}

func changeLine(c lock.Change) string { return fmt.Sprintf("%-7s  %s", c.State, c.Address) }

// noteUnasked says which servers of the lockfile nobody asked about.
func (l *lockCommand) noteUnasked(now *lockstate.State) {
	var names []string
	for i := range l.old.Servers {
		if a := l.old.Servers[i].Address(); !now.Asked[a] {
			names = append(names, a)
		}
	}
	if names != nil {
		l.note("in %s and not looked at: %s", l.file, lockstate.ListSome(names))
	}
}

func (l *lockCommand) saveLockfile(f *lock.File) error {
	return l.writeText(l.file, string(f.Bytes()))
}

func today() string { return time.Now().UTC().Format(time.DateOnly) }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// readTargets reads the targets. What could not be read as a whole is said and left out, so that
// it changes nothing of what is locked.
func (l *lockCommand) readTargets(ctx context.Context, targets []target.Target, p *clientplan.Plan) (*lockstate.State, error) {
	var unread []string
	if p != nil {
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
	for _, why := range now.Left {
		v.Message(&why)
		l.say("%s", why)
	}
	if len(now.Left) > 0 {
		l.code = result.ExitTrouble
	}
	return now, nil
}
