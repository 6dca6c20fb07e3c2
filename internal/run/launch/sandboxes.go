package launch

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
	"gauntlet/result"
	"gauntlet/trace"
)

// Sandboxes keeps the events of one command's sandboxes. A nil one keeps nothing. It is safe for concurrent use.
type Sandboxes struct {
	mu     sync.Mutex
	runs   []*sandboxRun
	events Kept
}

// Kept are messages in order, up to a limit: beyond it only those that matter for a verdict, and once that others were lost. It is
// safe for concurrent use.
type Kept struct {
	Most int // messages; 0 for no bound on their number

	mu       sync.Mutex
	messages []trace.Message
	bytes    int  // size of their texts
	lost     bool // there were more
}

// maxKept bounds kept messages, in bytes.
const maxKept = 48 << 20

// Add keeps a message. One without a number gets the next.
func (k *Kept) Add(m trace.Message, weighs bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if (k.Most > 0 && len(k.messages) >= k.Most || k.bytes+len(m.Raw) > maxKept) && !weighs {
		if k.lost {
			return
		}
		k.lost = true
		event := sandbox.Event{Time: m.Time, Kind: sandbox.Limit, Text: fmt.Sprintf("there were more messages and events of sandboxes than are kept (%d bytes)", maxKept)}
		limit := event.Message()
		limit.Server, limit.Seq = m.Server, m.Seq
		m = limit
	}
	k.bytes += len(m.Raw)
	if m.Seq == 0 {
		m.Seq = len(k.messages) + 1
	}
	k.messages = append(k.messages, m)
}

// Trace returns what was kept so far.
func (k *Kept) Trace() *trace.Trace {
	k.mu.Lock()
	defer k.mu.Unlock()
	return &trace.Trace{Header: trace.Header{Version: trace.Version}, Messages: slices.Clone(k.messages)}
}

type sandboxRun struct {
	server  string
	box     *sandbox.Sandbox // nil if none was available
	missing string           // why
}

func (b *Sandboxes) add(server string, box *sandbox.Sandbox, missing string) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs = append(b.runs, &sandboxRun{server, box, missing})
}

// Unsealed has the reports say that a program runs without a sandbox, and why.
func (b *Sandboxes) Unsealed(program, why string) { b.add(program, nil, why) }

// hear keeps a sandbox's events from now on.
func (b *Sandboxes) hear(d *Dialer, program string, box *sandbox.Sandbox) {
	if b == nil {
		return
	}
	server := cmp.Or(d.SandboxName, program)
	box.OnEvent(func(e sandbox.Event) {
		m := e.Message()
		m.Server, m.Seq = server, 0
		b.events.Add(m, e.Weighs())
		if d.SandboxRecord != nil {
			d.SandboxRecord(m)
		}
	})
}

// Keep keeps events of a sandbox without a server.
func (b *Sandboxes) Keep(name string, events []sandbox.Event) {
	for i := range events {
		m := events[i].Message()
		m.Server, m.Seq = name, 0
		b.events.Add(m, events[i].Weighs())
	}
}

// Observed returns a trace of all events, nil if there was no sandbox.
func (b *Sandboxes) Observed() *trace.Trace {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.events.Trace()
	if len(t.Messages) == 0 && !slices.ContainsFunc(b.runs, func(r *sandboxRun) bool { return r.box != nil }) {
		return nil
	}
	return t
}

// Reports says for every server to be sandboxed which protections held and what it did. Call it when the servers are closed.
func (b *Sandboxes) Reports() []result.Sandbox {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []result.Sandbox
	for _, r := range b.runs {
		one := result.Sandbox{Server: r.server, Missing: r.missing, Protections: []result.Protection{}, Contacts: []result.Contact{}}
		if r.box != nil {
			report := r.box.Report()
			one.Notes = report.Notes
			for _, p := range report.Protections {
				one.Protections = append(one.Protections, result.Protection(p))
			}
			summarise(&one, r.box.Events(1))
		}
		out = append(out, one)
	}
	return out
}

const mostListed = 100

func summarise(s *result.Sandbox, events []sandbox.Event) {
	contacts := map[result.Contact]int{}
	said := map[string]bool{} // addresses with events about what was sent
	for i := range events {
		if e := &events[i]; e.Outgoing() && e.Kind != sandbox.Connection {
			said[e.Addr] = true
		}
	}
	programs, opened, changed := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case sandbox.Lookup, sandbox.Request, sandbox.Mail, sandbox.Data:
			contacts[result.Contact{Host: e.Host, How: string(e.Kind), Allowed: e.Allowed}]++
		case sandbox.Connection: // a silent connection waits for commands, or signals by its port
			if !said[e.Addr] {
				contacts[result.Contact{Host: e.Host, How: string(e.Kind), Allowed: e.Allowed}]++
			}
		case sandbox.Start:
			programs[e.Path] = true
		case sandbox.FileAccess:
			opened[e.Path] = true
		case sandbox.FileChange:
			changed[e.Path] = true
		}
	}
	s.Events = len(events)
	for c, n := range contacts {
		c.Times = n
		s.Contacts = append(s.Contacts, c)
	}
	slices.SortFunc(s.Contacts, func(a, b result.Contact) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.How, b.How))
	})
	cut := func(what string, n int) {
		if n > mostListed {
			s.Notes = append(s.Notes, fmt.Sprintf("%d %s; the first %d are listed here, and the trace has all", n, what, mostListed))
		}
	}
	cut("hosts and ways to reach them", len(s.Contacts))
	s.Contacts = s.Contacts[:min(len(s.Contacts), mostListed)]
	firstOf := func(what string, set map[string]bool) []string {
		all := slices.Sorted(maps.Keys(set))
		cut(what, len(all))
		return all[:min(len(all), mostListed)]
	}
	s.Programs = firstOf("programs were started", programs)
	s.CanariesOpened = firstOf("canaries were opened", opened)
	s.FilesChanged = firstOf("files were changed", changed)
}

