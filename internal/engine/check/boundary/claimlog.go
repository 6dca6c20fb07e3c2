package boundary

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
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

// An unclaimedUse is a server that wants something which the request at hand did not claim.
type unclaimedUse struct {
	message   int // place in the trace of what the server sent
	request   int // place in the trace of the request at hand, or of initialize
	title     string
	ask       capabilityUse // the first one that lacks something
	lacking   []string
	inherited int    // the number of an earlier message that claimed it; 0 for none
	legacy    bool   // what counts is what initialize said
	agreed    string // what that was, for a reader
}

// A baseline is what an initialize claimed.
type baseline struct {
	message int // place in the trace
	claims  string
}

// A claimConversation is one conversation of a client with a server.
type claimConversation struct {
	agreed   map[string]bool // what initialize claimed; nil where none was recorded
	initial  int             // place of initialize in the trace
	claims   string          // agreed, for a reader
	modern   bool            // requests have said what the client can do
	earlier  map[string]int  // by path: the number of the first message that claimed it
	requests map[int]*request
	open     map[string]int // by path: how many requests without an answer claim it
	last     *request
}

type claimConversationKey struct{ actor, server, session string }

// A claimLog is what a trace says about claims.
type claimLog struct {
	trace    *trace.Trace
	requests []request // that say something, in order
	uses     []unclaimedUse
	// baselines are those of the initialize requests, in order.
	baselines []baseline
	// unknown counts what servers asked in conversations whose beginning was not recorded.
	unknown       int
	conversations map[claimConversationKey]*claimConversation
	tree          rawjson.Tree
}

type claimsKey struct{}

// claimsOf reads the claims of a trace, once for all checks.
func claimsOf(p *check.Pass) *claimLog {
	return p.Shared(claimsKey{}, func() any { return readClaims(p.Trace) }).(*claimLog)
}

func readClaims(t *trace.Trace) *claimLog {
	h := &claimLog{trace: t, conversations: map[claimConversationKey]*claimConversation{}}
	for i := range t.Messages {
		m := &t.Messages[i]
		if !m.IsProtocol("mcp") || m.Stray != "" {
			continue
		}
		key := claimConversationKey{m.Actor, m.Server, m.Session}
		p := h.conversations[key]
		if p == nil {
			p = &claimConversation{earlier: map[string]int{}, requests: map[int]*request{}, open: map[string]int{}}
			h.conversations[key] = p
		}
		switch {
		case m.Kind == trace.Request && m.Direction == trace.ToServer:
			h.addRequestClaims(p, m, i)
		case m.Kind == trace.Request:
			h.judgeServerRequest(p, m, i)
		case m.Kind == trace.Response && m.Direction == trace.ToClient:
			h.judgeResult(p, m, i)
		case m.Kind == trace.Error && m.Direction == trace.ToClient:
			p.closeRequest(m.ReplyTo)
		}
	}
	return h
}

func (h *claimLog) addRequestClaims(p *claimConversation, m *trace.Message, i int) {
	r := &request{message: i, title: m.Method, claims: claims{}}
	params, err := m.Content(&h.tree)
	if err == nil && m.Method == mcp.Initialize {
		c := flattenClaims(params.Get("capabilities"))
		p.agreed, p.initial, p.claims = c.pathSet(), i, excerpt.Clip(strings.Join(c.sortedPaths(), ", "), 200)
		h.baselines = append(h.baselines, baseline{i, p.claims})
		return
	}
	if err == nil {
		r.title = messageTitle(m.Method, strings.Clone(params.Get(mcp.SubjectParam(m.Method)).Text()))
		meta := params.Get("_meta")
		if c := meta.Get(mcp.MetaClientCapabilities); c.Kind() == rawjson.Object {
			r.says, r.claims = true, flattenClaims(c)
		}
		client := meta.Get(mcp.MetaClientInfo)
		r.who = strings.Join([]string{client.Get("name").Text(), client.Get("version").Text(), credentialOf(m)}, "\x00")
		if r.says || meta.Get(mcp.MetaProtocolVersion).Text() >= mcp.FirstStateless {
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

// credentialOf tells who sent a message apart: by the label of the credential or, over stdio,
// of the session.
func credentialOf(m *trace.Message) string {
	if m.HTTP != nil && m.HTTP.Credential != "" {
		return m.HTTP.Credential
	}
	return m.Session
}

// closeRequest ends a request; nil where there is none of this number.
func (p *claimConversation) closeRequest(seq int) *request {
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
func (p *claimConversation) claimedBefore(path string, seq int) int {
	if first := p.earlier[path]; first != 0 && first < seq {
		return first
	}
	return 0
}

func (h *claimLog) judgeResult(p *claimConversation, m *trace.Message, i int) {
	r := p.closeRequest(m.ReplyTo)
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
	set, legacy := r.claims.pathSet(), false
	if !r.says && !p.modern && p.agreed != nil {
		set, legacy = p.agreed, true
	}
	h.keepUnclaimed(p, set, asksOf(result), unclaimedUse{message: i, request: r.message, title: r.title, legacy: legacy, agreed: p.claims})
}

// keepUnclaimed keeps what goes beyond a set of claims among all that one message asks: apart, what an
// earlier request claimed and what nobody did.
func (h *claimLog) keepUnclaimed(p *claimConversation, set map[string]bool, asks []capabilityUse, o unclaimedUse) {
	inherited, never := o, o
	for _, a := range asks {
		for _, path := range a.lackingFrom(set) {
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
	for _, o := range []unclaimedUse{inherited, never} {
		if len(o.lacking) > 0 {
			slices.Sort(o.lacking)
			h.uses = append(h.uses, o)
		}
	}
}

// judgeServerRequest judges a request of a server by what initialize claimed. From 2026-07-28 on
// there are no such requests; one that comes all the same is judged by what waits for an answer.
func (h *claimLog) judgeServerRequest(p *claimConversation, m *trace.Message, i int) {
	params, err := m.Content(&h.tree)
	if err != nil {
		return
	}
	a := capabilityUse{what: m.Method}
	a.needs = neededCapabilities(m.Method, params, p.agreed == nil)
	switch {
	case a.needs == nil:
	case p.agreed != nil:
		h.keepUnclaimed(p, p.agreed, []capabilityUse{a}, unclaimedUse{message: i, request: p.initial, title: mcp.Initialize, legacy: true})
	case p.modern:
		set := map[string]bool{}
		for path := range p.open {
			set[path] = true
		}
		h.keepUnclaimed(p, set, []capabilityUse{a}, unclaimedUse{message: i, request: p.last.message, title: p.last.title})
	default:
		h.unknown++
	}
}
