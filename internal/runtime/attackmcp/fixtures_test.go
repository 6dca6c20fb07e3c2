package attackmcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/oatf"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

func TestMain(m *testing.M) {
	if os.Getenv(envPlay) != "" {
		os.Exit(onStdio())
	}
	goleak.VerifyTestMain(m)
}

// playOptions are those of the engine and of the binding together.
type playOptions struct {
	Recorder         *trace.Recorder
	Notice           func(attack.Notice)
	Limit            time.Duration
	Grace            *time.Duration
	Clock            *attack.Clock
	Readiness        time.Duration
	Dial             func(ctx context.Context, actor string, tap wire.Tap) (wire.Conn, error)
	Serve            mcpserver.Options
	Negotiate        bool
	ForceElicitation bool
	Synthesizer      attack.Synthesizer
}

func newRun(doc *oatf.Document, o playOptions) (*attack.Run, error) {
	return attack.New(doc, attack.Options{
		Recorder: o.Recorder, Notice: o.Notice, Limit: o.Limit, Grace: o.Grace, Clock: o.Clock, Synthesizer: o.Synthesizer,
		Bindings: []attack.Binding{New(Options{
			Readiness: o.Readiness, Dial: o.Dial, Serve: o.Serve, Negotiate: o.Negotiate, ForceElicitation: o.ForceElicitation,
		})},
	})
}

// A stage is a document being played in memory, its servers over pipes as over stdio.
type stage struct {
	t       testing.TB
	run     *attack.Run
	stop    context.CancelFunc
	servers map[string]*desk
	done    chan attack.Summary

	mu      sync.Mutex
	trace   []trace.Message
	notices []attack.Notice
}

// A desk is where the agent sits that talks to one server.
type desk struct {
	t    testing.TB
	in   *io.PipeWriter
	out  *bufio.Reader
	from *io.PipeReader
	id   int
}

// play begins a run. The stage is cleared away with the test at the latest.
func play(t testing.TB, execution string, opt playOptions) *stage {
	t.Helper()
	return playDocument(t, load(t, execution), opt)
}

func playDocument(t testing.TB, doc *oatf.Document, opt playOptions) *stage {
	t.Helper()
	s := &stage{t: t, servers: map[string]*desk{}, done: make(chan attack.Summary, 1)}
	sink := func(m *trace.Message) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.trace = append(s.trace, *m)
		return nil
	}
	opt.Recorder = trace.NewRecorder(sink, trace.RecorderOptions{})
	opt.Notice = func(n attack.Notice) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.notices = append(s.notices, n)
	}
	var err error
	if s.run, err = newRun(doc, opt); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	var transports sync.WaitGroup
	for _, server := range s.run.Servers() {
		toServer, in := io.Pipe()
		out, fromServer := io.Pipe()
		s.servers[server.Actor] = &desk{t: t, in: in, out: bufio.NewReader(out), from: out}
		transports.Go(func() { // ends with its input or the run
			_ = server.Stdio(ctx, toServer, fromServer)
			_ = fromServer.Close()
			_ = toServer.Close()
		})
	}
	go func() { // ends with the run, which end sees to
		sum := s.run.Run(ctx)
		cancel()
		transports.Wait()
		s.done <- sum
	}()
	t.Cleanup(func() { s.end() })
	return s
}

// end ends the run, unless it has ended, and returns what became of it.
func (s *stage) end() attack.Summary {
	s.run.End("the test is over")
	s.stopReading()
	sum := <-s.done
	s.done <- sum
	return sum
}

// stopReading lets every agent leave.
func (s *stage) stopReading() {
	for _, d := range s.servers {
		_ = d.in.Close()
		_ = d.from.Close()
	}
}

func (d *desk) send(line string) {
	d.t.Helper()
	if _, err := io.WriteString(d.in, line+"\n"); err != nil {
		d.t.Fatalf("send: %v", err)
	}
}

// next returns the next line of the server.
func (d *desk) next() string {
	d.t.Helper()
	line, err := d.out.ReadString('\n')
	if err != nil {
		d.t.Fatalf("no line: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

// ask sends a request and returns the next line.
func (d *desk) ask(method, params string) string {
	d.t.Helper()
	d.request(method, params)
	return d.next()
}

func (d *desk) request(method, params string) {
	d.t.Helper()
	d.id++
	d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, d.id, method, params))
}

// hello shakes hands as a client with capabilities.
func (d *desk) hello(capabilities string) string {
	d.t.Helper()
	d.id = -1
	out := d.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"t","version":"1"}}`)
	d.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return out
}

// result is an answer to the latest request.
func (d *desk) result(result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, d.id, result)
}

// want compares the next line.
func (d *desk) want(line string) {
	d.t.Helper()
	if got := d.next(); got != line {
		d.t.Errorf("got  %s\nwant %s", got, line)
	}
}

func (s *stage) noticed(kind attack.NoticeKind, text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.notices {
		if n.Kind == kind && strings.Contains(n.Text, text) {
			return true
		}
	}
	return false
}

func (s *stage) wantNotice(kind attack.NoticeKind, text string) {
	s.t.Helper()
	if !s.noticed(kind, text) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.t.Errorf("no notice of kind %s with %q among %+v", kind, text, s.notices)
	}
}

// messages returns the recorded messages of a method, answers among them.
func (s *stage) messages(method string) []trace.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []trace.Message
	for _, m := range s.trace {
		if m.Method == method {
			out = append(out, m)
		}
	}
	return out
}

var _ mcpserver.Interceptor = (*server)(nil)

// load reads a document whose execution is given, indented by two.
func load(t testing.TB, execution string) *oatf.Document {
	t.Helper()
	text := "oatf: \"0.1\"\nattack:\n  name: test\n  execution:\n"
	for line := range strings.Lines(strings.Trim(execution, "\n") + "\n") {
		text += "    " + line
	}
	doc, _, err := oatf.Load(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return doc
}

func parse(t testing.TB, text string) rawjson.Value {
	t.Helper()
	var tree rawjson.Tree
	if err := tree.Parse(text, 0); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return tree.Root()
}
