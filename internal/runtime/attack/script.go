package attack

import (
	"fmt"
	"time"

	"gauntlet/internal/leaf/faults"
	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// A script is one actor, parsed: nothing in it can fail when played.
type script struct {
	Name, Mode string
	Phases     []Phase
}

// A Phase is one stage of a script.
type Phase struct {
	Name       string
	State      rawjson.Value  // in effect during the phase; inherited whole if it has none
	Trigger    *match.Trigger // nil: the phase does not end
	Extractors []Extractor
	OnEnter    []oatf.Action
	awaits     []await
	Faults     []*faults.Rule
}

// An Extractor captures a value from messages of one side.
type Extractor struct {
	Name   string
	Source oatf.ExtractorSource
	*match.Extractor
}

// readScript parses an actor of a normalized document.
func readScript(a *oatf.Actor) (*script, error) {
	s := &script{Name: a.Name, Mode: a.Mode}
	states := make([]rawjson.Value, len(a.Phases))
	for i := range a.Phases {
		states[i] = a.Phases[i].State
	}
	for i := range a.Phases {
		p, err := readPhase(&a.Phases[i])
		if err != nil {
			return nil, fmt.Errorf("actor %q: phase %q: %w", a.Name, a.Phases[i].Name, err)
		}
		p.State = match.EffectiveState(states, i)
		s.Phases = append(s.Phases, p)
	}
	if len(s.Phases) == 0 {
		return nil, fmt.Errorf("actor %q has no phase", a.Name)
	}
	return s, nil
}

func readPhase(p *oatf.Phase) (Phase, error) {
	out := Phase{Name: p.Name, OnEnter: p.OnEnter}
	var err error
	if t := p.Trigger; t != nil {
		if out.Trigger, err = match.ParseTrigger(t.Event, t.Count, t.Match, t.After); err != nil {
			return out, fmt.Errorf("trigger: %w", err)
		}
	}
	for _, x := range p.Extractors {
		e, err := match.ParseExtractor(string(x.Type), x.Selector)
		if err != nil {
			return out, fmt.Errorf("extractor %q: %w", x.Name, err)
		}
		out.Extractors = append(out.Extractors, Extractor{x.Name, x.Source, e})
	}
	for _, x := range p.Extensions {
		switch x.Name {
		case awaitKey:
			if out.awaits, err = readAwaits(x.Value); err != nil {
				return out, fmt.Errorf("%s: %w", awaitKey, err)
			}
		case faults.Key:
			if x.Value.Kind() == rawjson.Null {
				continue
			}
			var wrong []faults.Fault
			if out.Faults, wrong = faults.Read(x.Value); wrong != nil {
				return out, fmt.Errorf("%s: %s", faults.Key, wrong[0].Text)
			}
		}
	}
	return out, nil
}

// awaitKey is the extension by which a phase waits for values of other actors:
//
//	x-gauntlet-await:
//	  - {actor: recon, extractors: [token], timeout: 10s}
const awaitKey = "x-gauntlet-await"

const defaultAwait = 30 * time.Second

// An await is what a phase waits for on entry.
type await struct {
	keys    []string // captures: actor.extractor
	timeout time.Duration
}

func readAwaits(v rawjson.Value) ([]await, error) {
	if v.Kind() != rawjson.Array {
		return nil, fmt.Errorf("it is a list of objects with actor, extractors and timeout")
	}
	var all []await
	for _, e := range v.Elements() {
		a := await{timeout: defaultAwait}
		actor := e.Get("actor").Text()
		for _, name := range e.Get("extractors").Elements() {
			a.keys = append(a.keys, actor+"."+name.Text())
		}
		if actor == "" || len(a.keys) == 0 {
			return nil, fmt.Errorf("an entry needs an actor and a list of extractors")
		}
		if t := e.Get("timeout"); t.Exists() {
			var err error
			if a.timeout, err = match.ParseDuration(t.Text()); err != nil {
				return nil, fmt.Errorf("timeout: %w", err)
			}
		}
		all = append(all, a)
	}
	return all, nil
}

// checkAwaits rejects waits for values that nobody captures: they would always time out.
func checkAwaits(scripts []*script) error {
	captured := map[string]bool{}
	for _, s := range scripts {
		for i := range s.Phases {
			for _, x := range s.Phases[i].Extractors {
				captured[s.Name+"."+x.Name] = true
			}
		}
	}
	for _, s := range scripts {
		for i := range s.Phases {
			for _, a := range s.Phases[i].awaits {
				for _, key := range a.keys {
					if !captured[key] {
						return fmt.Errorf("actor %q: phase %q: %s: no extractor captures %q", s.Name, s.Phases[i].Name, awaitKey, key)
					}
				}
			}
		}
	}
	return nil
}
