package boundary

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"gauntlet/rawjson"
	"gauntlet/trace"
	"gauntlet/trust"
)

// A Watch judges calls before they are made, by the rules by which SEC-060 and SEC-061 judge
// a recording: a value that stands verbatim, and claims beyond the declared set. What those
// checks only note (values that were changed on the way, a client that drifts) it lets pass.
// It is safe for use from several goroutines.
//
// It keeps every substantial value of every result, since any may come back at any time. When
// that is more than its limit it lets nothing new through, rather than lose sight of something.
type Watch struct {
	most int

	mu    sync.Mutex
	walk  *tracer
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
	w.talk = newTalk()
	w.index, w.sweep = newIndex(w.limits, 0, nil), newSweep(w.limits.MinLength)
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
	if extra := flatten(tree.Root()).beyond(declared(names)); extra != nil {
		return fmt.Errorf("the declared boundary forbids it (SEC-061): the client claims %s, which the negotiated set does not hold", quotedList(extra))
	}
	return nil
}

var errWatchFull = errors.New("the boundary cannot be watched any further: the values of earlier results fill the memory for them; start the gateway anew")

// Asks returns why a request must not go to a server. Where it may, answered is to be called
// with its result, a JSON value; an error from that says that the result must not reach the
// client, because its values could not be watched.
func (w *Watch) Asks(server, method, params string) (answered func(result string) error, err error) {
	if method == "tools/list" {
		return func(result string) error { return w.listed(server, result) }, nil
	}
	if methods[method] == "" {
		return func(string) error { return nil }, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.spent += perCall; w.spent > w.most {
		return nil, errWatchFull
	}
	at, why := w.ask(server, method, params)
	if why != "" {
		w.walk.talk.calls = w.walk.talk.calls[:at] // it is not made
		return nil, errors.New("the declared boundary forbids it (SEC-060): " + why)
	}
	return func(result string) error { return w.answer(at, result) }, nil
}

// ask judges a call and returns its place, and why it must not be made.
func (w *Watch) ask(server, method, params string) (at int, why string) {
	w.seq++
	m := &trace.Message{Seq: w.seq, Server: strings.Clone(server), Kind: trace.Request, Direction: trace.ToServer, Method: method, Raw: `{"params":` + params + `}`}
	at = len(w.walk.talk.calls)
	w.walk.flows = flows{}
	var tree rawjson.Tree
	w.walk.talk.asked(m, w.seq, &tree, w.walk.boundary.Sanitizers)
	delete(w.walk.talk.at, m.Seq) // the place is kept by whoever waits for the answer
	if !w.walk.call(at, m) {
		return at, "its params cannot be read"
	}
	switch f := &w.walk.flows; {
	case len(f.crossed) > 0:
		return at, w.explain(&f.crossed[0])
	case f.leftCrossed+f.cut > 0:
		return at, "its arguments hold more values of earlier results than can be told apart"
	}
	return at, ""
}

// explain says what crossed and which part of the declaration it fails. The message it is in
// was parsed last.
func (w *Watch) explain(f *flow) string {
	src := &w.walk.talk.calls[f.from]
	value, pointer := "a value", ""
	if f.value != "" {
		value = shown(f.value)
	}
	for i := range w.walk.sweep.entries {
		if v := w.walk.sweep.entries[i].value; v.Offset() == f.offset {
			pointer = v.Pointer()
		}
	}
	return fmt.Sprintf("%s of server %s returned %s, and it stands in this request (%s); %s", src.title, shown(src.server), value, pointer, f.clause)
}

// answer learns the values of a result.
func (w *Watch) answer(at int, result string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, x := w.walk.sweep, w.walk.index
	if !s.parse(`{"result":` + result + `}`) {
		return errors.New("the boundary cannot be watched: the result cannot be read")
	}
	w.seq++
	root := s.root().Get("result")
	c := &w.walk.talk.calls[at]
	c.result = w.seq
	c.failed, _ = root.Get("isError").Bool()
	s.add(root)
	for i := range s.entries {
		e := &s.entries[i]
		if !e.worthy {
			continue
		}
		if w.spent > w.most {
			return errWatchFull
		}
		before := len(x.units)
		n := x.keep(e)
		if len(x.units) > before {
			w.spent += perValue + len(e.text)
		}
		if n >= 0 {
			x.units[n].hold(c.server, held{at, e.value.Offset()}, x.limits.Producers)
		}
	}
	return nil
}

// keep adds a value of a result as it stands and returns its unit, -1 for none.
func (x *index) keep(e *entry) int {
	if e.text != "" {
		text := strings.Clone(e.text) // it is part of a message that is not to stay for it
		return x.add(x.exact, &x.exactForms, text, unit{text: text})
	}
	n, ok := x.structs[e.hash]
	if !ok {
		n = len(x.units)
		x.units = append(x.units, unit{})
		x.structs[e.hash] = n
	}
	return n
}

// listed learns the values that the schemas of a server's tools list.
func (w *Watch) listed(server, result string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.spent > w.most {
		return nil // more of it would only let more pass
	}
	before := w.walk.talk.known()
	var tree rawjson.Tree
	w.walk.talk.listed(&trace.Message{Server: strings.Clone(server), Kind: trace.Response, Method: "tools/list", Raw: `{"result":` + result + `}`}, &tree)
	if more := w.walk.talk.known() - before; more > 0 {
		w.spent += more*perValue + len(result)
	}
	return nil
}

// known counts what was learnt of tools.
func (k *talk) known() int {
	n := len(k.tools)
	for _, e := range k.enums {
		n += len(e)
	}
	return n
}
