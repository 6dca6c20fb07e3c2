package attack

import (
	"sync"
	"time"
)

// A Summary is the outcome of a run.
type Summary struct {
	Ended    string         `json:"ended"` // why, in words
	Duration time.Duration  `json:"duration_ns"`
	Actors   []ActorSummary `json:"actors"` // those played come first
	Wire     []FaultOutcome `json:"wire,omitempty"`
	// Lost is why messages are missing from the trace, or "".
	Lost string `json:"lost,omitempty"`
	// Unwritten is why a text that a model should write was not sent, or "".
	Unwritten string `json:"unwritten,omitempty"`
}

// An ActorSummary says how far an actor got.
type ActorSummary struct {
	Name    string   `json:"name"`
	Mode    string   `json:"mode"`
	Phases  []string `json:"phases,omitempty"`  // phases it entered, including the last
	Through bool     `json:"through"`           // it did everything it has to do
	Skipped string   `json:"skipped,omitempty"` // why it was not played, or ""
	Failed  string   `json:"failed,omitempty"`  // why it could not do its part, or ""
}

func (r *Run) summary(why string, took time.Duration) Summary {
	r.mu.Lock()
	s := Summary{Ended: why, Duration: took, Lost: r.lost, Unwritten: r.unwritten}
	r.mu.Unlock()
	for _, a := range r.actors {
		a.mu.Lock()
		one := ActorSummary{Name: a.Name, Mode: a.Mode, Through: a.done && a.failed == "", Failed: a.failed}
		for i := range a.m.index + 1 {
			one.Phases = append(one.Phases, a.Phases[i].Name)
		}
		a.mu.Unlock()
		s.Actors = append(s.Actors, one)
	}
	s.Actors = append(s.Actors, r.skipped...)
	for _, server := range r.Servers() {
		if server.Faults != nil {
			s.Wire = append(s.Wire, server.Faults()...)
		}
	}
	return s
}

// A FaultOutcome is one client's reaction to one rule of x-gauntlet-wire, which tampers below the message level.
type FaultOutcome struct {
	Actor   string
	Phase   string
	Do      string // the rule with its parameters
	Session string // the client's label in the trace
	Times   int    // messages tampered with
	Bytes   int64  // bytes of them that the client's transport accepted
	Ceiling bool   // the payload reached its limit and the server closed
	Client  Reaction
	Next    string // method of its first request or notification afterwards, or ""
	Back    int    // messages of any kind that it sent afterwards
	Again   int    // sessions begun afterwards, by any client
	Resumed int    // streams requested afterwards with Last-Event-ID
}

// A Reaction is what a client did: the first of these that applies.
type Reaction string

// The reactions. Crashed is set by those who know the agent's process.
const (
	Closed Reaction = "closed"  // it closed the connection before it had everything
	WentOn Reaction = "went_on" // it sent further requests or notifications
	Hung   Reaction = "hung"    // it had neither read everything nor closed when the run ended
	Left   Reaction = "left"    // it ended the session
	Silent Reaction = "silent"  // nothing more came from it
)

// A NoticeKind says what a Notice is about.
type NoticeKind string

// The kinds.
const (
	Skipped     NoticeKind = "skipped_actor" // an actor or an action that this runtime does not play
	Unplayed    NoticeKind = "unplayed"      // a part of the document that could not be played, at all or with this peer
	Template    NoticeKind = "W-004"         // W-004: an unresolved reference
	Synthesized NoticeKind = "W-006"         // W-006: text written by a model
	Violation   NoticeKind = "sep_2260"      // SEP-2260: a server request outside any client request
	Logged      NoticeKind = "log"           // logged by the document itself, by an action
	Trouble     NoticeKind = "trouble"       // the run itself, or the peer
)

// A Notice is something that a reader of the verdict should know: nothing of a document is left out silently. Its text quotes
// documents and peers.
type Notice struct {
	Kind  NoticeKind `json:"kind"`
	Actor string     `json:"actor,omitempty"`
	Phase string     `json:"phase,omitempty"`
	Text  string     `json:"text"`
}

// maxNotices bounds the notices of a run; peers may cause any number.
const maxNotices = 1000

// notices reports each Notice once.
type notices struct {
	mu   sync.Mutex
	told map[Notice]bool
	tell func(Notice)
}

func newNotices(tell func(Notice)) *notices {
	return &notices{told: map[Notice]bool{}, tell: tell}
}

func (n *notices) addNotice(one Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.tell == nil || n.told[one] || len(n.told) > maxNotices:
		return
	case len(n.told) == maxNotices:
		one = Notice{Kind: Trouble, Text: "there are more notices than are told"}
	}
	n.told[one] = true
	n.tell(one)
}
