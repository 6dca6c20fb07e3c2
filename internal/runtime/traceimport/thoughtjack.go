package traceimport

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// The traces of ThoughtJack, an executor of attack documents, one event per line:
//
// 	{"seq":5,"timestamp":"…","actor":"server","phase":"calm","direction":"Incoming","method":"tools/call","content":{…}}
//
// Incoming is from the agent under test. The content is a request's params, an answer's result or error, and occasionally the whole
// message.

func likeThoughtJack(head string) bool {
	for line := range strings.Lines(head) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if !strings.HasSuffix(line, "\n") && len(head) >= detectBytes-4 { // cut off by the limit
			return strings.HasPrefix(line, `{"seq":`) && strings.Contains(line, `"direction":"`)
		}
		if v := rawjson.Read(line); v.Exists() {
			_, err := jackLine(v)
			return err == nil
		}
		// One bad line does not make it another format.
	}
	return false
}

type jackEvent struct {
	line                 int
	at                   time.Time
	actor, phase, method string
	incoming             bool
	content              string // raw
}

func jackLine(v rawjson.Value) (jackEvent, error) {
	e := jackEvent{actor: v.Get("actor").Text(), phase: v.Get("phase").Text(), method: v.Get("method").Text(), content: v.Get("content").Raw()}
	for _, name := range []string{"actor", "phase", "method", "direction", "timestamp"} {
		if v.Get(name).Kind() != rawjson.String {
			return e, fmt.Errorf("%q is no string", name)
		}
	}
	if e.content == "" {
		return e, fmt.Errorf("there is no content")
	}
	if len(e.content) > trace.DefaultPayload {
		return e, fmt.Errorf("the content is longer than a trace takes")
	}
	var err error
	if e.at, err = time.Parse(time.RFC3339Nano, v.Get("timestamp").Text()); err != nil {
		return e, fmt.Errorf("the timestamp is not an RFC 3339 time")
	}
	switch direction := v.Get("direction").Text(); strings.ToLower(direction) {
	case "incoming":
		e.incoming = true
	case "outgoing":
	default:
		return e, fmt.Errorf("the direction %.20q is neither Incoming nor Outgoing", direction)
	}
	return e, nil
}

func readThoughtJack(r *importRun) error {
	var events []jackEvent
	var tree rawjson.Tree
	held := 0
	err := r.eachLine(func(n int, line string) error {
		if err := tree.Parse(line, 0); err != nil {
			r.addProblem(n, "not JSON: %v", err)
			return nil
		}
		e, err := jackLine(tree.Root())
		if err != nil {
			r.addProblem(n, "%v", err)
			return nil
		}
		if held += len(line); held > r.options.Text {
			return fmt.Errorf("more than %d bytes, and this format must be read whole", r.options.Text)
		}
		e.line = n
		events = append(events, e)
		return nil
	})
	if err != nil {
		return err
	}
	actors := map[string]*jackActor{}
	for i := range events {
		a := actors[events[i].actor]
		if a == nil {
			a = &jackActor{name: events[i].actor, pending: map[jackKey][]int{}, answers: map[int]int{}, strays: map[int]bool{}}
			actors[a.name] = a
		}
		a.pairEvent(events, i)
	}
	return r.jackPut(events, actors)
}

// jackActor is what is known about an actor.
type jackActor struct {
	name            string
	protocol        string // "" for MCP
	known, asClient bool   // which side it plays
	pending         map[jackKey][]int
	answers         map[int]int // an answer's event → its request's event
	strays          map[int]bool
}

// jackKey identifies the requests an event may answer: same method, opposite direction.
type jackKey struct {
	method   string
	incoming bool // direction of the request
}

