package boundary

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
	"gauntlet/trace"
	"gauntlet/trust"
)

// A Watch judges what a client sends before a server gets it, by the rules by which SEC-060 and SEC-061 judge
// a recording: a value that stands verbatim, and claims beyond the declared set. What those
// checks only note (values that were changed on the way, a client that drifts) it lets pass.
// It is safe for use from several goroutines.
//
// It keeps every substantial value of every result, since any may come back at any time. When
// that is more than its limit it lets nothing new through, rather than lose sight of something.
type Watch struct {
	most int

	mu    sync.Mutex
	walk  *flowTracer
	seq   int // of the latest message
	spent int // memory, in bytes, roughly
}

// MaxWatched is how much memory a Watch takes for values, in bytes, roughly.
const MaxWatched = 256 << 20

// What a Watch takes beside the text of a value, and for a call, in bytes; measured by
// BenchmarkWatchMemory and rounded up.
const (
	perValue = 256
	perCall  = 256
)

// NewWatch returns a Watch for a declared boundary.
func NewWatch(b trust.Boundary) *Watch {
	w := newTracer(nil, b)
	w.log = newCallLog()
	w.index, w.sweep = newValueIndex(w.limits, 0, nil), newSweep(w.limits.MinLength)
	w.index.live = true
	return &Watch{most: MaxWatched, walk: w}
}

// Claims returns why a client may not claim these capabilities, a JSON object; nil where it
// may, and where nothing was declared.
func (w *Watch) Claims(capabilities string) error {
	n := w.walk.boundary.Negotiation
	if n == nil || !n.Declared {
		return nil
	}
	if _, idle := outOfScope(n); idle {
		return nil
	}
	var tree rawjson.Tree
	if err := tree.Parse(capabilities, 0); err != nil {
		return fmt.Errorf("the declared boundary forbids it: the claims of the client cannot be read: %w", err)
	}
	names := make([]string, len(n.Negotiated))
	for i, name := range n.Negotiated {
		names[i] = name.Text
	}
	if extra := flattenClaims(tree.Root()).pathsBeyond(declaredSet(names)); extra != nil {
		return fmt.Errorf("the declared boundary forbids it (SEC-061): the client claims %s, which the negotiated set does not contain", quotedList(extra))
	}
	return nil
}

var errWatchFull = errors.New("the boundary cannot be watched any further: the values of earlier results fill the memory for them; start the gateway anew")

// Asks returns why a request must not go to a server. Where it may, answered is to be called
// with its answer, member being "result" or "error" and value what it holds; an error from that says that the answer must not
// reach the client, because its values could not be watched.
func (w *Watch) Asks(server, method, params string) (answered func(member, value string) error, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, err := w.judgeOutgoing(&trace.Message{Server: strings.Clone(server), Kind: trace.Request, Method: method, Raw: `{"params":` + orEmptyObject(params) + `}`})
	switch {
	case err != nil:
		return nil, err
	case at < 0:
		return func(string, string) error { return nil }, nil
	}
	return func(member, value string) error {
		if method == mcp.ToolsList && member == "result" {
			if err := w.learnToolList(server, value); err != nil {
				return err
			}
		}
		return w.learnAnswer(at, member, value)
	}, nil
}

// Notifies returns why a notification of the client must not go to a server.
func (w *Watch) Notifies(server, method, params string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.judgeOutgoing(&trace.Message{Server: server, Kind: trace.Notification, Method: method, Raw: `{"params":` + orEmptyObject(params) + `}`})
	return err
}

// Answers returns why the client's answer to a request of a server must not go to it. member
// is "result" or "error", and value what it holds. The server must not be told the reason, which
// quotes another server's text.
func (w *Watch) Answers(server, method, member, value string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.judgeOutgoing(&trace.Message{Server: server, Kind: trace.Response, Method: method, Raw: `{` + rawjson.Quote(member) + `:` + orEmptyObject(value) + `}`})
	return err
}

func orEmptyObject(value string) string {
	if value == "" {
		return "{}"
	}
	return value
}

// judgeOutgoing judges a message of the client and returns the place of the call whose result is to be
// learned, -1 for none, and why it must not be sent.
func (w *Watch) judgeOutgoing(m *trace.Message) (at int, err error) {
	at = len(w.walk.log.calls)
	_, why := w.judgeMessage(m)
	follow := why == "" && at < len(w.walk.log.calls) && w.walk.log.calls[at].returns()
	if !follow {
		w.walk.log.calls = w.walk.log.calls[:at] // it is not made, or nothing more is heard of it
		at = -1
	} else if w.spent += perCall; w.spent > w.most {
		return -1, errWatchFull
	}
	if why != "" {
		return -1, errors.New("the declared boundary forbids it (SEC-060): " + why)
	}
	return at, nil
}

