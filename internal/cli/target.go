package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/catalog"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/listen"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/mcpclient"
	engine "gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
)

type targetFlags struct {
	live liveFlags
	// more says that live servers may be added to those in the arguments.
	more bool
}

// defaultParallel limits processes of some 100 MB each; more would slow the machine for its user and hardly speed up the scan.
const defaultParallel = 8

func (f *targetFlags) addTargetFlags(cmd *cobra.Command) {
	f.live.addLiveFlags(cmd)
	cmd.Flags().Var(countFlag(&f.live.reading.Parallel, defaultParallel, 10_000), "parallel", "most at the same time: live servers that run or are asked")
	f.live.names = append(f.live.names, "parallel")
	addLimitFlags(cmd, &f.live.reading.Limits)
}

// parseTargets parses a subcommand's arguments in order: snapshot files, "-", URLs, and one command after "--". Flags for live
// servers are applied to those they fit; an error is a usage error and quotes no secret.
func (a *app) parseTargets(cmd *cobra.Command, f *targetFlags, args []string) ([]target.Target, error) {
	names, command, err := splitArguments(cmd, args)
	if err != nil {
		return nil, err
	}
	return a.makeTargets(cmd, f, names, command)
}

// aroundDash returns what is before "--" and what is after it, nil if there is no "--".
func aroundDash(cmd *cobra.Command, args []string) (names, behind []string) {
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		return args[:dash], args[dash:]
	}
	return args, nil
}

// splitArguments returns what is before "--" and the command after it.
func splitArguments(cmd *cobra.Command, args []string) (names, command []string, err error) {
	names, command = aroundDash(cmd, args)
	if command != nil && len(command) == 0 {
		return nil, nil, usage(cmd, "no command behind --")
	}
	return names, command, nil
}

// findServer returns the one server of a command line, by the command behind "--" or by --url, nil if there is none; and what is
// before "--".
func (a *app) findServer(cmd *cobra.Command, l *liveFlags, args []string, url string) ([]string, *launch.Server, error) {
	names, command, err := splitArguments(cmd, args)
	if err != nil {
		return nil, nil, err
	}
	var named []target.Target
	if command != nil || url != "" {
		named = []target.Target{{Server: launch.Server{Command: command, URL: url}}}
	}
	if err := refuse(cmd, []conflict{
		{command != nil && url != "", "--url and a command behind -- are two servers to attack: name one"},
		notURL("url", url), failed(a.applyLiveFlags(cmd, l, named)),
	}); err != nil || named == nil {
		return names, nil, err
	}
	return names, &named[0].Server, nil
}

// notURL is the conflict of a flag that names something else than a URL.
func notURL(flag, text string) conflict {
	return conflict{text != "" && !target.IsURL(text), fmt.Sprintf("--%s: %q is not a URL: want one that begins with http:// or https://", flag, text)}
}

func (a *app) makeTargets(cmd *cobra.Command, f *targetFlags, names, command []string) ([]target.Target, error) {
	out := target.Named(names, command)
	given := slices.IndexFunc(f.live.names, cmd.Flags().Changed)
	return out, refuse(cmd, []conflict{
		{given >= 0 && len(out) > 0 && !target.AnyLive(out) && !f.more, "--" + f.live.names[max(given, 0)] + " is for a live server, and there is neither a URL nor a -- with its command"},
		{cmd.Flags().Changed("sandbox") && f.live.sandbox.level.Wanted() && !f.more && command == nil, "--sandbox is for a server that is started by a command behind --"},
		failed(a.applyLiveFlags(cmd, &f.live, out)),
	})
}

func (a *app) applyLiveFlags(cmd *cobra.Command, l *liveFlags, targets []target.Target) error {
	return l.Apply(targets, cmd.Flags().Changed, a.lookupEnv)
}

const defaultTotalTimeout = 5 * time.Minute

// liveFlags configure how a server is started or reached, and its time limits.
type liveFlags struct {
	target.Given
	reading target.Options
	login   bool // in the browser, if needed
	message int
	sandbox sandboxFlags
	names   []string // of these flags
}

