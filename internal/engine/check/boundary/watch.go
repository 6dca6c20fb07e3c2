package boundary

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
	"gauntlet/trace"
	"gauntlet/trust"
)

// A Watch judges a client's messages before a server gets them, by the rules of SEC-060 and SEC-061: verbatim values, and claims beyond
// the declared set. It ignores what those checks only note (transformed values, changing claims). It is safe for concurrent use.
//
// It keeps every substantial value of every result, since any may return at any time. Beyond its memory limit it lets
// no new values through rather than lose track of one.
type Watch struct {
	most int

	mu    sync.Mutex
	walk  *flowTracer
	seq   int // of the latest message
	spent int // approximate memory in bytes
}

// MaxWatched limits the memory of a Watch for values, approximately, in bytes.
const MaxWatched = 256 << 20

// Memory of a Watch per value besides its text, and per call, in bytes; measured by BenchmarkWatchMemory and rounded up.
const (
	perValue = 256
	perCall  = 256
)

// NewWatch returns a Watch for a declared boundary.
func NewWatch(b trust.Boundary) *Watch {
	w := newTracer(nil, b)
	w.log = newCallLog()
	w.index, w.sweep = newValueIndex(w.limits, 0), newSweep(w.limits.MinLength)
	w.index.live = true
	return &Watch{most: MaxWatched, walk: w}
}

// Claims returns why a client may not claim capabilities, a JSON object; nil if it may or nothing was declared.
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
	if extra := flattenClaims(tree.Root()).pathsBeyond(declaredSet(n.Negotiated)); extra != nil {
		return fmt.Errorf("the declared boundary forbids it (SEC-061): the client claims %s, which the negotiated set does not contain", quotedList(extra))
	}
	return nil
}

var errWatchFull = errors.New("the boundary can no longer be enforced: the memory for values of earlier results is full; restart the gateway")

// Asks returns why a request must not be sent to a server. If it may, call answered with its answer: member is "result" or "error",
// value its content. An error of answered means that the answer must not reach the client because its values could not be watched.
func (w *Watch) Asks(server, method, params string) (answered func(member, value string) error, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, err := w.judgeOutgoing(&trace.Message{Server: strings.Clone(server), Kind: trace.Request, Method: method, Raw: `{"params":` + cmp.Or(params, "{}") + `}`})
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

// Notifies returns why a client's notification must not be sent to a server.
func (w *Watch) Notifies(server, method, params string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.judgeOutgoing(&trace.Message{Server: server, Kind: trace.Notification, Method: method, Raw: `{"params":` + cmp.Or(params, "{}") + `}`})
	return err
}

// Answers returns why the client's answer to a server's request must not be sent. member is "result" or "error", value
// its content. The server must not learn the reason, which quotes another server's text.
func (w *Watch) Answers(server, method, member, value string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.judgeOutgoing(&trace.Message{Server: server, Kind: trace.Response, Method: method, Raw: `{` + rawjson.Quote(member) + `:` + cmp.Or(value, "{}") + `}`})
	return err
}

// judgeOutgoing judges a client's message and returns the index of the call whose result is to be learned, -1 for none,
// or why it must not be sent.
func (w *Watch) judgeOutgoing(m *trace.Message) (at int, err error) {
	at = len(w.walk.log.calls)
	_, why := w.judgeMessage(m)
	follow := why == "" && at < len(w.walk.log.calls) && w.walk.log.calls[at].returns()
	if !follow {
		w.walk.log.calls = w.walk.log.calls[:at] // it is not sent, or has no answer
		at = -1
	} else if w.spent += perCall; w.spent > w.most {
		return -1, errWatchFull
	}
	if why != "" {
		return -1, errors.New("the declared boundary forbids it (SEC-060): " + why)
	}
	return at, nil
}

// judgeMessage adds the call in a message and returns its index, and why it must not be made.
func (w *Watch) judgeMessage(m *trace.Message) (at int, why string) {
	w.seq++
	m.Seq, m.Direction = w.seq, trace.ToServer
	at = len(w.walk.log.calls)
	w.walk.flows = flows{}
	var tree rawjson.Tree
	w.walk.log.addInput(m, w.seq, &tree, w.walk.boundary.Sanitizers)
	delete(w.walk.log.at, m.Seq) // the caller keeps the index for the answer
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
		return at, "it contains more values of earlier results than can be distinguished"
	}
	return at, ""
}

// explainFlow describes a flow and the part of the declaration that it violates. Its message must be the last one parsed.
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
		n := x.keepVerbatim(e)
		if len(x.units) > before {
			w.spent += perValue + len(e.text)
		}
		if n >= 0 {
			x.units[n].addHolder(c.server, held{at, e.offset}, x.limits.Producers)
		}
	}
	return nil
}

// learnToolList records the values listed in the schemas of a server's tools.
func (w *Watch) learnToolList(server, result string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.spent > w.most {
		return nil // more would only allow more
	}
	before := w.walk.log.countKnown()
	var tree rawjson.Tree
	w.walk.log.addToolList(&trace.Message{Server: strings.Clone(server), Kind: trace.Response, Method: mcp.ToolsList, Raw: `{"result":` + result + `}`}, &tree)
	if more := w.walk.log.countKnown() - before; more > 0 {
		w.spent += more*perValue + len(result)
	}
	return nil
}

func (k *callLog) countKnown() int {
	n := len(k.tools)
	for _, e := range k.enums {
		n += len(e)
	}
	return n
}
