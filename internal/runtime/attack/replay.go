package attack

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// replayPatience is how long, in the time of day, a server may take over one message of a
// replay. Servers answer at once but where a document has them wait.
const replayPatience = 5 * time.Second

// A Difference is an answer of a replay that is not the one of the recording.
type Difference struct {
	Seq      int    // of the request in the recording
	Actor    string // whose answer it is
	Session  string // of the recording
	Method   string
	Recorded string // result or error, as JSON; "" for none
	Now      string
}

// A Replayed says what a replay did.
type Replayed struct {
	Sent        int // messages of the agent that were played again
	Served      int // of them those to servers of the document
	Skipped     int // that belong to no session or to no server of the document
	Differences []Difference
}

// Replay plays the agent's side of a recording to the servers of the document, which are then
// in nobody else's hands: message by message in the order of the recording, each session on
// streams of its own, the next one when the last is answered. Time goes as it went in the
// recording, from its first message on, and never waits. Values that a server makes up
// (requestState, cursors) are put in the place of those of the recording.
//
// The run needs a [Clock] at the time of the first message. Replay runs it and ends it.
func (r *Run) Replay(ctx context.Context, recorded []trace.Message) (Replayed, Summary) {
	r.progress = newReplayProgress()
	peers := map[string]*ReplayTransport{}
	fed, stopFeeding := context.WithCancelCause(ctx)
	defer stopFeeding(nil)
	for _, c := range r.clients {
		if player, ok := c.player.(PeerReplayer); ok {
			peers[c.Name] = NewReplayTransport(fed)
			player.ReplayPeer(peers[c.Name])
		}
	}
	done := make(chan Summary, 1)
	go func() { done <- r.Run(ctx) }() // ends by End, or with ctx
	<-r.begun
	p := &replay{run: r, ctx: r.alive, peers: peers, said: map[string]int{}, answers: answersOf(recorded), sessions: map[string]ReplaySession{}}
	for i := range recorded {
		if r.alive.Err() != nil {
			break
		}
		if !p.awaitOwn(&recorded[i]) { // what a client says upon a message has the time of that
			r.advanceClock(recorded[i].Time)
		}
		p.playMessage(&recorded[i])
	}
	for _, s := range p.order {
		s.Close()
	}
	for _, t := range peers {
		t.EndAnswer()
	}
	stopFeeding(ErrOver)
	r.End("the recording is over")
	return p.out, <-done
}

// answersOf returns the answers of a recording by the number of what they answer: a request, or what came in the same
// exchange of HTTP where the protocol has no ids.
func answersOf(recorded []trace.Message) map[int]*trace.Message {
	type exchange struct {
		actor  string
		number int
	}
	answers, asked := map[int]*trace.Message{}, map[exchange]int{}
	for i := range recorded {
		m := &recorded[i]
		to := m.ReplyTo
		if m.HTTP != nil {
			at := exchange{m.Actor, m.HTTP.Exchange}
			if m.Direction == trace.ToServer {
				asked[at] = m.Seq
			} else if to == 0 && m.Kind == trace.Event {
				to = asked[at]
			}
		}
		if m.Direction == trace.ToClient && to != 0 && answers[to] == nil {
			answers[to] = m
		}
	}
	return answers
}

// A replay is one recording being played.
type replay struct {
	run      *Run
	ctx      context.Context
	peers    map[string]*ReplayTransport // of clients, by actor
	said     map[string]int              // messages of clients that the recording has so far, by actor
	answers  map[int]*trace.Message      // of the recording, by their request
	sessions map[string]ReplaySession
	order    []ReplaySession
	madeUp   []string // what servers made up in the recording and what they make up now, in turn
	out      Replayed
}

// playMessage plays one message, if it is the agent's.
func (p *replay) playMessage(m *trace.Message) {
	if isSynthesis(m) {
		return // the actor whose it is records it again
	}
	if m.Kind == trace.Event && m.Role == "" { // what went over no wire: the prompt of an agent, or its answer
		p.run.recordMessage(*m)
		return
	}
	if t := p.peers[m.Actor]; t != nil && m.Role == trace.AsClient {
		p.playPeer(t, m)
		return
	}
	if m.Direction != trace.ToServer || m.Role != trace.AsServer || m.PartOf != 0 {
		return
	}
	if strings.TrimSpace(m.Raw) == "" && m.Method == "" {
		return // a request of HTTP without a message
	}
	s := p.sessionFor(m)
	if s == nil {
		p.out.Skipped++
		return
	}
	p.out.Sent++
	p.out.Served++
	in := p.run.progress.countIncoming()
	s.SendRecorded(oneLine(strings.NewReplacer(p.madeUp...).Replace(m.Raw)), m)
	p.run.progress.awaitMessages(in + 1)
}