// judgeMessage adds the call that a message is and returns its place, and why it must not be made.
func (w *Watch) judgeMessage(m *trace.Message) (at int, why string) {
	w.seq++
	m.Seq, m.Direction = w.seq, trace.ToServer
	at = len(w.walk.log.calls)
	w.walk.flows = flows{}
	var tree rawjson.Tree
	w.walk.log.addInput(m, w.seq, &tree, w.walk.boundary.Sanitizers)
	delete(w.walk.log.at, m.Seq) // the place is kept by whoever waits for the answer
	if len(w.walk.log.calls) == at {
		return at, ""
	}
	if !w.walk.judgeCall(at, m) {
		return at, "it cannot be read"
	}
	switch f := &w.walk.flows; {
	case len(f.crossed) > 0:
		return at, w.explainFlow(&f.crossed[0])
	case f.leftCrossed+f.cut > 0:
		return at, "it holds more values of earlier results than can be told apart"
	}
	return at, ""
}

// explainFlow says what crossed and which part of the declaration it fails. The message it is in
// was parsed last.
func (w *Watch) explainFlow(f *flow) string {
	src := &w.walk.log.calls[f.from]
	value, pointer := "a value", ""
	if f.value != "" {
		value = quoteValue(f.value)
	}
	for i := range w.walk.sweep.entries {
		if e := &w.walk.sweep.entries[i]; e.offset == f.offset {
			pointer = e.value.Pointer()
			break
		}
	}
	return fmt.Sprintf("%s of server %s returned %s, and it appears in this message (%s); %s", src.title, quoteValue(src.server), value, pointer, f.clause)
}

// learnAnswer learns the values of an answer.
func (w *Watch) learnAnswer(at int, member, value string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, x := w.walk.sweep, w.walk.index
	if !s.parseMessage(`{` + rawjson.Quote(member) + `:` + value + `}`) {
		return errors.New("the boundary cannot be watched: the answer cannot be read")
	}
	w.seq++
	c := &w.walk.log.calls[at]
	c.result = w.seq
	if w.walk.log.noteResult(s.messageRoot().Get("result"), at); member == "error" {
		c.failed = true
	}
	s.addOutputs(c.method)
	for i := range s.entries {
		e := &s.entries[i]
		if !e.worthy && !mayBeDangerous(e.trimmed()) {
			continue
		}
		if w.spent > w.most {
			return errWatchFull
		}
		before := len(x.units)
		n := x.keepValue(e)
		if len(x.units) > before {
			w.spent += perValue + len(e.text)
		}
		if n >= 0 {
			x.units[n].addHolder(c.server, held{at, e.offset}, x.limits.Producers)
		}
	}
	return nil
}

// keepValue adds a value of a result as it stands and returns its unit, -1 for none.
func (x *valueIndex) keepValue(e *entry) int {
	if !e.worthy {
		return x.keepShort(e.trimmed())
	}
	if e.text != "" {
		text := strings.Clone(e.trimmed()) // it is part of a message that is not to stay for it
		return x.addForm(x.exact, &x.exactForms, text, returnedValue{text: text})
	}
	n, ok := x.structs[e.hash]
	if !ok {
		n = len(x.units)
		x.units = append(x.units, returnedValue{})
		x.structs[e.hash] = n
	}
	return n
}

// learnToolList learns the values that the schemas of a server's tools list.
func (w *Watch) learnToolList(server, result string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.spent > w.most {
		return nil // more of it would only let more pass
	}
	before := w.walk.log.countKnown()
	var tree rawjson.Tree
	w.walk.log.addToolList(&trace.Message{Server: strings.Clone(server), Kind: trace.Response, Method: mcp.ToolsList, Raw: `{"result":` + result + `}`}, &tree)
	if more := w.walk.log.countKnown() - before; more > 0 {
		w.spent += more*perValue + len(result)
	}
	return nil
}

// countKnown counts what was learnt of tools.
func (k *callLog) countKnown() int {
	n := len(k.tools)
	for _, e := range k.enums {
		n += len(e)
	}
	return n
}