// Thefts reports once per server and host that a canary was sent there.
func (b *Sandboxes) Thefts() []string {
	var out []string
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.runs {
		if r.box == nil {
			continue
		}
		for _, e := range r.box.Events(1) {
			if !e.Outgoing() || len(e.Canaries) == 0 {
				continue
			}
			text := fmt.Sprintf("%s sent the canary %s to %q, which nothing but its sandbox knew", r.server, strings.Join(e.Canaries, ", "), e.Host)
			if !slices.Contains(out, text) && len(out) < mostListed {
				out = append(out, text)
			}
		}
	}
	return out
}

// startProcess starts a server, in a sandbox if requested. With level on, it starts without one if none is available.
func (d *Dialer) startProcess(s *Server, command wire.Command, o *Opened) (*wire.Process, error) {
	if !d.Sandbox.Wanted() {
		return wire.Start(command)
	}
	p, err := d.startSealed(s, command, o)
	if d.Sandbox == sandbox.On && errors.Is(err, sandbox.ErrUnavailable) {
		o.Sandbox, o.SandboxReport = nil, sandbox.Report{Missing: err.Error()}
		return wire.Start(command)
	}
	return p, err
}

func (d *Dialer) startSealed(s *Server, command wire.Command, o *Opened) (*wire.Process, error) {
	config := d.SandboxConfig
	config.Environ, config.Dir = d.Environ, s.Dir
	sb, err := d.newSandbox(s.Program(), config)
	if err != nil {
		return nil, err
	}
	command.Wrap, command.Tap = sb.Wrap, tieCalls(sb, command.Tap)
	p, err := wire.Start(command)
	if err != nil {
		return nil, errors.Join(err, sb.Close())
	}
	o.Sandbox = sb
	return p, nil
}

func (d *Dialer) newSandbox(program string, config sandbox.Config) (*sandbox.Sandbox, error) {
	sb, err := sandbox.New(config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	d.Sandboxes.hear(d, program, sb)
	return sb, nil
}

// Seal makes a sandbox for a program that is no server, open to what the user opened as well. The caller must close it.
func (d *Dialer) Seal(program string, config sandbox.Config) (*sandbox.Sandbox, error) {
	config.Environ = d.Environ
	config.Allow, config.Read = slices.Concat(d.SandboxConfig.Allow, config.Allow), slices.Concat(d.SandboxConfig.Read, config.Read)
	sb, err := d.newSandbox(program, config)
	if err == nil {
		d.Sandboxes.add(program, sb, "")
	}
	return sb, err
}

// sealed ends the sandbox with the connection.
type sealed struct {
	*wire.Process
	sandbox *sandbox.Sandbox
}

func (s *sealed) Close() error {
	s.sandbox.Settle()
	return errors.Join(s.Process.Close(), s.sandbox.Close())
}

func (s *sealed) Kill() error { return errors.Join(s.Process.Kill(), s.sandbox.Close()) }

// tieCalls tells the sandbox when tool calls begin and end, so that events name the call they happened in.
func tieCalls(sb *sandbox.Sandbox, then wire.Tap) wire.Tap {
	var mu sync.Mutex
	open := map[string]func(){}
	return func(p wire.Passage) {
		mu.Lock()
		switch {
		case p.Sent && p.Kind == wire.Request && p.Method == "tools/call":
			open[p.ID] = sb.BeginCall(toolName(p.Params))
		case !p.Sent && open[p.ID] != nil && p.Method == "":
			open[p.ID]()
			delete(open, p.ID)
		}
		mu.Unlock()
		if then != nil {
			then(p)
		}
	}
}

func toolName(params string) string {
	var tree rawjson.Tree
	if tree.Parse(params, 0) != nil {
		return "tools/call"
	}
	return strings.Clone(tree.Root().Get("name").Text())
}

// SandboxLine describes a sandbox on one line.
func SandboxLine(b *result.Sandbox) string {
	if b.Missing != "" {
		return "no sandbox was available: " + b.Missing
	}
	var lost []string
	for _, p := range b.Protections {
		if !p.Held {
			lost = append(lost, p.Name)
		}
	}
	text := fmt.Sprintf("ran in a sandbox, %d of %d protections held", len(b.Protections)-len(lost), len(b.Protections))
	if lost != nil {
		text += ", not " + strings.Join(lost, ", ")
	}
	return text
}
