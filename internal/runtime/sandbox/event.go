package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/leaf/startup"
	"gauntlet/trace"
)

// An EventKind says what happened.
type EventKind string

// The kinds of events.
const (
	Lookup     EventKind = "lookup"        // a name was asked for: Host
	Connection EventKind = "connection"    // a connection was begun: Host (if a lookup gave the address away), Addr
	Data       EventKind = "data"          // the first bytes of a connection that speaks no protocol known here, or a datagram: Text
	Request    EventKind = "request"       // an HTTP request, also inside TLS: Method, URL, Text (headers and the beginning of the body)
	Mail       EventKind = "mail"          // a message was handed in by SMTP: Text
	FileAccess EventKind = "file_access"   // a canary was opened: Path
	FileChange EventKind = "file_change"   // a file was created, changed or deleted: Path, Text ("created", …)
	Start      EventKind = "program_start" // a program was started: Path, Args
	Denied     EventKind = "denied"        // something was tried that the sandbox refuses: Text
	Limit      EventKind = "limit"         // a limit was reached: Text
)

// An Event is one thing that the server did. What of it the server chose is cut at [MaxText]
// bytes and may be any bytes.
type Event struct {
	Seq     int       `json:"-"` // from 1
	Time    time.Time `json:"-"`
	Kind    EventKind `json:"-"`
	Call    string    `json:"call,omitempty"` // the tool call during which it happened; "" for none
	Host    string    `json:"host,omitempty"`
	Addr    string    `json:"addr,omitempty"`    // "203.0.113.5:443"
	Network string    `json:"network,omitempty"` // "tcp", "udp", "tls"
	Method  string    `json:"method,omitempty"`
	URL     string    `json:"url,omitempty"`
	Path    string    `json:"path,omitempty"`
	Args    []string  `json:"args,omitempty"`
	Pid     int       `json:"pid,omitempty"` // of this machine
	Text    string    `json:"text,omitempty"`
	// Allowed says that the connection went out to a host that the user allowed.
	Allowed bool `json:"allowed,omitempty"`
	// Canaries are the names of the canaries that stood in what the server sent, or whose file
	// was opened.
	Canaries []string `json:"canaries,omitempty"`
	// Used are the names of the canaries that went to the service which they claim to be for.
	Used []string `json:"used,omitempty"`
}

// MaxText is how much of what the server sent an event keeps, in bytes.
const MaxText = 64 << 10

// The bounds on the events of one sandbox that are kept. Behind them only what weighs is: what holds a
// canary, a file that other programs start from, a limit. An event says that others were lost, and the last one how many.
const (
	MaxEvents   = 20_000
	MaxBytes    = 12 << 20 // as JSON
	moreWeighty = MaxEvents / 10
	moreBytes   = MaxBytes / 4
	shortText   = 4 << 10 // of what is kept behind the bounds
)

// TraceProtocol is the protocol of events in a trace.
const TraceProtocol = "sandbox"

// Message is the event as a message of a trace.
func (e *Event) Message() trace.Message {
	raw, err := json.Marshal(e)
	if err != nil { // strings and numbers always can be
		raw = []byte("{}")
	}
	return trace.Message{
		Time: e.Time, Protocol: TraceProtocol, Role: trace.Between, Direction: trace.ToClient, Kind: trace.Event, Method: string(e.Kind), Raw: string(raw),
	}
}

// Outgoing reports whether the event is something that the server sent to somebody.
func (e *Event) Outgoing() bool {
	switch e.Kind {
	case Lookup, Connection, Data, Request, Mail:
		return true
	}
	return false
}

// recorder keeps events.
type recorder struct {
	now      func() time.Time
	canaries []Canary

	mu     sync.Mutex
	events []Event
	bytes  int // of all of them, as JSON
	lost   int
	hear   []func(Event)
	calls  []*string // that are under way, the last one last
	active time.Time // when something was last sent or a canary last opened
}

func newRecorder(now func() time.Time, canaries []Canary) *recorder {
	return &recorder{now: now, canaries: canaries}
}

