package attack

import (
	"errors"
	"fmt"

	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/trace"
)

// New makes a run of a normalized document. It fails where nothing of it can be played.
func New(doc *oatf.Document, opt Options) (*Run, error) {
	if opt.Limit == 0 {
		opt.Limit = DefaultLimit
	}
	if opt.Readiness == 0 {
		opt.Readiness = DefaultReadiness
	}
	r := &Run{
		opt: opt, doc: doc, captures: newCaptureStore(), notices: newNotices(opt.Notice), credentials: trace.NewLabels("c"),
		begun: make(chan struct{}), over: make(chan ending, 1),
	}
	if err := r.readGrace(); err != nil {
		return nil, err
	}
	if n := len(doc.Attack.Execution.Actors); n > maxActors {
		return nil, fmt.Errorf("the document has %d actors, and no more than %d are played", n, maxActors)
	}
	var scripts []*script
	for i := range doc.Attack.Execution.Actors {
		s, err := readScript(&doc.Attack.Execution.Actors[i])
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, s)
	}
	if err := checkAwaits(scripts); err != nil {
		return nil, err
	}
	for _, s := range scripts {
		if err := r.addActor(s); err != nil {
			return nil, fmt.Errorf("actor %q: %w", s.name, err)
		}
	}
	if len(r.actors) == 0 {
		return nil, ErrNothingToPlay
	}
	return r, nil
}

// maxActors bounds what a document may open: each server listens on a port of its own.
const maxActors = 100

// ErrNothingToPlay says that a document has no actor that a Run plays.
var ErrNothingToPlay = errors.New("the document has no actor of the modes mcp_server and mcp_client, which are those that can be played")

func (r *Run) readGrace() error {
	switch {
	case r.opt.Grace != nil:
		r.grace = *r.opt.Grace
	case r.doc.Attack.GracePeriod != "":
		d, err := match.ParseDuration(r.doc.Attack.GracePeriod)
		if err != nil {
			return fmt.Errorf("grace_period: %w", err)
		}
		r.grace = d
	default:
		r.settle = DefaultGrace
		return nil
	}
	r.settle = r.grace
	return nil
}

// addActor gives a script an actor, or tells that it has none.
func (r *Run) addActor(s *script) error {
	a := newActor(s, r)
	switch {
	case s.mode == "mcp_server":
		v, err := newServer(a, len(r.servers))
		if err != nil {
			return err
		}
		r.servers = append(r.servers, v)
	case s.mode == "mcp_client" && r.opt.Dial == nil:
		r.skipActor(s, "no server was named for it to attack")
		return nil
	case s.mode == "mcp_client":
		r.clients = append(r.clients, newClient(a))
		a.noteUnusedFaults()
	case s.mode == "ag_ui_client":
		r.skipActor(s, "AG-UI is not spoken here; what it has the user say goes to the agent as its prompt")
		return nil
	default:
		r.skipActor(s, "no actor of its mode can be played")
		return nil
	}
	r.actors = append(r.actors, a)
	return nil
}

func (r *Run) skipActor(s *script, why string) {
	text := fmt.Sprintf("the actor is in the mode %s: %s", s.mode, why)
	r.skipped = append(r.skipped, ActorSummary{Name: s.name, Mode: s.mode, Skipped: why})
	r.notices.addNotice(Notice{Kind: Skipped, Actor: s.name, Text: text})
}
