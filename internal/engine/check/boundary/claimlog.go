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

// A request is a client's message and its claims.
type request struct {
	message int    // index in the trace
	title   string // for readers
	who     string // client and credential
	claims  claims
	says    bool // it states the client's capabilities; otherwise claims is empty
}

// An unclaimedUse is a server's use of something that the current request did not claim.
type unclaimedUse struct {
	message   int // index in the trace of the server's message
	request   int // index in the trace of the current request, or of initialize
	title     string
	ask       capabilityUse // the first with an unclaimed capability
	lacking   []string
	inherited int    // number of an earlier message that claimed it; 0 for none
	legacy    bool   // judged by initialize
	agreed    string // what initialize claimed, for readers
}

// A baseline is what an initialize claimed.
type baseline struct {
	message int // index in the trace
	claims  string
}

// A claimConversation is a conversation of a client with a server.
type claimConversation struct {
	agreed   map[string]bool // claims of initialize; nil if not recorded
	initial  int             // index of initialize in the trace
	claims   string          // agreed, for readers
	modern   bool            // requests state the client's capabilities
	earlier  map[string]int  // by path: number of the first message that claimed it
	requests map[int]*request
	open     map[string]int // by path: number of pending requests that claim it
	last     *request
}

type claimConversationKey struct{ actor, server, session string }

// A claimLog holds the claims of a trace.
type claimLog struct {
	trace    *trace.Trace
	requests []request // requests with claims, in order
	uses     []unclaimedUse
	// baselines are the claims of initialize requests, in order.
	baselines []baseline
	// unknown counts servers' requests in conversations whose beginning was not recorded.
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

// credentialOf identifies a sender by the label of its credential or, over stdio, of its session.
func credentialOf(m *trace.Message) string {
	if m.HTTP != nil && m.HTTP.Credential != "" {
		return m.HTTP.Credential
	}
	return m.Session
}

// closeRequest ends a request; nil if there is none with this number.
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

func (h *claimLog) judgeResult(p *claimConversation, m *trace.Message, i int) {
	r := p.closeRequest(m.ReplyTo)
	if r == nil {
		return
	}
	// Most results ask for nothing and are not parsed.
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

// keepUnclaimed records what a message asks for beyond a set of claims, separately for what an earlier request claimed and what none did.
func (h *claimLog) keepUnclaimed(p *claimConversation, set map[string]bool, asks []capabilityUse, o unclaimedUse) {
	inherited, never := o, o
	for _, a := range asks {
		for _, path := range a.lackingFrom(set) {
			to := &never
			if first := p.earlier[path]; first != 0 && first < h.trace.Messages[o.request].Seq && !o.legacy {
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

// judgeServerRequest judges a server's request by the claims of initialize. Since 2026-07-28 there are no such
// requests; any that occurs is judged by the pending requests.
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
