package trace

import "gauntlet/rawjson"

// A Correlator finds the request that an answer belongs to. It is fed every message in the
// order seen. Its memory grows with the requests it has seen; who feeds it bounds them.
//
// The rules are those a client lives by: an id belongs to one connection and one direction;
// ids that mean the same JSON value are the same, so 1.0 answers 1; the first answer
// counts. Where two requests with one id wait (stateless clients may share a connection,
// hostile ones repeat an id), the answer belongs to the one of its own HTTP exchange, else
// to the one that has waited longest.
type Correlator struct {
	ids map[conversation]*requests
}

// maxWaiting is how many requests with one id may wait for answers at once. Nobody honest
// has two; with more, those that waited longest are given up.
const maxWaiting = 100

// A conversation is what gives an id its meaning.
type conversation struct {
	actor, server, session string
	direction              Direction // of the request
	id                     string
}

type requests struct {
	waiting []request
}

type request struct {
	seq, exchange int
	method        string
}

// Correlate sets Method, ReplyTo and Stray of an answer and remembers a request. Other
// kinds stay as they are.
func (c *Correlator) Correlate(m *Message) {
	switch {
	case m.Kind == Request:
		r := c.at(m, m.Direction)
		if r == nil {
			r = c.add(m)
		}
		if len(r.waiting) == maxWaiting {
			r.waiting = r.waiting[1:]
		}
		r.waiting = append(r.waiting, request{m.Seq, m.exchange(), m.Method})
	case m.Kind.Answer():
		c.answer(m)
	}
}

func (c *Correlator) answer(m *Message) {
	m.ReplyTo, m.Method, m.Stray = 0, "", UnknownID
	r := c.at(m, m.Direction.opposite())
	if r == nil {
		return
	}
	if len(r.waiting) == 0 {
		m.Stray = Duplicate
		return
	}
	i := r.pick(m.exchange())
	m.ReplyTo, m.Method, m.Stray = r.waiting[i].seq, r.waiting[i].method, ""
	r.waiting = append(r.waiting[:i], r.waiting[i+1:]...)
}

// pick returns the index of the request that an answer of this exchange belongs to.
func (r *requests) pick(exchange int) int {
	if exchange != 0 {
		for i, w := range r.waiting {
			if w.exchange == exchange {
				return i
			}
		}
	}
	return 0
}

func (c *Correlator) at(m *Message, d Direction) *requests { return c.ids[m.conversation(d)] }

func (c *Correlator) add(m *Message) *requests {
	if c.ids == nil {
		c.ids = map[conversation]*requests{}
	}
	r := &requests{}
	c.ids[m.conversation(m.Direction)] = r
	return r
}

func (m *Message) conversation(d Direction) conversation {
	return conversation{m.Actor, m.Server, m.Session, d, canonicalID(m.ID)}
}

// canonicalID gives two ids one text if they mean the same value.
func canonicalID(id string) string {
	var tree rawjson.Tree
	if tree.Parse(id, 0) != nil {
		return id
	}
	return tree.Root().Canonical()
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
