package report

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/finding"
	"gauntlet/result"
)

// A flowEnd is one end of a flow: a tool, a server, or the agent. Both fields are Visible.
type flowEnd struct{ Name, Server string }

// A flow is a path that data can take or took.
type flow struct {
	From, To    flowEnd
	Label, Text string // Visible
	// Finding is the id of the finding that reports the flow, "" if it follows from tool labels alone.
	Finding string
}

// maxFlows limits the graph, which is unreadable beyond that; the table of findings has all flows.
const maxFlows = 80

// flowsOf collects the flows that findings report and, from labels, what servers bring into an agent's context and what
// can leave through them.
func flowsOf(r *result.Report, servers []capability.Server) (out []flow) {
	ids := findingIDs(r.Findings)
	for _, i := range severestFirst(r.Findings) {
		f, id := &r.Findings[i], ids[i]
		switch f.Rule.Base() {
		case "SEC-035":
			for k := range f.Related {
				out = append(out, flow{endOf(&f.Location), endOf(&f.Related[k]), Visible(string(f.Rule)), Visible(f.Message), id})
			}
		case "SEC-060":
			for k := range f.Related {
				out = append(out, flow{endOf(&f.Related[k]), endOf(&f.Location), Visible(string(f.Rule)), Visible(f.Message), id})
			}
		}
	}
	out = append(out, capabilityFlows(servers)...)
	return out[:min(len(out), maxFlows)]
}

// endOf returns the tool of a location; for a message that is its tool, not its method.
func endOf(l *finding.Location) flowEnd {
	name := l.Item
	if l.Seq > 0 {
		_, after, ok := strings.Cut(name, " ")
		if ok {
			name = after
		}
	}
	return flowEnd{Visible(cmp.Or(name, kindWord(l.Kind))), Visible(l.Server)}
}

var (
	bringsIn = []capability.Tag{capability.FSRead, capability.SecretAccess, capability.DBQuery, capability.NetEgress}
	takesOut = []capability.Tag{capability.Exec, capability.FSWrite, capability.NetEgress, capability.DBWrite}
)

// capabilityFlows returns, for each server, what it can bring into the agent's context and what the agent can do through it.
func capabilityFlows(servers []capability.Server) (out []flow) {
	agent := flowEnd{Name: "agent's context"}
	for i := range servers {
		s := &servers[i]
		var in, away []string
		for _, tag := range s.Capabilities {
			if slices.Contains(bringsIn, tag) {
				in = append(in, matrixHeads[tag])
			}
			if slices.Contains(takesOut, tag) {
				away = append(away, matrixHeads[tag])
			}
		}
		name := Visible(cmp.Or(s.Name, "(unnamed)"))
		if in != nil {
			out = append(out, flow{flowEnd{Name: name}, agent, strings.Join(in, ", "), "tools of this server can read: " + strings.Join(in, ", "), ""})
		}
		if away != nil {
			out = append(out, flow{agent, flowEnd{Name: name}, strings.Join(away, ", "), "tools of this server can act: " + strings.Join(away, ", "), ""})
		}
	}
	return out
}

// flowPart shows the flows as a table, from which the page's script draws a graph.
func flowPart(flows []flow) htmlPart {
	found := 0
	for i := range flows {
		if flows[i].Finding != "" {
			found++
		}
	}
	intro := countNoun(found, "flow") + " of findings, marked; the others follow from what the tools can do."
	if len(flows) == maxFlows {
		intro += " Further flows are omitted; the findings list them."
	}
	return executed("flows-title", "Flows", "flows", map[string]any{"Flows": flows, "Intro": intro})
}
