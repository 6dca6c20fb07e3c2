package oatf

import (
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

const (
	identifierPattern = `^[a-z][a-z0-9_]*$`
	modePattern       = `^[a-z][a-z0-9_]*_(server|client)$`
)

var (
	identifierRegexp = lazyregexp.New(identifierPattern)
	modeRegexp       = lazyregexp.New(modePattern)
)

// executionRules checks forms, modes, actors and the order of phases (§5.1, §5.2).
func (c *checker) executionRules() {
	if !c.execution.Exists() {
		return
	}
	c.oneForm()
	c.modes()
	c.modelessPhases()
	c.phaseModes()
	if hasMember(c.execution, "actors") {
		c.actorRules()
	}
	for i := range c.actors {
		c.phaseOrder(&c.actors[i])
	}
}

// oneForm is V-030.
func (c *checker) oneForm() {
	var forms []string
	for _, f := range []string{"state", "phases", "actors"} {
		if hasMember(c.execution, f) {
			forms = append(forms, f)
		}
	}
	switch {
	case len(forms) == 0:
		c.rule("V-030", c.execution, "", "an execution needs one of state, phases and actors")
	case len(forms) > 1:
		c.rule("V-030", c.execution, "", "an execution has one of state, phases and actors, and not %s together", strings.Join(forms, " and "))
	case forms[0] == "state" && c.modeless:
		c.rule("V-030", c.execution, "mode", "an execution with a state needs a mode, such as mcp_server")
	case forms[0] == "actors" && !c.modeless:
		c.rule("V-030", c.execution, "mode", "an execution with actors has no mode of its own: each actor has one")
	}
}

// modes is V-034 and W-002 for every explicit mode.
func (c *checker) modes() {
	c.modeOf(c.execution)
	for _, a := range c.actors {
		if a.value != c.execution {
			c.modeOf(a.value)
		}
		for _, p := range a.phases {
			if p.value != c.execution {
				c.modeOf(p.value)
			}
		}
	}
}

func (c *checker) modeOf(v rawjson.Value) {
	m := memberOfKind(v, "mode", rawjson.String)
	switch mode := m.Text(); {
	case !m.Exists():
	case !modeRegexp.MatchString(mode):
		c.rule("V-034", v, "mode", "the mode %q has not the form protocol_server or protocol_client", excerpt.Clip(mode, mostQuoted))
	case !isKnownMode(mode):
		c.rule("W-002", v, "mode", "the mode %q is of no known binding (%s)%s", excerpt.Clip(mode, mostQuoted), alternatives(KnownModes()), meant(mode, KnownModes()))
	}
}

// modelessPhases is V-028 for phases: without a mode of the execution each needs one, all the same.
func (c *checker) modelessPhases() {
	if !c.modeless || !hasMember(c.execution, "phases") || hasMember(c.execution, "actors") {
		return
	}
	first, differ := "", false
	for _, p := range c.actors[0].phases {
		switch mode := textOf(p.value, "mode"); {
		case !hasMember(p.value, "mode"):
			c.rule("V-028", p.value, "mode", "the execution has no mode, so each phase needs one")
		case first == "":
			first = mode
		case mode != first:
			differ = true
		}
	}
	if differ {
		c.rule("V-028", c.execution, "phases", "all phases need the same mode: use actors for several")
	}
}

// actorRules is V-031 and, for an empty list, V-007.
func (c *checker) actorRules() {
	if list := memberOfKind(c.execution, "actors", rawjson.Array); list.Exists() && list.Len() == 0 {
		c.rule("V-007", list, "", "actors is empty: give it an actor")
	}
	seen := map[string]bool{}
	for _, a := range c.actors {
		switch name := memberOfKind(a.value, "name", rawjson.String); {
		case !name.Exists():
		case !identifierRegexp.MatchString(a.name):
			c.rule("V-031", a.value, "name", "the actor's name %q has not the form [a-z][a-z0-9_]*", excerpt.Clip(a.name, mostQuoted))
		case seen[a.name]:
			c.rule("V-031", a.value, "name", "two actors are called %q", excerpt.Clip(a.name, mostQuoted))
		}
		seen[a.name] = true
	}
}

// phaseModes is V-044. It also applies to the form with phases, where the execution's mode becomes that of the only actor.
func (c *checker) phaseModes() {
	if c.modeless && !hasMember(c.execution, "actors") {
		return // V-028
	}
	for _, a := range c.actors {
		for _, p := range a.phases {
			if own := textOf(p.value, "mode"); own != "" && a.mode != "" && own != a.mode {
				c.rule("V-044", p.value, "mode", "the phase's mode %s is not that of its actor, %s: use an actor of its own", excerpt.Clip(own, mostQuoted), excerpt.Clip(a.mode, mostQuoted))
			}
		}
	}
}

// phaseOrder is V-007, V-008, V-009 and V-011 for one actor.
func (c *checker) phaseOrder(a *actorLayout) {
	if !a.list.Exists() {
		return
	}
	if a.list.Len() == 0 {
		c.rule("V-007", a.list, "", "phases is empty: give it a phase")
		return
	}
	if len(a.phases) > 0 && !hasMember(a.phases[0].value, "state") {
		c.rule("V-009", a.phases[0].value, "", "the first phase needs a state")
	}
	c.terminal(a)
	seen := map[string]bool{}
	for _, p := range a.phases {
		name := textOf(p.value, "name")
		if name != "" && seen[name] {
			c.rule("V-011", p.value, "name", "two phases of one actor are called %q", excerpt.Clip(name, mostQuoted))
		}
		seen[name] = true
	}
}

// terminal is V-008: only the last phase may lack a trigger.
func (c *checker) terminal(a *actorLayout) {
	var without []rawjson.Value
	for _, p := range a.phases {
		if !hasMember(p.value, "trigger") {
			without = append(without, p.value)
		}
	}
	for i, v := range without {
		if v != a.phases[len(a.phases)-1].value {
			c.rule("V-008", v, "", "the phase has no trigger, so it never ends and the phases behind it never come")
		} else if i > 0 {
			c.rule("V-008", a.list, "", "%d phases have no trigger: only the last one may", len(without))
		}
	}
}

const attackIDPattern = `^[A-Z][A-Z0-9-]*-[0-9]{3,}$`

var attackIDRegexp = lazyregexp.New(attackIDPattern)

// envelopeRules checks the attack's own fields (§4).
func (c *checker) envelopeRules() {
	c.oatfFirst()
	a := c.attack
	if v := memberOfKind(a, "id", rawjson.String); v.Exists() && !attackIDRegexp.MatchString(v.Text()) {
		c.rule("V-023", a, "id", "the id %q has not the form PREFIX-000, such as OATF-027", excerpt.Clip(v.Text(), mostQuoted))
	}
	if n, ok := a.Get("version").Int(); ok && n < 1 {
		c.rule("V-035", a, "version", "the version is %d: versions count up from 1", n)
	}
	if v := memberOfKind(a, "grace_period", rawjson.String); v.Exists() {
		if _, err := match.ParseDuration(v.Text()); err != nil {
			c.rule("V-046", a, "grace_period", "%v", err)
		}
	}
	c.checkPercent("V-017", memberOfKind(a, "severity", rawjson.Object), "confidence")
	c.impactsDiffer(memberOfKind(a, "impact", rawjson.Array))
	if hasMember(a, "correlation") && !hasMember(a, "indicators") {
		c.rule("V-047", a, "correlation", "there are no indicators to correlate: add some, or leave correlation out")
	}
}

// oatfFirst is W-001, required by V-002.
func (c *checker) oatfFirst() {
	for m := range c.root.Members() {
		if m.Key.Text() != "oatf" && c.root.Get("oatf").Exists() {
			c.rule("W-001", c.root, "oatf", "oatf should be the first key, for whoever opens the file")
		}
		return
	}
}

// checkPercent reports an integer outside 0 to 100.
func (c *checker) checkPercent(rule string, v rawjson.Value, name string) {
	if n, ok := v.Get(name).Int(); ok && (n < 0 || n > 100) {
		c.rule(rule, v, name, "the %s is %d: want 0 to 100", name, n)
	}
}

func (c *checker) impactsDiffer(list rawjson.Value) {
	seen := map[string]bool{}
	var twice []string
	for _, v := range list.Elements() {
		if v.Kind() == rawjson.String && seen[v.Text()] {
			twice = append(twice, excerpt.Clip(v.Text(), mostQuoted))
		}
		seen[v.Text()] = true
	}
	if len(twice) > 0 {
		c.rule("V-045", list, "", "stands twice in the list: %s", strings.Join(twice, ", "))
	}
}