func (l *liveFlags) addLiveFlags(cmd *cobra.Command) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.SortFlags = false
	l.addAccessFlags(f)
	f.BoolVar(&l.login, "login", false, "log in by your browser where the server wants a login and none is kept (default off)")
	f.Var(durationFlag(&l.reading.Timeout, mcpclient.DefaultTimeout), "timeout", "longest wait for one answer of the server")
	f.Var(durationFlag(&l.reading.Total, defaultTotalTimeout), "total-timeout", "longest time for all that is asked of one server")
	f.Var(sizeFlag(&l.message, wire.DefaultMessage), "max-message", "longest message taken from the other side: the server")
	f.Var(countFlag(&l.reading.Pages, mcpclient.DefaultPages, 1<<31-1), "max-pages", "most pages of one list read from the server")
	if cmd.Flags().Lookup("sandbox") == nil {
		l.sandbox.addSandboxFlags(f, sandbox.Off)
	}
	f.VisitAll(func(flag *pflag.Flag) { l.names = append(l.names, flag.Name) })
	cmd.Flags().AddFlagSet(f)
	completeSandbox(cmd)
}

// addAccessFlags adds what a server is started with, and the credentials sent to it.
func (l *liveFlags) addAccessFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&l.Env, "env", nil, envMeaning)
	f.StringVar(&l.Dir, "cwd", "", "start the server in this `DIR` (default the current directory)")
	f.StringArrayVar(&l.Header, "header", nil, "send `NAME=VALUE` to the server behind a URL; repeatable (default none)")
	f.StringVar(&l.Bearer, "bearer-env", "", "send the token in our variable `NAME` to the server behind a URL (default none)")
}

func (a *app) newTargetReader(l *liveFlags, record *tracefile.File) *target.Reader {
	return &target.Reader{
		Options: l.reading, Version: version(), Dialer: a.dialer(l.message, &l.sandbox, l.login, record), Trace: record, Progress: a.progress, ReadFile: a.readFile, Note: a.showNote,
	}
}

func (a *app) gatherTargets(ctx context.Context, f *targetFlags, targets []target.Target) (*target.Gathered, error) {
	return a.newTargetReader(&f.live, nil).Gather(ctx, targets)
}

func (a *app) showNote(n target.Note) {
	switch {
	case n.Quote && !a.quiet:
		a.printErr("  | %s", n.Text)
	case n.Quote:
	case n.Server != "":
		a.note("%s: %s", n.Server, n.Text)
	default:
		a.note("%s", n.Text)
	}
}

func addLimitFlags(cmd *cobra.Command, l *catalog.Limits) {
	cmd.Flags().Var(sizeFlag(&l.Bytes, catalog.DefaultBytes), "max-bytes", "longest input read: a file, and all that a live server sends")
	cmd.Flags().Var(countFlag(&l.Depth, catalog.DefaultDepth, catalog.MaxDepth), "max-depth", "deepest nesting of one definition; a deeper one is read and makes the scan incomplete")
	cmd.Flags().Var(countFlag(&l.Items, catalog.DefaultItems, 1<<31-1), "max-items", "most tools, and most prompts, resources and templates, of one server")
}

// readFile is readText with errors that name the file, as *catalog.Error.
func (a *app) readFile(name string, limit int) (string, error) {
	text, err := a.readText(name, limit)
	if err != nil {
		return "", &catalog.Error{File: name, Msg: userfile.Reason(err).Error()}
	}
	return text, nil
}

// readText returns the text of a file, or of stdin for "-".
func (a *app) readText(name string, limit int) (string, error) {
	text, err := userfile.ReadText(name, a.host.Stdin, limit)
	switch {
	case errors.Is(err, userfile.ErrMissing):
		return "", errors.New(err.Error() + target.AdviseName(name))
	case errors.Is(err, userfile.ErrDirectory):
		return "", errors.New("it is a directory: name the snapshot files in it")
	}
	return text, err
}

// sandboxFlags say whether started servers are sandboxed.
type sandboxFlags struct {
	level sandbox.Level
	allow []string
	read  []string
	boxes launch.Sandboxes
}

