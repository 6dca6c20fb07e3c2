package attack

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/trace"
)

// New returns a run of a normalized document. It fails if nothing of it can be played.
func New(doc *oatf.Document, opt Options) (*Run, error) {
	opt.Limit = cmp.Or(opt.Limit, DefaultLimit)
	r := &Run{
		services: services{opt: opt, captures: newCaptureStore(), notices: newNotices(opt.Notice), credentials: trace.NewLabels("c"), begun: make(chan struct{})},
		doc:      doc, over: make(chan ending, 1),
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
			return nil, fmt.Errorf("actor %q: %w", s.Name, err)
		}
	}
	if len(r.actors) == 0 && !opt.Prompted {
		return nil, r.nothingToPlay()
	}
	return r, nil
}

// maxActors bounds a document's actors: each server listens on its own port.
const maxActors = 100

// ErrNothingToPlay says that a document has no actor that a Run plays.
var ErrNothingToPlay = errors.New("the document has no actor that can be played here")

func (r *Run) nothingToPlay() error {
	var why []string
	for _, s := range r.skipped {
		why = append(why, fmt.Sprintf("%s (%s): %s", s.Name, s.Mode, s.Skipped))
	}
	return fmt.Errorf("%w: %s", ErrNothingToPlay, strings.Join(why, "; "))
}

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
		r.settle, r.patient = DefaultGrace, true
		return nil
	}
	r.settle = r.grace
	return nil
}

// addActor creates the actor of a script, or reports that it is not played.
func (r *Run) addActor(s *script) error {
	i := slices.IndexFunc(r.opt.Bindings, func(b Binding) bool { return slices.Contains(b.Modes, s.Mode) })
	if i < 0 {
		r.skipActor(s, "no actor of its mode can be played")
		return nil
	}
	a := newActor(s, r)
	player, skip, err := r.opt.Bindings[i].NewPlayer(a)
	switch {
	case err != nil:
		return err
	case skip != "":
		r.skipActor(s, skip)
		return nil
	}
	a.player = player
	a.noteStateFaults()
	r.actors = append(r.actors, a)
	if l, ok := player.(Listener); ok {
		a.place = len(r.servers)
		r.servers = append(r.servers, l)
	}
	if _, ok := player.(Client); ok {
		r.clients = append(r.clients, a)
	}
	return nil
}

// noteStateFaults reports the parts of an actor's states that are not played, where they first apply.
func (a *Actor) noteStateFaults() {
	for at := range a.Phases {
		if at > 0 && a.Phases[at].State == a.Phases[at-1].State {
			continue
		}
		for _, f := range oatf.StateFaults(a.Mode, a.Phases[at].State) {
			a.Notice(Unplayed, at, "%s", f.Text)
		}
	}
}

func (r *Run) skipActor(s *script, why string) {
	text := fmt.Sprintf("the actor is in the mode %s: %s", s.Mode, why)
	r.skipped = append(r.skipped, ActorSummary{Name: s.Name, Mode: s.Mode, Skipped: why})
	r.notices.addNotice(Notice{Kind: Skipped, Actor: s.Name, Text: text})
}
