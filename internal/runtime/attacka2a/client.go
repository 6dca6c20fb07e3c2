package attacka2a

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/a2a"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/wire"
	"gauntlet/oatf"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// A client is an actor in mode a2a_client: it performs the actions of its phases against the agent under test, in order.
type client struct {
	*attack.Actor
	attack.HTTPPeer
	opt    Options
	number int // requests and exchanges so far
	latest attack.Exchange

	attack.PhaseStop
}

// Send reports an action that has no message in this protocol.
func (c *client) Send(_ context.Context, e attack.Entry, method, _ string) {
	c.Notice(attack.Unplayed, e.Phase(), "%s is not sent: an A2A client says nothing beside its actions", method)
}

// Play runs the script.
func (c *client) Play(ctx context.Context) error { return c.PlayPhases(ctx, c.playPhase) }

// playPhase performs the actions of a phase until it is over.
func (c *client) playPhase(ctx context.Context, at int, left <-chan struct{}) error {
	for _, action := range c.Phases[at].State.Get("actions").Elements() {
		if attack.IsClosed(left) || c.Over() || ctx.Err() != nil {
			return nil
		}
		method, params, ok := c.ReadAction(at, action, c.latest)
		if !ok {
			continue
		}
		if err := c.act(ctx, at, method, params); err != nil {
			return err
		}
	}
	return nil
}

// act performs one action and then the effects of its events.
func (c *client) act(ctx context.Context, at int, method, params string) error {
	own, done := c.Interruptible(ctx)
	t := &action{client: c, ctx: own, at: at, method: method, params: params}
	timed, end := context.WithTimeout(own, c.opt.Timeout)
	err := t.run(timed)
	end()
	done()
	for _, then := range t.deferred {
		then("")
	}
	switch {
	case ctx.Err() != nil:
		return nil
	case errors.Is(context.Cause(own), attack.ErrMoved):
		c.Notice(attack.Trouble, at, "the answer to %s did not come before the phase was over", method)
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		c.Notice(attack.Trouble, at, "%s was not answered within %s", method, c.opt.Timeout)
		return nil
	}
	return err
}

// An action is one action in progress.
type action struct {
	*client
	ctx            context.Context
	at             int
	method, params string
	deferred       []func(string)
}

func (t *action) run(ctx context.Context) error {
	t.number++
	if t.method == a2a.CardGet {
		return t.getCard(ctx)
	}
	name, isCurrent := a2a.Canonical(t.method)
	id := strconv.Itoa(t.number)
	body := wire.EncodeRequest(id, t.method, t.params)
	t.record(trace.Message{Direction: trace.ToServer, Kind: trace.Request, ID: id, Method: name, Raw: body}, http.MethodPost, 0)
	t.RunExtractors(t.at, oatf.SourceRequest, rawjson.Read(t.params))
	r, err := t.do(ctx, http.MethodPost, t.opt.URL, body, isCurrent)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		return t.hearStream(r, name)
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, int64(t.opt.Body)+1))
	switch {
	case err != nil:
		return err
	case len(text) > t.opt.Body:
		return fmt.Errorf("%s: the answer has more than %d bytes", t.method, t.opt.Body)
	}
	t.takeAnswer(string(text), name, r.StatusCode, true)
	return nil
}

// getCard fetches the card, which is not a JSON-RPC call.
func (t *action) getCard(ctx context.Context) error {
	t.record(trace.Message{Direction: trace.ToServer, Kind: trace.Event, Method: a2a.CardGet}, http.MethodGet, 0)
	u, err := url.Parse(t.opt.URL)
	if err != nil {
		return err
	}
	u.Path, u.RawQuery = a2a.CardPath, ""
	card, ok, err := t.get(ctx, a2a.CardGet, u)
	if ok && rawjson.Read(card).Get("signatures").Exists() {
		err = t.checkCard(ctx, rawjson.Read(card), u)
	}
	return err
}

