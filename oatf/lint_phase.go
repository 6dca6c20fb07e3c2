package oatf

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// lintDroppedKeys is GNT-203: a state that lacks some keys of the state it replaces entirely.
func (c *checker) lintDroppedKeys() {
	for _, a := range c.actors {
		var before rawjson.Value
		for _, p := range a.phases {
			if !p.state.Exists() {
				continue
			}
			var gone []string
			for m := range before.Members() {
				if name := m.Key.Text(); !strings.HasPrefix(name, "x-") && !hasMember(p.state, name) {
					gone = append(gone, excerpt.Clip(name, mostQuoted))
				}
			}
			if len(gone) > 0 {
				c.rule("GNT-203", p.state, "", "the state replaces the one before whole, so what it had under %s is gone: repeat it if it should stay", strings.Join(gone, ", "))
			}
			before = p.state
		}
	}
}

// lintPhases is GNT-205, GNT-206 and GNT-209.
func (c *checker) lintPhases() {
	for _, a := range c.actors {
		stuck := ""
		revision := ""
		for _, p := range a.phases {
			if p.value == c.execution {
				continue
			}
			if stuck != "" {
				c.rule("GNT-205", p.value, "", "the phase is never reached: %s", stuck)
				stuck = ""
				break
			}
			if p.state.Exists() {
				revision = textOf(p.state, "protocol_version")
			}
			t := memberOfKind(p.value, "trigger", rawjson.Object)
			c.eventOfRevision(p.mode, revision, t)
			stuck = whyNever(p.mode, t)
			c.standalone(p)
		}
	}
}

// whyNever explains why a trigger cannot fire, "" if it may.
func whyNever(mode string, t rawjson.Value) string {
	if !t.Exists() || hasMember(t, "after") {
		return ""
	}
	event := textOf(t, "event")
	if eventAdvice(mode, event) != "" {
		return "the trigger before it waits for " + excerpt.Clip(event, mostQuoted) + ", which goes to the other side"
	}
	for m := range memberOfKind(t, "match", rawjson.Object).Members() {
		if why := whyContradictory(m.Value); why != "" {
			return "the trigger before it wants of " + excerpt.Clip(m.Key.Text(), mostQuoted) + " what cannot be: " + why
		}
	}
	return ""
}

// whyContradictory explains why no value satisfies a condition, "" if one may.
func whyContradictory(condition rawjson.Value) string {
	if !isOperators(condition) {
		return ""
	}
	if there, ok := condition.Get("exists").Bool(); ok && !there && condition.Len() > 1 {
		return "a value that does not exist, with more to be said about it"
	}
	if re := textOf(condition, "regex"); re != "" {
		if never, _ := neverMatches(re); never {
			return "a regular expression that matches nothing"
		}
	}
	low, high := bound(condition, "gt", "gte"), bound(condition, "lt", "lte")
	if low.set && high.set && (low.value > high.value || low.value == high.value && (low.open || high.open)) {
		return "a number above " + low.text + " and below " + high.text
	}
	return ""
}

type limit struct {
	set, open bool // open: excludes the end itself
	value     float64
	text      string
}

func bound(condition rawjson.Value, strict, loose string) limit {
	if f, ok := floatOf(condition.Get(strict)); ok {
		return limit{true, true, f, condition.Get(strict).Raw()}
	}
	if f, ok := floatOf(condition.Get(loose)); ok {
		return limit{true, false, f, condition.Get(loose).Raw()}
	}
	return limit{}
}

// eventOfRevision is GNT-206: the protocol revision that the state names lacks the event.
func (c *checker) eventOfRevision(mode, revision string, t rawjson.Value) {
	if ProtocolOf(mode) != "mcp" || !slices.Contains(mcp.Revisions(), revision) {
		return
	}
	o, known := operationOf("mcp", textOf(t, "event"))
	switch {
	case !known:
	case o.since > revision:
		c.rule("GNT-206", t, "event", "MCP has %s since %s, and the state speaks %s", o.name, o.since, revision)
	case o.until != "" && o.until < revision:
		c.rule("GNT-206", t, "event", "MCP has %s until %s, and the state speaks %s", o.name, o.until, revision)
	}
}

// standaloneRequests may only be sent while a client's request is in progress (SEP-2260).
var standaloneRequests = []string{mcp.ElicitationCreate, mcp.SamplingCreateMessage, mcp.RootsList}

// standalone is GNT-209: such a request on its own, with no explanation.
func (c *checker) standalone(p phaseLayout) {
	if p.mode != "mcp_server" || textOf(p.value, "description") != "" {
		return
	}
	for _, a := range memberOfKind(p.value, "on_enter", rawjson.Array).Elements() {
		send := memberOfKind(a, "send", rawjson.Object)
		if method := textOf(send, "method"); slices.Contains(standaloneRequests, method) {
			c.rule("GNT-209", send, "method", "%s on its own breaks MCP, which wants it inside a request of the client (SEP-2260): use elicitations in the state, or say in the phase's description that this is meant", method)
		}
	}
}

// lintClientActions is GNT-208.
func (c *checker) lintClientActions() {
	for _, a := range c.actors {
		for _, p := range a.phases {
			if p.mode != "mcp_client" {
				continue
			}
			for _, action := range memberOfKind(p.state, "actions", rawjson.Array).Elements() {
				if method := textOf(action, "method"); method == mcp.Initialize || method == mcp.NotifyInitialized {
					c.rule("GNT-208", action, "method", "%s is sent when the connection is made: as an action it goes out a second time", method)
				}
			}
		}
	}
}

// lintDates is GNT-210.
func (c *checker) lintDates() {
	for _, name := range []string{"created", "modified"} {
		if v := memberOfKind(c.attack, name, rawjson.String); v.Exists() {
			if _, err := Date(v.Text()).Time(); err != nil {
				c.rule("GNT-210", c.attack, name, "%v", err)
			}
		}
	}
}

// Lint reports what is legal but probably unintended: this package's warnings GNT-201 to GNT-210 and GNT-212. It
// expects a valid document in any of the three forms and says little about others.
func Lint(d *Document) []Diagnostic {
	src := d.current()
	c := checker{report: report{src: src}, layout: layOut(src.rootValue())}
	c.lintPayloads()
	c.lintExpressions()
	c.lintDroppedKeys()
	c.lintTargets()
	c.lintPhases()
	c.lintRegexps()
	c.lintClientActions()
	c.lintDates()
	c.lintStates()
	return sortDiagnostics(c.out)
}
