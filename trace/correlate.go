package trace

import (
	"container/list"
	"crypto/sha256"
	"strings"

	"gauntlet/rawjson"
)

// A Correlator finds the request that an answer belongs to. It must see every message in order. Its memory is bounded: it
// keeps the latest maxKnown pending requests and as many answered ids. An answer to a forgotten request has an unknown id.
//
// It follows the rules of clients: an id belongs to one connection and one direction; ids with the same JSON value are
// equal, so 1.0 answers 1, and "1" does too if nobody asked with "1"; the first answer counts. If two requests with the
// same id are pending (stateless clients may share a connection, hostile ones repeat ids), the answer belongs to the
// one of its own HTTP exchange, otherwise to the oldest.
type Correlator struct {
	ids               map[idScope]*sameID
	waiting, answered list.List // of conversation, least recently changed first
	count             int       // pending requests
}

const (
	// maxWaiting limits the pending requests with one id. Honest peers do not have two; beyond the limit the oldest are dropped.
	maxWaiting = 100
	// maxKnown limits the pending requests in total, and the answered ids that are remembered.
	maxKnown = 20_000
	// longestID is the longest id kept as it is; a longer one is replaced by its hash.
	longestID = 64
	// longestMethod limits the method that an answer copies from its request.
	longestMethod = 256
)

// An idScope is the scope in which an id is unique.
type idScope struct {
	actor, server, session string
	direction              Direction // of the request
	id                     string
}

// sameID holds the requests with one id. It is in one of the two lists.
type sameID struct {
	waiting []pendingRequest
	in      *list.List
	place   *list.Element
}

type pendingRequest struct {
	seq, exchange int
	method        string
}

// Correlate sets Method, ReplyTo and Stray of an answer and remembers a request. Other kinds are unchanged. An answer
// has no Method if its request's is longer than 256 bytes.
func (c *Correlator) Correlate(m *Message) {
	switch {
	case m.Kind == Request:
		c.rememberRequest(m)
	case m.Kind.Answer():
		c.tieAnswer(m)
	}
}

func (c *Correlator) rememberRequest(m *Message) {
	at := m.scopeOf(m.Direction)
	r := c.ids[at]
	if r == nil {
		if c.ids == nil {
			c.ids = map[idScope]*sameID{}
		}
		r = &sameID{}
		c.ids[at] = r
	}
	if len(r.waiting) == maxWaiting {
		r.waiting = r.waiting[1:]
		c.count--
	}
	method := ""
	if len(m.Method) <= longestMethod {
		method = strings.Clone(m.Method) // otherwise the whole message would stay in memory
	}
	r.waiting = append(r.waiting, pendingRequest{m.Seq, m.exchange(), method})
	c.count++
	c.moveTo(r, at, &c.waiting)
	for c.count > maxKnown {
		c.forgetOldest(&c.waiting)
	}
}

func (c *Correlator) tieAnswer(m *Message) {
	m.ReplyTo, m.Method, m.Stray = 0, "", UnknownID
	asked := ToServer
	if m.Direction == ToServer {
		asked = ToClient
	}
	at := m.scopeOf(asked)
	r := c.ids[at]
	if n, ok := rawjson.WholeNumber(m.ID); r == nil && ok {
		at.id = n
		r = c.ids[at]
	}
	if r == nil {
		return
	}
	if len(r.waiting) == 0 {
		m.Stray = Duplicate
		return
	}
	i := r.pickFor(m.exchange())
	m.ReplyTo, m.Method, m.Stray = r.waiting[i].seq, r.waiting[i].method, ""
	r.waiting = append(r.waiting[:i], r.waiting[i+1:]...)
	c.count--
	if len(r.waiting) == 0 {
		r.waiting = nil
		c.moveTo(r, at, &c.answered)
		if c.answered.Len() > maxKnown {
			c.forgetOldest(&c.answered)
		}
	}
}

func (c *Correlator) moveTo(r *sameID, at idScope, to *list.List) {
	if r.in != nil {
		r.in.Remove(r.place)
	}
	r.in, r.place = to, to.PushBack(at)
}

// forgetOldest drops the least recently changed id.
func (c *Correlator) forgetOldest(in *list.List) {
	at := in.Remove(in.Front()).(idScope)
	c.count -= len(c.ids[at].waiting)
	delete(c.ids, at)
}

// pickFor returns the index of the request that an answer in this exchange belongs to.
func (r *sameID) pickFor(exchange int) int {
	if exchange != 0 {
		for i, w := range r.waiting {
			if w.exchange == exchange {
				return i
			}
		}
	}
	return 0
}

func (m *Message) scopeOf(d Direction) idScope {
	return idScope{m.Actor, m.Server, m.Session, d, canonicalID(m.ID)}
}

// canonicalID returns the same text, in memory of its own, for ids with the same value.
func canonicalID(id string) string {
	if v := rawjson.Read(id); v.Exists() {
		id = v.Canonical()
	}
	if len(id) > longestID {
		sum := sha256.Sum256([]byte(id))
		return "sha256 " + string(sum[:]) // cannot clash: an id is JSON text
	}
	return strings.Clone(id)
}

func (m *Message) exchange() int {
	if m.HTTP == nil {
		return 0
	}
	return m.HTTP.Exchange
}
