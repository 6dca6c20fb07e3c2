package toxicflow

import (
	"fmt"
	"strings"

	"gauntlet/capability"
	"gauntlet/check"
	"gauntlet/classify"
	"gauntlet/finding"
)

// sourceWitness is the public page that defines the rule and the table of combinations.
const sourceWitness = "https://github.com/desledishant10/mcp-witness/blob/main/docs/static-rules.md"

var _ = register(check.Check{
	ID: "MCP-S-005", Name: "overbroad-surface", Severity: finding.Medium, Maturity: check.Experimental,
	Axis: "capability", Needs: check.Definitions, Source: sourceWitness,
	Doc: `One server offers two capabilities that are more dangerous together than apart:

| together | risk |
|---|---|
| fs_read + net_egress | exfil_pair: files can be read and sent away |
| secret_access + net_egress | credential_exfil: credentials can be read and sent away |
| db_query + net_egress | database_exfil: the database can be read and sent away |
| fs_write + exec | write_then_execute: a file can be written and then run |
| fs_write + net_egress, where the path is free or leads to code | self_modifying_persistence |
| db_query + db_write, on one database | full_db_compromise_on_injection |

Only labels of high confidence count, and requests only where they carry what the caller says or go where the
caller says: a client that reads its own service, or deletes there, sends nothing away. There is one finding for each row and for tools that pair up across the
server; another for single tools that have both halves. It names the tools and why they are what they are.`,
	Advice: "Offer the halves as servers of their own, so that a user can connect one without the other.",
	Run:    overbroadSurface,
})

func overbroadSurface(p *check.Pass) {
	all := servers(p)
	looked(p, all)
	for _, s := range all {
		for _, r := range capability.Risks() {
			halves := s.where(func(t *tool) bool { return t.tags[atHigh].has(r.Tags[0]) || t.tags[atHigh].has(r.Tags[1]) })
			if len(halves) == 0 {
				continue
			}
			overbroad(p, s, r, halves)
		}
	}
}

// overbroad reports one row of the table. Most servers have but one half of most rows, and
// labels are written down for those that may have both.
func overbroad(p *check.Pass, s *judged, r capability.Risk, halves []*tool) {
	both := [2]bool{}
	for _, t := range halves {
		both[0] = both[0] || t.tags[atHigh].has(r.Tags[0])
		both[1] = both[1] || t.tags[atHigh].has(r.Tags[1])
	}
	if !both[0] || !both[1] {
		return
	}
	light := make([]capability.Tool, len(halves))
	for i, t := range halves {
		light[i] = capability.Tool{Name: t.name(), Index: i, Flow: t.flow}
		for _, tag := range r.Tags {
			if t.tags[atHigh].has(tag) && (tag != capability.NetEgress || t.flow.Outward) {
				light[i].Capabilities = append(light[i].Capabilities, capability.Label{Tag: tag, Confidence: capability.High})
			}
		}
	}
	for _, c := range classify.Combine(light, r, capability.High) {
		var tools []*tool
		for _, i := range c.Indexes {
			tools = append(tools, halves[i])
		}
		where := "across tools"
		if c.Scope == capability.WithinTool {
			where = "within one tool"
		}
		p.Report(check.Relation{
			At: tools[0].at(p), Related: places(p, tools[1:]),
			Identity: append([]string{check.Identity(s.Server), c.Rationale, c.Scope}, c.Tools...),
			Message:  fmt.Sprintf("%s %s: %s (%s): %s", r.Says, where, c.Rationale, joined(r.Tags), because(tools, r)),
		})
	}
}

func joined(tags [2]capability.Tag) string { return string(tags[0]) + " + " + string(tags[1]) }

// because names the first tool of each half with its evidence, and counts the others.
func because(tools []*tool, r capability.Risk) string {
	var parts []string
	for _, tag := range r.Tags {
		var with []*tool
		for _, t := range tools {
			if t.tags[atHigh].has(tag) && (tag != capability.NetEgress || t.flow.Outward) {
				with = append(with, t)
			}
		}
		labelled := with[0].server.classifier.Tool(with[0].index)
		l := labelled.Has(tag, capability.High)
		part := fmt.Sprintf("%s is %s by %s", with[0].name(), tag, strings.Join(l.Evidence[:min(3, len(l.Evidence))], ", "))
		if n := len(with) - 1; n > 0 {
			part += fmt.Sprintf(" (and %d more)", n)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}
