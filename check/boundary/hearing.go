package boundary

import (
	"slices"
	"strings"

	"gauntlet/check"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// A request is one message of a client, as far as its claims go.
type request struct {
	message int    // place in the trace
	title   string // for a reader
	who     string // the client and the credential it came with
	claims  claims
	says    bool // it says what the client can do; without it claims is empty
}

// An overreach is a server that wants something which the request at hand did not claim.
type overreach struct {
	message   int // place in the trace of what the server sent
	request   int // place in the trace of the request at hand, or of initialize
	title     string
	ask       ask // the first one that lacks something
	lacking   []string
	inherited int  // the number of an earlier message that claimed it; 0 for none
	legacy    bool // what counts is what initialize said
}

// A pipe is one conversation of a client with a server.
type pipe struct {
	agreed   map[string]bool // what initialize claimed; nil where none was recorded
	initial  int             // place of initialize in the trace
	modern   bool            // requests have said what the client can do
	earlier  map[string]int  // by path: the number of the first message that claimed it
	requests map[int]*request
	open     map[string]int // by path: how many requests without an answer claim it
	last     *request
}

type pipeKey struct{ actor, server, session string }

// A hearing is what a trace says about claims.
type hearing struct {
	trace    *trace.Trace
	requests []request // that say something, in order
	reaches  []overreach
	// unknown counts what servers asked in conversations whose beginning was not recorded.
	unknown int
	pipes   map[pipeKey]*pipe
	tree    rawjson.Tree
}

type hearingKey struct{}

// hearingOf hears a trace, once for all checks.
func hearingOf(p *check.Pass) *hearing {
	return p.Shared(hearingKey{}, func() any { return hear(p.Trace) }).(*hearing)
}

func hear(t *trace.Trace) *hearing {
	h := &hearing{trace: t, pipes: map[pipeKey]*pipe{}}
	for i := range t.Messages {
		m := &t.Messages[i]
		if !m.IsProtocol("mcp") || m.Stray != "" {
			continue
		}
		key := pipeKey{m.Actor, m.Server, m.Session}
		p := h.pipes[key]
		if p == nil {
			p = &pipe{earlier: map[string]int{}, requests: map[int]*request{}, open: map[string]int{}}
			h.pipes[key] = p
		}
		switch {
		case m.Kind == trace.Request && m.Direction == trace.ToServer:
			h.request(p, m, i)
		case m.Kind == trace.Request:
			h.serverRequest(p, m, i)
		case m.Kind == trace.Response && m.Direction == trace.ToClient:
			h.answer(p, m, i)
		case m.Kind == trace.Error && m.Direction == trace.ToClient:
			p.done(m.ReplyTo)
		}
	}
	return h
}

func (h *hearing) request(p *pipe, m *trace.Message, i int) {
	r := &request{message: i, title: m.Method, claims: claims{}}
	params, err := m.Content(&h.tree)
	if err == nil && m.Method == "initialize" {
		p.agreed, p.initial = flatten(params.Get("capabilities")).set(), i
		return
	}
	if err == nil {
		r.title = title(m.Method, strings.Clone(params.Get(methods[m.Method]).Text()))
		meta := params.Get("_meta")
		if c := meta.Get(metaCapabilities); c.Kind() == rawjson.Object {
			r.says, r.claims = true, flatten(c)
		}
		client := meta.Get(metaClient)
		r.who = strings.Join([]string{client.Get("name").Text(), client.Get("version").Text(), credential(m)}, "\x00")
		if r.says || meta.Get(metaRevision).Text() >= stateless {
			p.modern = true
		}
	}
	if r.says {
		h.requests = append(h.requests, *r)
	}
	p.requests[m.Seq], p.last = r, r
	for path := range r.claims {
		p.open[path]++
		if p.earlier[path] == 0 {
			p.earlier[path] = m.Seq
		}
	}
}

// credential tells who sent a message apart: by the label of the credential or, over stdio,
// of the session.
func credential(m *trace.Message) string {
	if m.HTTP != nil && m.HTTP.Credential != "" {
		return m.HTTP.Credential
	}
	return m.Session
}

// done ends a request; nil where there is none of this number.
func (p *pipe) done(seq int) *request {
	r := p.requests[seq]
	if r == nil {
		return nil
	}
	delete(p.requests, seq)
	for path := range r.claims {
		if p.open[path]--; p.open[path] == 0 {
			delete(p.open, path)
		}
	}
	return r
}

// claimedBefore returns the first message in front of one that claimed a path; 0 for none.
func (p *pipe) claimedBefore(path string, seq int) int {
	if first := p.earlier[path]; first != 0 && first < seq {
		return first
	}
	return 0
}

func (h *hearing) answer(p *pipe, m *trace.Message, i int) {
	r := p.done(m.ReplyTo)
	if r == nil {
		return
	}
	// Most results ask for nothing, and are not parsed.
	if !strings.Contains(m.Raw, "inputRequests") && !strings.Contains(m.Raw, "resultType") {
		return
	}
	result, err := m.Content(&h.tree)
	if err != nil {
		return
	}
	set, legacy := r.claims.set(), false
	if !r.says && !p.modern && p.agreed != nil {
		set, legacy = p.agreed, true
	}
	h.judge(p, set, asksOf(result), overreach{message: i, request: r.message, title: r.title, legacy: legacy})
}

// judge keeps what goes beyond a set of claims among all that one message asks: apart, what an
// earlier request claimed and what nobody did.
func (h *hearing) judge(p *pipe, set map[string]bool, asks []ask, o overreach) {
	inherited, never := o, o
	for _, a := range asks {
		for _, path := range a.lacking(set) {
			to := &never
			if first := p.claimedBefore(path, h.trace.Messages[o.request].Seq); first != 0 && !o.legacy {
				to = &inherited
				to.inherited = first
			}
			if len(to.lacking) == 0 {
				to.ask = a
			}
			if !slices.Contains(to.lacking, path) {
				to.lacking = append(to.lacking, path)
			}
		}
	}
	for _, o := range []overreach{inherited, never} {
		if len(o.lacking) > 0 {
			slices.Sort(o.lacking)
			h.reaches = append(h.reaches, o)
		}
	}
}

// serverRequest judges a request of a server by what initialize claimed. From 2026-07-28 on
// there are no such requests; one that comes all the same is judged by what waits for an answer.
func (h *hearing) serverRequest(p *pipe, m *trace.Message, i int) {
	params, err := m.Content(&h.tree)
	if err != nil {
		return
	}
	a := ask{what: m.Method}
	a.needs = needed(m.Method, params, p.agreed == nil)
	switch {
	case a.needs == nil:
	case p.agreed != nil:
		h.judge(p, p.agreed, []ask{a}, overreach{message: i, request: p.initial, title: "initialize", legacy: true})
	case p.modern:
		set := map[string]bool{}
		for path := range p.open {
			set[path] = true
		}
		h.judge(p, set, []ask{a}, overreach{message: i, request: p.last.message, title: p.last.title})
	default:
		h.unknown++
	}
}
