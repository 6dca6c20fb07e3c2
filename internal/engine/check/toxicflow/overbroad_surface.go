package toxicflow

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/classify"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

// sourceWitness is the public page with the rule and the table of combinations.
const sourceWitness = "https://github.com/desledishant10/mcp-witness/blob/main/docs/static-rules.md"

var _ = register(check.Check{
	ID: "MCP-S-005", Name: "overbroad-surface", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP02:2025 close, ASI02 close, ASI03 weak, CWE-250 close, SAFE-T1104 weak, L4 close, L2 weak",
	Axis:     "capability", Needs: check.Definitions, Source: sourceWitness,
	Doc: `One server combines two capabilities that are more dangerous together than apart:

| together | risk |
|---|---|
| fs_read + net_egress | exfil_pair: files can be read and sent away |
| secret_access + net_egress | credential_exfil: credentials can be read and sent away |
| db_query + net_egress | database_exfil: the database can be read and sent away |
| fs_write + exec | write_then_execute: a file can be written and then run |
| fs_write + net_egress, where the path is free or leads to code | self_modifying_persistence |
| db_query + db_write, on one database | full_db_compromise_on_injection |

Only labels of high confidence count. A request counts only where it carries the caller's data or goes to an
address of the caller's choice: a client for one service, which reads, writes or deletes there, sends nothing
away unless one of its tools uploads a file of this machine. There is one finding for each row for tools that
pair up across the server, and another for single tools that have both capabilities. The finding names the
most dangerous tool of each half and the reason for its label.`,
	Advice: "Offer the two halves as separate servers, so that a user can connect one without the other.",
	Run:    overbroadSurface,
})

func overbroadSurface(p *check.Pass) {
	all := classifyServers(p)
	countLooked(p, all)
	for _, s := range all {
		for _, r := range capability.Risks() {
			for _, scope := range []string{capability.WithinTool, capability.AcrossTools} {
				reportRisk(p, s, r, scope)
			}
		}
	}
}

// isHalf reports whether a tool is one half of a row. Making requests is half of a leak only if the caller chooses the
// destination or what others receive; within one tool, also if a local file goes to the service. A client that writes
// to the service that it reads leaks nothing.
func (t *tool) isHalf(r capability.Risk, which int, scope string) bool {
	tag := r.Tags[which]
	if !t.tags[atHigh].has(tag) {
		return false
	}
	switch {
	case tag == capability.FSRead && scope == capability.AcrossTools:
		return !t.flow.Uploads // data sent to a service does not reach the agent
	case tag == capability.Exec && (t.flow.Scripts || t.flow.Elsewhere):
		return false // neither a page nor a service runs a local file
	case tag != capability.NetEgress, r.Condition == capability.CodePaths:
		return true
	}
	return t.flow.Outward || scope == capability.WithinTool && t.flow.Uploads && r.Tags[0] == capability.FSRead
}

// reportRisk reports a row of the table, within single tools or across tools. Most servers have only one half of most
// rows, so labels are explained only for those that may have both.
func reportRisk(p *check.Pass, s *classifiedServer, r capability.Risk, scope string) {
	both := [2]bool{}
	for i := range s.tools {
		for which := range r.Tags {
			both[which] = both[which] || s.tools[i].isHalf(r, which, scope)
		}
	}
	if !both[0] || !both[1] {
		return
	}
	var tools []*tool
	var light []capability.Tool
	for i := range s.tools {
		t := &s.tools[i]
		l := capability.Tool{Name: t.name(), Index: len(light), Flow: t.flow}
		for which, tag := range r.Tags {
			if t.isHalf(r, which, scope) {
				l.Capabilities = append(l.Capabilities, capability.Label{Tag: tag, Confidence: capability.High})
			}
		}
		if len(l.Capabilities) > 0 {
			tools, light = append(tools, t), append(light, l)
		}
	}
	for _, c := range classify.Combine(light, r, capability.High) {
		if c.Scope != scope {
			continue
		}
		first, second := witnesses(tools, c, r, scope)
		where := "across tools"
		if scope == capability.WithinTool {
			where = "within one tool"
		}
		var others []*tool
		more := len(c.Indexes)
		for _, i := range c.Indexes {
			t := tools[i]
			if t != first {
				others = append(others, t)
			}
			if t == first || t == second {
				more--
			}
		}
		p.Report(check.Relation{
			At: first.at(p), Related: relatedPlaces(p, others),
			Identity: append([]string{check.Identity(s.Server), c.Rationale, c.Scope}, c.Tools...),
			Message: fmt.Sprintf("%s %s: %s (%s): %s; %s%s", r.Says, where, c.Rationale, joinTags(r.Tags), first.explainLabel(r.Tags[0]), second.explainLabel(r.Tags[1]),
				countMore(more, "belong to it")),
		})
	}
}

func joinTags(tags [2]capability.Tag) string { return string(tags[0]) + " + " + string(tags[1]) }

// witnesses picks for each half the tool most useful to an attacker, and two tools if two are needed.
func witnesses(tools []*tool, c capability.Combination, r capability.Risk, scope string) (first, second *tool) {
	pick := func(which int, not *tool, way func(*tool) capability.Way) (best *tool) {
		for _, i := range c.Indexes {
			t := tools[i]
			if t != not && t.isHalf(r, which, scope) && (best == nil || way(t).Worse(way(best))) {
				best = t
			}
		}
		return best
	}
	out := func(t *tool) capability.Way { return t.flow.Exfil }
	in := func(t *tool) capability.Way { return t.flow.Untrusted }
	if scope == capability.WithinTool {
		t := tools[c.Indexes[0]]
		return t, t
	}
	second = pick(1, nil, out)
	if r.Condition == capability.CodePaths {
		second = pick(1, nil, in)
	}
	if first = pick(0, second, out); first == nil { // the only reader is also the best way out
		first = pick(0, nil, out)
		second = pick(1, first, out)
	}
	return first, second
}

func (t *tool) explainLabel(tag capability.Tag) string {
	tool := t.server.classifier.Tool(t.index)
	l := tool.Has(tag, capability.High)
	slices.SortStableFunc(l.Evidence, func(a, b string) int { return evidenceRank(b) - evidenceRank(a) })
	reasons := make([]string, 0, 3)
	for _, e := range l.Evidence[:min(3, len(l.Evidence))] {
		reasons = append(reasons, evidenceWords(e))
	}
	return fmt.Sprintf("%s is %s by %s", t.name(), tag, strings.Join(reasons, ", "))
}

// evidenceWords describes the classifier's kind:value notation, as in param:file:role=path:confidence=high.
func evidenceWords(evidence string) string {
	kind, value, _ := strings.Cut(evidence, ":")
	switch kind {
	case "param":
		name, rest, _ := strings.Cut(value, ":")
		role, _, _ := strings.Cut(strings.TrimPrefix(rest, "role="), ":")
		return fmt.Sprintf("its parameter %s (%s)", name, role)
	case "name_token":
		return fmt.Sprintf("%q in its name", value)
	case "desc_phrase", "desc_token":
		return fmt.Sprintf("%q in its description", value)
	case "server":
		return "its server (" + value + ")"
	case "annotation":
		return "its annotation " + value
	case "ast_sink":
		return "its code, " + value
	}
	return evidence
}

// evidenceRank orders evidence for readers: a parameter shows best what is reached, the server least.
func evidenceRank(evidence string) int {
	switch kind, _, _ := strings.Cut(evidence, ":"); kind {
	case "param":
		return 2
	case "server", "annotation":
		return 0
	}
	return 1
}
