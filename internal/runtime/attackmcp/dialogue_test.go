package attackmcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/wire"
	"gauntlet/oatf"
	"gauntlet/oatf/indicator"
	"gauntlet/trace"
)

// A dialogue is what goes over the wire while a document is played, checked byte by byte. Its steps are lines:
//
//	> LINE         the test sends a line
//	< LINE         this line comes next; "…" in it stands for anything
//	hello [CAPS]   the test shakes hands as a client with these capabilities
//	welcome        the test welcomes the client that attacks it
//	wait 5s        so much time goes by
//	quiet          nothing comes
//	verdict WORD   the indicators come to this verdict
//	said TEXT      a notice has this in it
//
// LINE is JSON, or short for a message of JSON-RPC: call ID METHOD PARAMS, tell METHOD PARAMS, result ID RESULT,
// error ID ERROR.
type dialogue struct {
	t     *testing.T
	stage *stage
	doc   *oatf.Document
	send  func(line string)
	lines chan string // what the engine says
	// unordered: what comes between two lines that are sent comes on several streams, whose order nothing settles.
	unordered bool
	early     []string // lines that came before they were expected
}

// patienceOfDialogues is how long a line is waited for. Over stdio it is no time at all: the clock of the test stands
// still while anything works.
const patienceOfDialogues = time.Minute

func clauseDocument(t *testing.T, c *clause) *oatf.Document {
	t.Helper()
	text := "oatf: \"0.1\"\nattack:\n  name: test\n  execution:\n" + indent(c.execution, "    ")
	if c.indicators != "" {
		text += "  indicators:\n" + indent(c.indicators, "    ")
	}
	doc, _, err := oatf.Load(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return doc
}

func indent(text, by string) (out string) {
	for line := range strings.Lines(strings.Trim(text, "\n") + "\n") {
		out += by + line
	}
	return out
}

// openPipes plays the document of a clause over pipes, as over standard input and output.
func openPipes(t *testing.T, c *clause) *dialogue {
	d := &dialogue{t: t, doc: clauseDocument(t, c), lines: make(chan string, 100)}
	if strings.Contains(c.execution, "mcp_client") {
		fromClient, toVictim := io.Pipe()
		fromVictim, toClient := io.Pipe()
		dial := func(_ context.Context, _ string, tap wire.Tap) (wire.Conn, error) {
			return tapped{wire.NewStream(fromVictim, toVictim, wire.Limits{}, nil), tap}, nil
		}
		d.stage = playDocument(t, d.doc, playOptions{Dial: dial})
		d.send = func(line string) { _, _ = io.WriteString(toClient, line+"\n") } // who has left is noticed by what does not come
		go d.readLines(fromClient)                                                // ends with the client
		t.Cleanup(func() { _ = toClient.Close() })
		return d
	}
	d.stage = playDocument(t, d.doc, playOptions{})
	desk := d.stage.servers["default"]
	d.send = desk.send
	go d.readLines(desk.from) // ends with the server
	return d
}

func (d *dialogue) readLines(r io.Reader) {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		d.lines <- strings.TrimSuffix(line, "\n")
	}
}

// openHTTP plays the document of a clause over Streamable HTTP.
func openHTTP(t *testing.T, c *clause) *dialogue {
	d := &dialogue{t: t, doc: clauseDocument(t, c), lines: make(chan string, 100), unordered: true}
	d.stage = playDocument(t, d.doc, playOptions{})
	server := d.stage.run.Servers()[0]
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() { // ends by stop
		defer close(served)
		_ = server.HTTP(ctx, ln)
	}()
	posts := &posts{d: d, ctx: ctx, url: "http://" + ln.Addr().String() + server.Path, client: &http.Client{Transport: &http.Transport{}}}
	t.Cleanup(func() {
		stop()
		<-served
		posts.client.CloseIdleConnections()
		for range posts.open {
			<-posts.done
		}
	})
	posts.done = make(chan struct{}, 1000)
	d.send = posts.send
	return d
}

// posts are the requests of a client of Streamable HTTP.
type posts struct {
	d       *dialogue
	ctx     context.Context
	url     string
	client  *http.Client
	session string
	open    int
	done    chan struct{}
}

// send posts a line. What comes back is read beside; of initialize it is waited for, since it opens the session, and of
// what follows it as well, since the client then listens.
func (p *posts) send(line string) {
	p.begin(http.MethodPost, line)
	if strings.Contains(line, `"notifications/initialized"`) {
		p.begin(http.MethodGet, "")
	}
}

