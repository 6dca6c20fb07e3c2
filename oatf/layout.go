package oatf

import (
	"cmp"
	"gauntlet/internal/leaf/planted"
	"gauntlet/rawjson"
)

// layout is the tree of a document as rules see it, whichever form the execution has. Missing values and values of the
// wrong type, which reading reported, are absent.
type layout struct {
	root, attack, execution rawjson.Value
	mode                    string // execution.mode
	modeless                bool   // there is no execution.mode
	actors                  []actorLayout
	actorNamed              map[string]int  // index in actors; the first of duplicates
	protocols               map[string]bool // spoken by an actor
	indicators              []rawjson.Value // mappings only
}

// actorLayout is an actor, the default one in the short forms.
type actorLayout struct {
	value  rawjson.Value // the actor; the execution in the short forms
	list   rawjson.Value // its phases, absent in the single-state form
	name   string
	mode   string
	phases []phaseLayout
	takes  map[string]bool // names of the extractors of all phases
}

// phaseLayout is a phase; the execution itself in the single-state form.
type phaseLayout struct {
	value rawjson.Value
	state rawjson.Value
	mode  string // own or inherited
}

func layOut(root rawjson.Value) *layout {
	l := &layout{root: root, attack: memberOfKind(root, "attack", rawjson.Object)}
	l.execution = memberOfKind(l.attack, "execution", rawjson.Object)
	l.mode = textOf(l.execution, "mode")
	l.modeless = !hasMember(l.execution, "mode")
	switch {
	case hasMember(l.execution, "actors"):
		for _, a := range memberOfKind(l.execution, "actors", rawjson.Array).Elements() {
			if a.Kind() == rawjson.Object {
				l.addActor(a, textOf(a, "name"), textOf(a, "mode"))
			}
		}
	case hasMember(l.execution, "phases"):
		l.addActor(l.execution, DefaultActor, l.mode)
		if a := &l.actors[0]; l.modeless && len(a.phases) > 0 {
			a.mode = a.phases[0].mode
		}
	case hasMember(l.execution, "state"):
		l.actors = []actorLayout{{
			value: l.execution, name: DefaultActor, mode: l.mode,
			phases: []phaseLayout{{l.execution, memberOfKind(l.execution, "state", rawjson.Object), l.mode}},
		}}
	}
	for _, i := range memberOfKind(l.attack, "indicators", rawjson.Array).Elements() {
		if i.Kind() == rawjson.Object {
			l.indicators = append(l.indicators, i)
		}
	}
	l.indexActors()
	return l
}

// indexActors caches what rules look up often: a document may have thousands of each.
func (l *layout) indexActors() {
	l.actorNamed, l.protocols = map[string]int{}, map[string]bool{}
	if hasMember(l.attack, planted.Key) { // judged by calls of tools, an agent's own or those of a server that has the files
		l.protocols["mcp"] = true
	}
	for i := range l.actors {
		a := &l.actors[i]
		if _, twice := l.actorNamed[a.name]; !twice {
			l.actorNamed[a.name] = i
		}
		l.protocols[ProtocolOf(a.mode)] = true
		a.takes = map[string]bool{}
		for _, p := range a.phases {
			for _, e := range memberOfKind(p.value, "extractors", rawjson.Array).Elements() {
				a.takes[textOf(e, "name")] = true
			}
		}
	}
}

func (l *layout) addActor(v rawjson.Value, name, mode string) {
	a := actorLayout{value: v, list: memberOfKind(v, "phases", rawjson.Array), name: name, mode: mode}
	for _, p := range a.list.Elements() {
		if p.Kind() != rawjson.Object {
			continue
		}
		phase := phaseLayout{p, memberOfKind(p, "state", rawjson.Object), textOf(p, "mode")}
		phase.mode = cmp.Or(phase.mode, mode)
		a.phases = append(a.phases, phase)
	}
	l.actors = append(l.actors, a)
}

// protocol returns an indicator's protocol, its own or the execution's.
func (l *layout) protocol(indicator rawjson.Value) string {
	if hasMember(indicator, "protocol") {
		return textOf(indicator, "protocol")
	}
	return ProtocolOf(l.mode)
}

// hasMember reports whether a member has a value; null counts as absent.
func hasMember(v rawjson.Value, name string) bool {
	k := v.Get(name).Kind()
	return k != rawjson.Absent && k != rawjson.Null
}

// memberOfKind returns a member if it has the kind.
func memberOfKind(v rawjson.Value, name string, kind rawjson.Kind) rawjson.Value {
	if m := v.Get(name); m.Kind() == kind {
		return m
	}
	return rawjson.Value{}
}

// textOf returns a member's text, "" if it is not a string.
func textOf(v rawjson.Value, name string) string { return v.Get(name).Text() }