var sandboxLevels = []string{string(sandbox.Off), string(sandbox.On), string(sandbox.Require)}

// addSandboxFlags adds the flags; usual is the default level.
func (s *sandboxFlags) addSandboxFlags(f *pflag.FlagSet, usual sandbox.Level) {
	s.level = usual
	show := func(l sandbox.Level) string { return string(l) }
	f.Var(&value[sandbox.Level]{&s.level, "LEVEL", sandbox.ParseLevel, show}, "sandbox", "seal off what is started, servers and the agent under attack: off, on (where this system can), require")
	f.StringArrayVar(&s.allow, "sandbox-allow", nil, "let what is sealed really reach this `HOST` or HOST:PORT; repeatable (default none)")
	f.StringArrayVar(&s.read, "sandbox-read", nil, "show what is sealed a copy of this `PATH` as well; repeatable (default none)")
}

func completeSandbox(cmd *cobra.Command) { completeWith(cmd, "sandbox", sandboxLevels) }

// dialer returns what connects to servers, as the flags say: message bounds a message in bytes, login permits asking the user to log
// in, and events of sandboxes are recorded in a trace, if not nil.
func (a *app) dialer(message int, s *sandboxFlags, login bool, record *tracefile.File) launch.Dialer {
	return launch.Dialer{
		Environ: a.host.Environ, Limits: wire.Limits{Message: message}, Logins: a.logins(login),
		Sandbox: s.level, SandboxConfig: sandbox.Config{Allow: s.allow, Read: s.read}, SandboxRecord: record.Record, Sandboxes: &s.boxes,
	}
}

// tellSandboxes reports on stderr which protections held, for commands without a report.
func (a *app) tellSandboxes(s *sandboxFlags) {
	for _, b := range s.boxes.Reports() {
		a.note("%s: %s", b.Server, launch.SandboxLine(&b))
	}
	for _, theft := range s.boxes.Thefts() {
		a.say("%s", theft)
	}
}

// transportFlags say how clients reach our server.
type transportFlags struct{ transport, listen, addressFile string }

var transports = []string{"stdio", "http"}

// addTransportFlags adds the flags; lines says what the address file contains beside one URL.
func (t *transportFlags) addTransportFlags(cmd *cobra.Command, lines string) {
	t.transport = transports[0]
	f := cmd.Flags()
	f.Var(nameFlag(&t.transport, "TRANSPORT", transports), "transport", "how clients connect: "+strings.Join(transports, ", "))
	f.StringVar(&t.listen, "listen", "127.0.0.1:0", "serve HTTP clients on this `ADDRESS`; port 0 takes a free one")
	f.StringVar(&t.addressFile, "address-file", "", "write the URL to this `FILE` as soon as clients can connect"+lines+" (default none)")
	completeWith(cmd, "transport", transports)
}

// onlyHTTP are the conflicts of flags that mean nothing over stdio.
func (t *transportFlags) onlyHTTP(cmd *cobra.Command, names ...string) (out []conflict) {
	for _, name := range names {
		out = append(out, conflict{t.transport == "stdio" && cmd.Flags().Changed(name), "--" + name + " is for --transport http"})
	}
	return out
}

// serveHTTP serves HTTP clients, and prints where.
func (t *transportFlags) serveHTTP(ctx context.Context, a *app, server *engine.Server) error {
	ln, err := listen.TCP(ctx, t.listen)
	if err != nil {
		return err
	}
	url := "http://" + ln.Addr().String() + engine.Path
	a.noteReachable(ln.Addr())
	if t.addressFile != "" {
		if err := a.writeText(t.addressFile, url+"\n"); err != nil {
			_ = ln.Close() // the first error is reported
			return err
		}
	}
	a.say("serving on %s", url) // also with --quiet: otherwise nobody knows the port
	return server.HTTP(ctx, ln)
}

// noteReachable warns about an address that other machines can reach.
func (a *app) noteReachable(at net.Addr) {
	if addr, ok := at.(*net.TCPAddr); ok && !addr.IP.IsLoopback() {
		a.note("%s can be reached from other machines", at)
	}
}
