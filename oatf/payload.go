package oatf

import (
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// A payload is a message that the attack itself sends, as an indicator would see it: content without envelope, templates unexpanded.
type payload struct {
	protocol, surface, actor string
	side                     Direction
	content                  rawjson.Value
	from                     rawjson.Value // the part of the document it comes from
}

// payloads returns what all actors send in all phases.
func (l *layout) payloads() []payload {
	var all []payload
	for i := range l.actors {
		for _, p := range l.actors[i].phases {
			s := sender{protocol: ProtocolOf(p.mode), actor: l.actors[i].name}
			s.addState(p.mode, p.state)
			for _, a := range memberOfKind(p.value, "on_enter", rawjson.Array).Elements() {
				send := memberOfKind(a, "send", rawjson.Object)
				s.addPayload(textOf(send, "method"), asks, send.Get("params"), send)
			}
			all = append(all, s.all...)
		}
	}
	return all
}

// sender collects what an actor sends in a phase.
type sender struct {
	protocol, actor string
	all             []payload
}

func (s *sender) addPayload(surface string, side Direction, content, from rawjson.Value) {
	if surface != "" && content.Exists() {
		s.all = append(s.all, payload{s.protocol, surface, s.actor, side, content, from})
	}
}

// made adds a message that the runtime builds.
func (s *sender) made(surface string, side Direction, from rawjson.Value, members ...string) {
	s.addPayload(surface, side, rawjson.Read(rawjson.Build(members...)), from)
}

func (s *sender) addState(mode string, state rawjson.Value) {
	switch mode {
	case "mcp_server":
		s.mcpServer(state)
	case "mcp_client":
		s.mcpClient(state)
	case "a2a_server":
		s.addPayload("agent_card/get", answers, state.Get("agent_card"), state.Get("agent_card"))
		for _, e := range state.Get("task_responses").Elements() {
			s.addPayload("message/send", answers, e.Get("content"), e)
			s.addPayload("message/stream", answers, e.Get("content"), e)
		}
	case "a2a_client":
		s.actions(state)
	case "ag_ui_client":
		s.addPayload("run_agent_input", asks, state.Get("run_agent_input"), state.Get("run_agent_input"))
		for _, e := range state.Get("tool_responses").Elements() {
			s.addPayload("tool_call_result", asks, e.Get("content"), e)
		}
	}
}

// mcpServer collects the messages of §7.1.4.
func (s *sender) mcpServer(state rawjson.Value) {
	s.made(mcp.Initialize, answers, state, "serverInfo", state.Get("server_info").Raw(),
		"instructions", state.Get("instructions").Raw(), "capabilities", state.Get("capabilities").Raw())
	for _, l := range []struct{ key, surface, field, own string }{
		{"tools", mcp.ToolsList, "tools", "responses"},
		{"resources", mcp.ResourcesList, "resources", "content"},
		{"resource_templates", mcp.ResourceTemplatesList, "resourceTemplates", "content"},
		{"prompts", mcp.PromptsList, "prompts", "responses"},
	} {
		items := memberOfKind(state, l.key, rawjson.Array)
		if items.Len() > 0 {
			s.made(l.surface, answers, items, l.field, listWithout(items, l.own))
		}
	}
	for _, tool := range state.Get("tools").Elements() {
		for _, e := range tool.Get("responses").Elements() {
			s.addResult(mcp.ToolsCall, e)
		}
	}
	for _, prompt := range state.Get("prompts").Elements() {
		for _, e := range prompt.Get("responses").Elements() {
			s.addResult(mcp.PromptsGet, e)
		}
	}
	for _, r := range state.Get("resources").Elements() {
		if content := memberOfKind(r, "content", rawjson.Object); content.Exists() {
			s.made(mcp.ResourcesRead, answers, content, "contents", "["+content.Raw()+"]")
		}
	}
	for _, e := range state.Get("elicitations").Elements() {
		s.addPayload(mcp.ElicitationCreate, asks, e, e)
	}
}

// addResult adds a response in either form that documents use: the whole result under content, or its single list with
// the rest beside it.
func (s *sender) addResult(surface string, entry rawjson.Value) {
	if whole := memberOfKind(entry, "content", rawjson.Object); whole.Exists() {
		s.addPayload(surface, answers, whole, entry)
		return
	}
	s.addPayload(surface, answers, entry, entry)
}

// mcpClient collects the messages of §7.1.5.
func (s *sender) mcpClient(state rawjson.Value) {
	s.actions(state)
	for _, e := range state.Get("sampling_responses").Elements() {
		s.addPayload(mcp.SamplingCreateMessage, answers, e.Get("content"), e)
	}
	for _, e := range state.Get("elicitation_responses").Elements() {
		s.addPayload(mcp.ElicitationCreate, answers, e, e)
	}
	if roots := state.Get("roots"); roots.Len() > 0 {
		s.made(mcp.RootsList, answers, roots, "roots", roots.Raw())
	}
}

func (s *sender) actions(state rawjson.Value) {
	for _, a := range state.Get("actions").Elements() {
		s.addPayload(textOf(a, "method"), asks, a.Get("params"), a)
	}
}

// listWithout returns a list of objects without the member own, which belongs to the format.
func listWithout(list rawjson.Value, own string) string {
	var all []string
	for _, e := range list.Elements() {
		if e.Kind() == rawjson.Object {
			all = append(all, rawjson.Without(e.Raw(), own))
		} else {
			all = append(all, "{}")
		}
	}
	return "[" + strings.Join(all, ",") + "]"
}

// A look selects the messages that an indicator examines (§6).
type look struct{ protocol, surface, actor, side string }

func (l *layout) lookOf(indicator rawjson.Value) look {
	return look{l.protocol(indicator), textOf(indicator, "surface"), textOf(indicator, "actor"), textOf(indicator, "direction")}
}

func (k look) filter(messages []payload) []*payload {
	var seen []*payload
	for i := range messages {
		p := &messages[i]
		if k.protocol == p.protocol && (k.surface == "" || k.surface == p.surface) &&
			(k.actor == "" || k.actor == p.actor) && (k.side == "" || k.side == string(p.side)) {
			seen = append(seen, p)
		}
	}
	return seen
}

// Budgets for comparing messages with indicators, per document, against documents made to cost time. A byte of a
// message counts once per instruction of the regular expression applied to it.
const (
	maxCompared  = 100_000_000
	perMessage   = 100
	perIndicator = 100_000
)

// lintPayloads is GNT-201: a pattern that matches what the attack itself sends, and so says nothing about the agent.
func (c *checker) lintPayloads() {
	messages := c.payloads()
	left := maxCompared
	for _, i := range c.indicators {
		p := memberOfKind(i, "pattern", rawjson.Object)
		if !p.Exists() {
			continue
		}
		seen := c.lookOf(i).filter(messages)
		if left -= perMessage * len(messages); len(seen) == 0 {
			continue
		}
		if left -= perIndicator; left < 0 {
			return
		}
		target, condition, work, ok := compilePattern(i, p)
		for _, m := range seen {
			if left -= work * len(m.content.Raw()); !ok || left < 0 {
				break
			}
			if _, holds := condition.HoldsAt(target, m.content); holds {
				c.rule("GNT-201", p, "", "the pattern matches what actor %s itself sends (%s, from %s): it says nothing about the agent; %s",
					excerpt.Clip(m.actor, mostQuoted), excerpt.Clip(m.surface, mostQuoted), pointerPath(m.from), otherSide(m.side))
				break
			}
		}
	}
}

// compilePattern returns a valid pattern's target and condition, and the cost per byte.
func compilePattern(indicator, p rawjson.Value) (t match.Target, c *match.Condition, work int, ok bool) {
	path := textOf(indicator, "target")
	if hasMember(p, "target") {
		path = textOf(p, "target")
	}
	t, err := match.ParseTarget(path)
	if err != nil {
		return t, nil, 0, false
	}
	decoded := decode[PatternMatch](p)
	wanted := decoded.Condition
	if !wanted.Exists() {
		wanted = decoded.Shorthand
	}
	if work = 1; isOperators(wanted) {
		_, instructions := neverMatches(textOf(wanted, "regex"))
		work += instructions
	}
	c, err = match.ParseCondition(wanted)
	return t, c, work, err == nil
}

// otherSide advises how to examine only the agent.
func otherSide(own Direction) string {
	if own == answers {
		return "the agent's part is direction: request"
	}
	return "the agent's part is direction: response"
}
