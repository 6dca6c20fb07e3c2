package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/attack"
	mockfile "gauntlet/internal/mock"
	engine "gauntlet/internal/serve"
	"gauntlet/internal/wire"
	"gauntlet/trace"
)

// mockRun is one run of the subcommand mock.
type mockRun struct {
	*app
	tools       string
	transport   string
	listen      string
	addressFile string
	options     engine.Options
}

func (a *app) mockCommand() *cobra.Command {
	m := &mockRun{app: a, transport: transports[0]}
	cmd := &cobra.Command{
		Use:   "mock [flags] --tools-from FILE",
		Short: "Play a well-behaved server from a list of tools and what they answer",
		Long: `mock is an MCP server for tests: a YAML file lists its tools, each with what it answers.

  - name: fetch_page
    description: Fetches a page.
    inputSchema: {type: object, properties: {url: {type: string}}}
    result: "The page at {{request.arguments.url}}."

result is text, a structured value, or a whole result with content; error is text that comes
back as a failure; responses are those of attack documents, chosen by conditions. The file may
also be a mapping with name, version, instructions, tools, prompts, resources and
resource_templates.

Exit codes: 2 if the file cannot be used; else 0, also when interrupted.`,
		Example: `  gauntlet mock --tools-from fetcher.yml
  gauntlet scan -- gauntlet mock --tools-from fetcher.yml
  gauntlet mock --tools-from fetcher.yml --transport http --listen 127.0.0.1:8000`,
		Args: noArguments,
		RunE: m.run,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&m.tools, "tools-from", "", "the YAML `FILE` with the tools")
	_ = cmd.MarkFlagFilename("tools-from", "yaml", "yml") // fails only for a flag that is not there
	f.Var(&value[string]{&m.transport, "TRANSPORT", oneOf(transports), func(t string) string { return t }}, "transport", "how clients reach the server: "+strings.Join(transports, ", "))
	f.StringVar(&m.listen, "listen", "127.0.0.1:0", "`ADDRESS` for HTTP clients; port 0 takes a free one")
	f.StringVar(&m.addressFile, "address-file", "", "write the URL to this `FILE` as soon as clients can connect (default none)")
	f.StringArrayVar(&m.options.Revisions, "revision", nil, "protocol `REVISION` to speak; repeatable (default all of "+strings.Join(engine.Revisions(), ", ")+")")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "no notes on stderr, only errors (default off)")
	completeWith(cmd, "transport", transports)
	completeWith(cmd, "revision", engine.Revisions())
	return cmd
}

func (m *mockRun) run(cmd *cobra.Command, _ []string) error {
	if m.tools == "" {
		return usage(cmd, "nothing to play: name a file with --tools-from")
	}
	text, err := m.readText(m.tools, mockfile.MaxBytes)
	if err != nil {
		return of(m.tools, reason(err))
	}
	play, err := newMock(m.tools, text, m.options)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer play.end()
	defer cancel()
	play.start(ctx)
	if m.transport == "stdio" {
		return play.Stdio(ctx, m.host.Stdin, m.host.Stdout)
	}
	s := &serveRun{app: m.app, listen: m.listen, addressFile: m.addressFile}
	return s.serveHTTP(ctx, play.Server)
}

// A mockServer is a mock being played.
type mockServer struct {
	*engine.Server
	play *attack.Run
	done chan struct{}
}

// newMock makes a server of a file's text. It answers between start and end.
func newMock(file, text string, opt engine.Options) (*mockServer, error) {
	doc, fault := mockfile.Parse(file, text)
	if fault != nil {
		if fault.Line > 0 {
			return nil, fmt.Errorf("%s:%d:%d: %s", file, fault.Line, fault.Column, fault.Msg)
		}
		return nil, fmt.Errorf("%s: %s", file, fault.Msg)
	}
	nobody := trace.NewRecorder(func(*trace.Message) error { return nil }, trace.RecorderOptions{Messages: math.MaxInt})
	play, err := attack.New(doc, attack.Options{Recorder: nobody, Limit: math.MaxInt64, Serve: opt})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &mockServer{play.Servers()[0].Server, play, make(chan struct{})}, nil
}

// start lets the server answer until ctx ends or end is called.
func (m *mockServer) start(ctx context.Context) {
	go func() { // ends with ctx or by end, which waits for it
		defer close(m.done)
		m.play.Run(ctx)
	}()
}

func (m *mockServer) end() {
	if m.play == nil {
		return // a snapshot answers without being played
	}
	m.play.End("the server is not needed any more")
	<-m.done
}

// connect returns a connection to the server in this process, whose messages tap sees.
func connect(server *engine.Server, tap wire.Tap) wire.Conn {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { // ends by inProcess.Close
		defer close(done)
		_ = server.Stdio(ctx, fromClient, toClient) // its end is seen at the other end
		_ = toClient.Close()
		_ = fromClient.Close()
	}()
	return &inProcess{wire.NewTappedStream(fromServer, toServer, wire.Limits{Total: math.MaxInt64}, tap), func() {
		cancel()
		_ = toServer.Close()
		_ = fromServer.Close()
		<-done
	}}
}

// inProcess is a connection to a server in this process, which ends with it.
type inProcess struct {
	*wire.Stream
	end func()
}

func (p *inProcess) Close() error {
	err := p.Stream.Close()
	p.end()
	return err
}
