package trace

import (
	"container/list"
	"crypto/sha256"
	"strings"

	"gauntlet/rawjson"
)

// A Correlator finds the request that an answer belongs to. It is fed every message in the
// order seen. Its memory is bounded: it knows the latest maxKnown requests that wait and as
// many ids that were answered. An answer to one that it has forgotten has an unknown id.
//
// The rules are those that clients follow: an id belongs to one connection and one direction; ids
// that mean the same JSON value are the same, so 1.0 answers 1, and where nobody asked with "1", so does
// that; the first answer counts. Where two
// requests with one id wait (stateless clients may share a connection, hostile ones repeat an id),
// the answer belongs to the one of its own HTTP exchange, else to the one that has waited longest.
type Correlator struct {
	ids               map[idScope]*sameID
	waiting, answered list.List // of conversation, the one that changed longest ago first
	count             int       // requests that wait
}

const (
	// maxWaiting is how many requests with one id may wait for answers at once. Nobody
	// honest has two; with more, those that waited longest are given up.
	maxWaiting = 100
	// maxKnown is how many requests may wait in all, and of how many ids it is known that
	// they had their answer.
	maxKnown = 20_000
	// longestID is what of an id is kept as it is; of a longer one its hash stands for it.
	longestID = 64
	// longestMethod bounds the method that an answer takes over from its request.
	longestMethod = 256
)

// An idScope is what gives an id its meaning.
type idScope struct {
	actor, server, session string
	direction              Direction // of the request
	id                     string
}

// sameID are those with one id. They stand in one of the two lists.
type sameID struct {
	waiting []pendingRequest
	in      *list.List
	place   *list.Element
}

type pendingRequest struct {
	seq, exchange int
	method        string
}

// Correlate sets Method, ReplyTo and Stray of an answer and remembers a request. Other
// kinds stay as they are. An answer has no Method if that of its request is longer than
// 256 bytes.
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
		method = strings.Clone(m.Method) // or the whole message would stay in memory
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
	at := m.scopeOf(m.Direction.opposite())
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

// moveTo puts r at the end of a list.
func (c *Correlator) moveTo(r *sameID, at idScope, to *list.List) {
	if r.in != nil {
		r.in.Remove(r.place)
	}
	r.in, r.place = to, to.PushBack(at)
}

// forgetOldest drops the id that changed longest ago.
func (c *Correlator) forgetOldest(in *list.List) {
	at := in.Remove(in.Front()).(idScope)
	c.count -= len(c.ids[at].waiting)
	delete(c.ids, at)
}

// pickFor returns the index of the request that an answer of this exchange belongs to.
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

// canonicalID gives two ids one text, of its own memory, if they mean the same value.
func canonicalID(id string) string {
	var tree rawjson.Tree
	if tree.Parse(id, 0) == nil {
		id = tree.Root().Canonical()
	}
	if len(id) > longestID {
		sum := sha256.Sum256([]byte(id))
		return "sha256 " + string(sum[:]) // an id is JSON text, which does not begin like that
	}
	return strings.Clone(id)
}

func (m *Message) exchange() int {
	if m.HTTP == nil {
		return 0
	}
	return m.HTTP.Exchange
}

func (d Direction) opposite() Direction {
	if d == ToServer {
		return ToClient
	}
	return ToServer
}