func (r *recorder) record(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Time = r.now()
	e.Text = e.Text[:min(len(e.Text), MaxText)]
	r.tellUsed(&e)
	if e.Call == "" {
		e.Call = r.call()
	}
	if size := e.size(); len(r.events) >= MaxEvents || r.bytes+size > MaxBytes {
		if e = e.shortened(); !e.Weighs() || len(r.events) >= MaxEvents+moreWeighty || r.bytes+e.size() > MaxBytes+moreBytes {
			if r.lost++; r.lost == 1 {
				r.keep(Event{Time: e.Time, Kind: Limit, Text: fmt.Sprintf("more happened than is kept (%d events, %d bytes): of what follows only the gravest is", MaxEvents, MaxBytes)})
			}
			return
		}
	}
	r.keep(e)
}

func (r *recorder) keep(e Event) {
	e.Seq = len(r.events) + 1
	if e.Outgoing() || e.Kind == FileAccess {
		r.active = e.Time
	}
	r.bytes += e.size()
	r.events = append(r.events, e)
	for _, do := range r.hear {
		do(e)
	}
}

// countLost says how many events were lost, if any were.
func (r *recorder) countLost() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost > 0 {
		r.keep(Event{Time: r.now(), Kind: Limit, Text: fmt.Sprintf("%d events were not kept", r.lost)})
	}
}

// currentCall is call for whoever does not hold the lock.
func (r *recorder) currentCall() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.call()
}

// call is the tool call that began last and goes on; "" for none. The caller holds the lock.
func (r *recorder) call() string {
	if len(r.calls) == 0 {
		return ""
	}
	return *r.calls[len(r.calls)-1]
}

// Weighs reports whether the event may decide what is said of the server.
func (e *Event) Weighs() bool {
	return e.Kind == Limit || len(e.Canaries) > 0 || e.Kind == FileChange && startup.What(e.Path) != ""
}

// shortened is the event without most of what the server chose.
func (e *Event) shortened() Event {
	out := *e
	out.Args = nil
	for _, text := range []*string{&out.Text, &out.URL, &out.Path, &out.Host, &out.Method, &out.Call} {
		*text = strings.Clone((*text)[:min(len(*text), shortText)])
	}
	return out
}

// size is about how long the event is as JSON, where a byte that has to be escaped takes six.
func (e *Event) size() (n int) {
	add := func(s string) {
		n += len(s)
		for i := range len(s) {
			if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
				n += 5
			}
		}
	}
	n = 200
	for _, s := range []string{e.Call, e.Host, e.Addr, e.Method, e.URL, e.Path, e.Text} {
		add(s)
	}
	for _, list := range [][]string{e.Args, e.Canaries, e.Used} {
		for _, s := range list {
			add(s)
		}
	}
	return n
}

// tellUsed tells the canaries that went where they belong from those that did not.
func (r *recorder) tellUsed(e *Event) {
	if !e.Outgoing() || len(e.Canaries) == 0 {
		return
	}
	var stolen []string
	for _, name := range e.Canaries {
		if slices.ContainsFunc(r.canaries, func(c Canary) bool { return c.Name == name && c.BelongsTo(e.Host) }) {
			e.Used = append(e.Used, name)
		} else {
			stolen = append(stolen, name)
		}
	}
	e.Canaries = stolen
}

// idle returns for how long nothing was sent and no canary opened; never says that none of it happened.
func (r *recorder) idle() (since time.Duration, never bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now().Sub(r.active), r.active.IsZero()
}

func (r *recorder) since(from int) []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	from = min(max(from-1, 0), len(r.events))
	return append([]Event(nil), r.events[from:]...)
}

func (r *recorder) onEvent(do func(Event)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hear = append(r.hear, do)
}

func (r *recorder) beginCall(name string) (end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	call := &name
	r.calls = append(r.calls, call)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		for i, c := range r.calls {
			if c == call {
				r.calls = append(r.calls[:i], r.calls[i+1:]...)
				return
			}
		}
	}
}
