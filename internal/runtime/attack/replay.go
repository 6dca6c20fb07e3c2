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
	done := make(chan Summary, 1)
	go func() { done <- r.Run(ctx) }() // ends by End, or with ctx
	<-r.begun
	p := &replay{run: r, ctx: r.alive, answers: map[int]*trace.Message{}, sessions: map[string]ReplaySession{}}
	for i := range recorded {
		if m := &recorded[i]; m.Direction == trace.ToClient && m.ReplyTo != 0 && p.answers[m.ReplyTo] == nil {
			p.answers[m.ReplyTo] = m
		}
	}
	for i := range recorded {
		if r.alive.Err() != nil {
			break
		}
		r.advanceClock(recorded[i].Time)
		p.playMessage(&recorded[i])
	}
	for _, s := range p.order {
		s.Close()
	}
	r.End("the recording is over")
	return p.out, <-done
}

// A replay is one recording being played.
type replay struct {
	run      *Run
	ctx      context.Context
	answers  map[int]*trace.Message // of the recording, by their request
	sessions map[string]ReplaySession
	order    []ReplaySession
	madeUp   []string // what servers made up in the recording and what they make up now, in turn
	out      Replayed
}

// playMessage plays one message, if it is the agent's.
func (p *replay) playMessage(m *trace.Message) {
	if m.Kind == trace.Event && m.Role == "" { // what went over no wire: the prompt of an agent, or its answer
		p.run.recordMessage(*m)
		return
	}
	if m.Direction != trace.ToServer || m.Role != trace.AsServer || m.PartOf != 0 {
		return
	}
	if strings.TrimSpace(m.Raw) == "" {
		return // a request of HTTP without a message
	}
	s := p.sessionFor(m)
	if s == nil {
		p.out.Skipped++
		return
	}
	p.out.Sent++
	in := p.run.progress.countIncoming()
	s.SendRecorded(oneLine(strings.NewReplacer(p.madeUp...).Replace(m.Raw)), m)
	p.run.progress.awaitMessages(in + 1)
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