// awaitOwn waits for a message that a client of the document says again, and reports whether it has come: upon the message before
// it, at the time of that, unless the phase that the client is in ends by time.
func (p *replay) awaitOwn(m *trace.Message) (came bool) {
	t := p.peers[m.Actor]
	if t == nil || m.Role != trace.AsClient || m.Direction != trace.ToServer {
		return false
	}
	t.EndAnswer()
	p.said[m.Actor]++
	for _, a := range p.run.actors {
		if a.Name == m.Actor && !a.isDueBy(m.Time) {
			return p.run.progress.awaitSaid(m.Actor, p.said[m.Actor])
		}
	}
	return false
}

// playPeer plays a message between a client of the document and its peer: what the client said it is waited for to say
// again, and what the peer said it is told.
func (p *replay) playPeer(t *ReplayTransport, m *trace.Message) {
	if m.Direction == trace.ToServer {
		p.run.progress.awaitSaid(m.Actor, p.said[m.Actor]) // where it took time for it to come
		return
	}
	for _, a := range p.run.actors {
		if player, ok := a.player.(PeerReplayer); ok && a.Name == m.Actor {
			in := p.run.progress.countIncoming()
			if player.FeedRecorded(t, m) {
				p.out.Sent++
				p.run.progress.awaitMessages(in + 1)
			}
		}
	}
}

// compareAnswer notes whether the answer to a recorded request differs, and what the server made up.
func (p *replay) compareAnswer(m *trace.Message, now string) {
	var then string
	var old, fresh rawjson.Tree
	if a := p.answers[m.Seq]; a != nil {
		if v, err := a.Content(&old); err == nil {
			then = v.Raw()
		}
	}
	if old.Parse(then, 0) == nil && fresh.Parse(now, 0) == nil {
		for _, name := range p.madeUpBy(m.Actor) {
			a, b := old.Root().Get(name), fresh.Root().Get(name)
			if a.Kind() == rawjson.String && b.Kind() == rawjson.String && a.Raw() != b.Raw() {
				p.madeUp = append(p.madeUp, a.Raw(), b.Raw())
			}
		}
		then = strings.NewReplacer(p.madeUp...).Replace(then)
		if old.Parse(then, 0) == nil && old.Root().Canonical() == fresh.Root().Canonical() {
			return
		}
	}
	if then == now {
		return
	}
	p.out.Differences = append(p.out.Differences, Difference{m.Seq, m.Actor, m.Session, m.Method, then, now})
}

func (p *replay) madeUpBy(actor string) []string {
	if r := p.replayerOf(actor); r != nil {
		return r.MadeUp()
	}
	return nil
}

// sessionFor returns where a message goes, nil for nowhere.
func (p *replay) sessionFor(m *trace.Message) ReplaySession {
	key := m.Actor + "\x00" + m.Session
	if s := p.sessions[key]; s != nil || m.Session == "" {
		return s
	}
	if r := p.replayerOf(m.Actor); r != nil {
		s := r.OpenReplay(p.ctx, p.compareAnswer)
		p.sessions[key], p.order = s, append(p.order, s)
		return s
	}
	return nil
}

// replayerOf returns what plays an actor, nil for nothing that a recording can be played to.
func (p *replay) replayerOf(actor string) Replayer {
	for _, a := range p.run.actors {
		if a.Name == actor {
			r, _ := a.player.(Replayer)
			return r
		}
	}
	return nil
}

// oneLine makes a line of a message that had several over HTTP.
func oneLine(raw string) string {
	if !strings.ContainsAny(raw, "\r\n") {
		return raw
	}
	if v := ParseJSON(raw); v.Exists() {
		return v.Compact()
	}
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(raw)
}

func (d Difference) String() string {
	shown := func(s string) string {
		if s == "" {
			return "none"
		}
		return excerpt.Clip(s, mostNoticed)
	}
	return fmt.Sprintf("the answer to %s (message %d, %s) differs: recorded %s, now %s", d.Method, d.Seq, d.Session, shown(d.Recorded), shown(d.Now))
}
