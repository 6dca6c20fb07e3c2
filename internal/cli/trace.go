package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"gauntlet/report"
	"gauntlet/result"
	"gauntlet/trace"
)

func (a *app) traceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Work with recorded conversations",
		Long: `trace works with recorded conversations: what went between MCP clients and servers,
message by message, as capture --trace records it.`,
		Args: knownCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			return usage(c, "no command: want %s", commandNames(c))
		},
	}
	cmd.AddCommand(a.traceShowCommand(), a.traceImportCommand(), a.traceRedactCommand())
	return cmd
}

// A traceInput is a trace that is read message by message.
type traceInput struct {
	name   string
	header trace.Header
	reader *trace.Reader
	file   io.Closer
	unread int // lines that could not be read
}

// openTrace opens a trace, or standard input for "-".
func (a *app) openTrace(name string) (*traceInput, error) {
	in, err := a.openStream(name)
	if err != nil {
		return nil, of(name, reason(err))
	}
	r, err := trace.NewReader(in, trace.Limits{})
	if err != nil {
		_ = in.Close() // the first error is the one to tell
		return nil, of(name, reason(err))
	}
	return &traceInput{name: name, header: r.Header, reader: r, file: in}, nil
}

// openStream opens a file, or standard input for "-", that is too long to be held in memory.
func (a *app) openStream(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.host.Stdin), nil
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("no such file")
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("it is a directory: name a file in it")
	case !info.Mode().IsRegular(): // opening one could wait for ever
		return nil, errors.New("it is not a regular file: to read from a pipe give - as the file")
	}
	return os.Open(name)
}

// each hands every message that can be read to do, whose error ends it. Lines that cannot be
// read are counted, and the first of them given to tell.
func (t *traceInput) each(tell func(*trace.LineError), do func(*trace.Message) error) error {
	for {
		m, err := t.reader.Next()
		var bad *trace.LineError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			if t.unread++; t.unread <= trace.MaxProblems {
				tell(bad)
			}
		case err != nil:
			return of(t.name, reason(err))
		default:
			if err := do(&m); err != nil {
				return err
			}
		}
	}
}

// tellLine returns what says which line of a trace could not be read.
func (a *app) tellLine(name string) func(*trace.LineError) {
	return func(bad *trace.LineError) { a.say("%s: %s", name, bad) }
}

func (t *traceInput) close() { _ = t.file.Close() } // it was read only

// settle says how much could not be read, which is trouble.
func (a *app) settle(t *traceInput) {
	if t.unread > trace.MaxProblems {
		a.say("%s: %d lines in all could not be read", t.name, t.unread)
	}
	if t.unread > 0 {
		a.code = result.ExitTrouble
	}
}

// wantTrace refuses a command line that does not name one file.
func wantTrace(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return usage(cmd, "no trace: name a file, - for standard input")
	case 1:
		return nil
	}
	return usage(cmd, "%d files: want one", len(args))
}

// A traceFilter picks messages by exact words. An empty part picks all.
type traceFilter struct{ servers, methods, actors []string }

func (f *traceFilter) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.servers, "server", nil, "only messages of the server of this `NAME`; repeatable (default all)")
	cmd.Flags().StringArrayVar(&f.methods, "method", nil, "only requests and notifications of this `METHOD`, and its answers; repeatable (default all)")
	cmd.Flags().StringArrayVar(&f.actors, "actor", nil, "only messages of the actor of this `NAME`; repeatable (default all)")
}

func (f *traceFilter) picks(m *trace.Message) bool {
	return oneOrAll(f.servers, m.Server) && oneOrAll(f.methods, m.Method) && oneOrAll(f.actors, m.Actor)
}

// A traceView is a way to show a trace.
type traceView interface {
	Add(*trace.Message) error
	Skip(*trace.Message)
	Flush() error
}

var (
	_ traceView = (*report.Timeline)(nil)
	_ traceView = (*report.Sequence)(nil)
)