// get fetches a document of the agent over HTTP and reports it as an event; false if it is no JSON.
func (t *action) get(ctx context.Context, event string, u *url.URL) (text string, ok bool, err error) {
	r, err := t.do(ctx, http.MethodGet, u.String(), "", false)
	if err != nil {
		return "", false, err
	}
	defer r.Body.Close()
	read, err := io.ReadAll(io.LimitReader(r.Body, int64(t.opt.Body)))
	if err != nil {
		return "", false, err
	}
	kind, text := trace.Event, string(read)
	if r.StatusCode/100 != 2 || !rawjson.Read(text).Exists() {
		kind = trace.Invalid
	}
	t.record(trace.Message{Direction: trace.ToClient, Kind: kind, Method: event, Raw: text}, http.MethodGet, r.StatusCode)
	if kind == trace.Event {
		t.observe(event, text)
	}
	return text, kind == trace.Event, nil
}

// checkCard checks a card's signatures with the keys it names, which are fetched only from the card's origin, and reports the
// result as an event.
func (t *action) checkCard(ctx context.Context, card rawjson.Value, from *url.URL) (err error) {
	keys := ""
	if u, bad := url.Parse(keySetOf(card)); bad == nil && u.Scheme == from.Scheme && u.Host == from.Host {
		t.record(trace.Message{Direction: trace.ToServer, Kind: trace.Event, Method: a2a.CardKeys}, http.MethodGet, 0)
		if keys, _, err = t.get(ctx, a2a.CardKeys, u); err != nil {
			return err
		}
	}
	t.tell(a2a.CardSignature, signatureReport(signatureChecks(card, keys)))
	return nil
}

func (t *action) hearStream(r *http.Response, name string) error {
	next := wire.ReadEvents(r.Body, t.opt.Body)
	for first := true; ; first = false {
		data, err := next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		t.takeAnswer(data, name, r.StatusCode, first)
	}
}

// takeAnswer handles an answer or a stream item: an event under the method and, for a task status or artifact update, another under
// that name (§7.2.2).
func (t *action) takeAnswer(text, name string, status int, first bool) {
	m := wire.Decode(text)
	kind, method, raw, note := trace.Kind(m.Kind.String()), "", text, m.Note
	content := cmp.Or(m.Result, m.Error)
	if !first && m.Kind != wire.Invalid { // the first item is the answer, the others follow it
		kind, method, raw, note = trace.Event, name, content, "a further item of the stream, without its envelope"
	}
	t.record(trace.Message{Direction: trace.ToClient, Kind: kind, ID: m.ID, Method: method, Raw: raw, Note: note}, http.MethodPost, status)
	if content == "" {
		return
	}
	t.observe(name, content)
	v := rawjson.Read(content)
	for _, e := range []struct{ kind, member, event string }{{"status-update", "statusUpdate", a2a.TaskStatus}, {"artifact-update", "artifactUpdate", a2a.TaskArtifact}} {
		switch inner := v.Get(e.member); {
		case v.Get("kind").Is(e.kind):
			t.tell(e.event, content)
		case inner.Kind() == rawjson.Object:
			t.tell(e.event, inner.Raw())
		}
	}
}

// tell reports an event and records it in the trace under its own name, so that indicators see it.
func (t *action) tell(event, content string) {
	t.record(trace.Message{Direction: trace.ToClient, Kind: trace.Event, Method: event, Raw: content, Note: "made of what stands before it"}, http.MethodPost, 0)
	t.observe(event, content)
}

// observe reports an event: the answer together with its request.
func (t *action) observe(event, content string) {
	t.latest = attack.Exchange{Request: t.params, Response: content}
	v := attack.WithRequest(rawjson.Read(content), t.params)
	t.RunExtractors(t.at, oatf.SourceResponse, v)
	if then := t.ObserveEvent(t.ctx, event, v, t.latest); then != nil {
		t.deferred = append(t.deferred, then)
	}
}

// do sends a request in the revision of its method.
func (t *action) do(ctx context.Context, method, to, body string, isCurrent bool) (*http.Response, error) {
	header := []string{"Accept", "application/json, text/event-stream"}
	if isCurrent {
		header = append(header, a2a.VersionHeader, "1.0")
	}
	return t.Do(ctx, method, to, body, header...)
}

func (t *action) record(m trace.Message, method string, status int) {
	m.Time, m.Actor, m.Phase, m.Server, m.Session, m.Protocol, m.Role = t.Now(), t.Name, t.Phases[t.at].Name, t.Name, "s1", a2a.Protocol, trace.AsClient
	m.HTTP = &trace.HTTP{Exchange: t.number, Method: method, Status: status}
	t.Record(m)
}