func (p *posts) begin(method, body string) {
	req, err := http.NewRequestWithContext(p.ctx, method, p.url, strings.NewReader(body))
	if err != nil {
		p.d.t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	if p.session != "" {
		req.Header.Set("Mcp-Session-Id", p.session)
		req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	r, err := p.client.Do(req)
	if err != nil {
		p.d.t.Errorf("%s: %v", body, err)
		return
	}
	if id := r.Header.Get("Mcp-Session-Id"); id != "" {
		p.session = id
	}
	p.open++
	go func() { // ends with the answer, or by the end of the dialogue
		defer func() { p.done <- struct{}{} }()
		defer r.Body.Close()
		p.hear(r)
	}()
}

// hear takes the messages of one answer.
func (p *posts) hear(r *http.Response) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		if text, err := io.ReadAll(r.Body); err == nil && len(text) > 0 {
			p.d.lines <- strings.TrimSpace(string(text))
		}
		return
	}
	next := wire.ReadEvents(r.Body, 1<<20)
	for {
		data, err := next()
		if err != nil {
			return
		}
		if data != "" {
			p.d.lines <- data
		}
	}
}

// playSteps plays the steps and returns the first that was not as it should be.
func (d *dialogue) playSteps(steps string) error {
	for line := range strings.Lines(steps) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if err := d.playStep(line); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	return nil
}

func (d *dialogue) playStep(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case ">":
		d.send(asMessage(rest))
	case "<":
		return d.expect(asMessage(rest))
	case "hello":
		if rest == "" {
			rest = "{}"
		}
		d.send(asMessage(`call 0 initialize {"protocolVersion":"2025-11-25","capabilities":` + rest + `,"clientInfo":{"name":"t","version":"1"}}`))
		if err := d.expect(`{"jsonrpc":"2.0","id":0,"result":…`); err != nil {
			return err
		}
		d.send(asMessage("tell notifications/initialized"))
	case "welcome":
		return d.welcomeClient()
	case "wait":
		span, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		<-time.After(span) // of the test's own clock
	case "quiet":
		select {
		case got := <-d.lines:
			return fmt.Errorf("came: %s", got)
		case <-time.After(attack.DefaultGrace / 2): // of the test's own clock
		}
	case "verdict":
		return d.judge(rest)
	case "said":
		if !slices.ContainsFunc(d.notices(), func(n attack.Notice) bool { return strings.Contains(n.Text, rest) }) {
			return fmt.Errorf("said was %+v", d.notices())
		}
	default:
		return fmt.Errorf("no step is called %q", word)
	}
	return nil
}

func (d *dialogue) welcomeClient() error {
	line, err := d.next()
	if err != nil {
		return err
	}
	m := wire.Decode(line)
	if m.Method != "initialize" {
		return fmt.Errorf("came: %s", line)
	}
	d.send(`{"jsonrpc":"2.0","id":` + m.ID + `,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"v","version":"1"}}}`)
	return d.expect(asMessage("tell notifications/initialized {}"))
}

// asMessage writes out what is short for a message.
func asMessage(line string) string {
	kind, rest, _ := strings.Cut(line, " ")
	one, more, _ := strings.Cut(rest, " ")
	switch kind {
	case "call":
		method, params, ok := strings.Cut(more, " ")
		if ok {
			params = `,"params":` + params
		}
		return `{"jsonrpc":"2.0","id":` + one + `,"method":"` + method + `"` + params + `}`
	case "tell":
		if more != "" {
			more = `,"params":` + more
		}
		return `{"jsonrpc":"2.0","method":"` + one + `"` + more + `}`
	case "result", "error":
		return `{"jsonrpc":"2.0","id":` + one + `,"` + kind + `":` + more + `}`
	}
	return line
}

func (d *dialogue) next() (string, error) {
	select {
	case line := <-d.lines:
		return line, nil
	case <-time.After(patienceOfDialogues):
		return "", fmt.Errorf("nothing came")
	}
}

// expect compares the next line, or where streams have no order between them, finds it among the next ones.
func (d *dialogue) expect(want string) error {
	parts := strings.Split(want, "…")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	form := regexp.MustCompile("^" + strings.Join(parts, ".*") + "$")
	if i := slices.IndexFunc(d.early, form.MatchString); i >= 0 {
		d.early = slices.Delete(d.early, i, i+1)
		return nil
	}
	for {
		got, err := d.next()
		switch {
		case err != nil:
			return fmt.Errorf("%w; came before: %q", err, d.early)
		case form.MatchString(got):
			return nil
		case !d.unordered || len(d.early) > 20:
			return fmt.Errorf("came: %s", got)
		}
		d.early = append(d.early, got)
	}
}

func (d *dialogue) notices() []attack.Notice {
	d.stage.mu.Lock()
	defer d.stage.mu.Unlock()
	return slices.Clone(d.stage.notices)
}

// judge ends the run and has the document's indicators judge what was recorded.
func (d *dialogue) judge(want string) error {
	d.stage.end()
	judge, err := indicator.NewJudge(d.doc, indicator.Options{})
	if err != nil {
		return err
	}
	d.stage.mu.Lock()
	defer d.stage.mu.Unlock()
	v := judge.Judge(context.Background(), &trace.Trace{Messages: d.stage.trace})
	if string(v.Outcome) != want {
		return fmt.Errorf("it is %s: %+v", v.Outcome, v.Indicators)
	}
	return nil
}