// pairEvent determines whether an event answers an earlier one or is a request.
func (a *jackActor) pairEvent(events []jackEvent, i int) {
	e := &events[i]
	a.learnProtocol(e)
	if e.isNotification() || a.protocol == "ag_ui" {
		return
	}
	if waiting := a.pending[jackKey{e.method, !e.incoming}]; len(waiting) > 0 {
		a.pending[jackKey{e.method, !e.incoming}] = waiting[1:]
		a.answers[i] = waiting[0]
		return
	}
	wrongWay := a.known && sideOf(e.method) != "" && e.incoming != ((sideOf(e.method) == trace.AsClient) != a.asClient)
	if wrongWay || looksLikeResult(e.method, e.content) {
		a.strays[i] = true // its request was not recorded
		a.learnSide(e.method, !e.incoming)
		return
	}
	key := jackKey{e.method, e.incoming}
	a.pending[key] = append(a.pending[key], i)
	a.learnSide(e.method, e.incoming)
}

func (e *jackEvent) isNotification() bool { return strings.HasPrefix(e.method, "notifications/") }

// learnProtocol derives the protocol from methods that only one has.
func (a *jackActor) learnProtocol(e *jackEvent) {
	switch {
	case a.protocol != "":
	case strings.HasPrefix(e.method, "message/"), strings.HasPrefix(e.method, "agent_card"), e.method == "tasks/send", e.method == "tasks/sendSubscribe":
		a.protocol = "a2a"
	case e.method == "run_agent_input", strings.HasPrefix(e.method, "run_"), strings.HasPrefix(e.method, "text_message_"):
		a.protocol = "ag_ui"
		a.known, a.asClient = true, e.method == "run_agent_input" != e.incoming
	}
}

// learnSide derives the actor's side from a request: a client's request from the agent was sent to a server.
func (a *jackActor) learnSide(method string, incoming bool) {
	if !a.known && sideOf(method) != "" {
		a.known, a.asClient = true, (sideOf(method) == trace.AsClient) != incoming
	}
}

func (r *importRun) jackPut(events []jackEvent, actors map[string]*jackActor) error {
	for i := range events {
		e := &events[i]
		a := actors[e.actor]
		about := trace.Message{Actor: e.actor, Phase: e.phase, Protocol: a.protocol, Role: trace.AsServer}
		if a.asClient {
			about.Role = trace.AsClient
		}
		if a.protocol == "ag_ui" {
			if err := r.jackPayload(about, e); err != nil {
				return err
			}
			continue
		}
		if err := r.putMessage(about, wire.Passage{Message: e.makeMessage(i, a), Sent: !e.incoming}, e.at); err != nil {
			return err
		}
	}
	return nil
}

// jackPayload records what has no envelope in its own protocol either.
func (r *importRun) jackPayload(m trace.Message, e *jackEvent) error {
	m.Time, m.Kind, m.Method, m.Raw = e.at, trace.Event, e.method, e.content
	m.Direction = trace.ToClient
	if e.incoming != (m.Role == trace.AsClient) {
		m.Direction = trace.ToServer
	}
	_, err := r.recorder.Record(m)
	return err
}

func (e *jackEvent) makeMessage(i int, a *jackActor) wire.Message {
	if rawjson.Read(e.content).Get("jsonrpc").Exists() {
		return wire.Decode(e.content)
	}
	id, params, made := jackID(i), e.content, "the envelope and the id were made"
	if e.isNotification() {
		id, made = "", "the envelope was made"
	}
	if params == "null" {
		params = ""
	}
	raw := wire.EncodeRequest(id, e.method, params)
	if question, isAnswer := a.answers[i]; isAnswer {
		raw = e.makeAnswer(jackID(question))
	} else if a.strays[i] {
		raw = e.makeAnswer(id)
	}
	m := wire.Decode(raw)
	addNote(&m, made)
	return m
}

// makeAnswer builds the answer with an id. The request's params, which an executor playing a client adds to a result, are removed.
func (e *jackEvent) makeAnswer(id string) string {
	root := rawjson.Read(e.content)
	switch {
	case root.Get("code").Kind() == rawjson.Number && root.Get("message").Kind() == rawjson.String && !looksLikeResult(e.method, e.content):
		return wire.EncodeAnswer(id, "error", e.content)
	case root.Get("_request").Exists():
		return wire.EncodeAnswer(id, "result", rawjson.Without(e.content, "_request"))
	}
	return wire.EncodeAnswer(id, "result", e.content)
}

// jackID returns a generated id in a form that no wire id has.
func jackID(event int) string { return `"event-` + strconv.Itoa(event) + `"` }
