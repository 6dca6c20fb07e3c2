// Package sourceflow holds the checks of what the source of a server does:
// MCP-S-006 to MCP-S-014 and GNT-701 to GNT-711. They act on the flows that package taint found and the sites that package
// survey found; nothing is executed.
package sourceflow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

// Checks lists the package's checks, which register adds.
var Checks, register = check.NewLane()

// An arrival is a sink with everything that arrives there by the same fault.
type arrival struct {
	flow  sink.Flow // the one that is shown
	tool  string
	whose string      // "tool", or "route" of HTTP
	all   []sink.Flow // of each tool and parameter one
	tools []string    // whose each of them is
}

// others returns what arrives beside the flow that is shown, by tool and parameter.
func (a *arrival) others() (out []check.SourceParameter) {
	for i, f := range a.all {
		if a.tools[i] == a.tool && f.Param == a.flow.Param || len(f.Steps) == 0 {
			continue
		}
		out = append(out, check.SourceParameter{Tool: a.tools[i], Param: f.Param, At: f.Steps[0].At})
	}
	slices.SortFunc(out, func(x, y check.SourceParameter) int {
		return cmp.Or(strings.Compare(x.Tool, y.Tool), strings.Compare(x.Param, y.Param))
	})
	out = slices.CompactFunc(out, func(x, y check.SourceParameter) bool { return x.Tool == y.Tool && x.Param == y.Param })
	return out[:min(len(out), maxOthers)]
}

// maxOthers is how many further parameters one finding lists.
const maxOthers = 500

// reportFlows reports the flows of some kinds, one finding for each sink, whatever the number of tools
// and parameters that arrive there.
func reportFlows(p *check.Pass, what map[sink.FlowKind]string) {
	type key struct {
		kind sink.FlowKind
		at   sink.Place
	}
	var order []*arrival
	byKey := map[key]*arrival{}
	for _, h := range slices.Concat(p.Source.Handlers, p.Source.Resources) {
		if h.FlowsCut {
			p.Limited("not all of what the tool %s reaches was followed: the work for one tool is bounded", h.Tool)
		}
		for _, f := range h.Flows {
			if what[f.Kind] == "" {
				continue
			}
			k := key{f.Kind, f.At}
			a := byKey[k]
			if a == nil {
				a = &arrival{flow: f, tool: h.Tool, whose: "tool"}
				if h.Via == sink.ByRoute {
					a.whose = "route"
				}
				byKey[k] = a
				order = append(order, a)
			}
			a.all, a.tools = append(a.all, f), append(a.tools, h.Tool)
			// The shortest way is the easiest to check.
			if len(f.Steps) < len(a.flow.Steps) {
				a.flow, a.tool = f, h.Tool
			}
		}
	}
	p.Looked(len(p.Source.Handlers))
	for _, a := range order {
		f, others := a.flow, a.others()
		message := fmt.Sprintf("parameter %q of %s %s reaches %s as %s: %s%s", f.Param, a.whose, a.tool, f.Name, as(f, what), f.Guard, soDo(others))
		p.ReportSource(check.SourceReport{
			At: f.At, Tool: a.tool, Steps: f.Steps, Message: message, Severity: severity(f), Others: others,
			Identity: []string{a.tool, f.Param, string(f.Kind), f.Name, f.At.File},
		})
	}
}

// special is what flows become at sinks that are of a kind with others and called otherwise, by what the flow is about.
var special = map[string]string{"environment": "variables of a program's environment", "directory": "a filter of a directory service", "xml": "a document that is parsed"}

func as(f sink.Flow, what map[sink.FlowKind]string) string {
	if s := special[f.About]; s != "" {
		return s
	}
	if (f.Kind == sink.PathFlow || f.Kind == sink.LinkFlow) && f.About != "" {
		return "an argument that " + f.About + " takes for the path of a file"
	}
	return what[f.Kind]
}

// maxNamed is how many of the parameters that arrive at one sink are named.
const maxNamed = 6

// soDo says which other parameters arrive at the same sink by the same fault; "" where there are none.
func soDo(others []check.SourceParameter) string {
	var named []string
	for _, o := range others[:min(len(others), maxNamed)] {
		named = append(named, o.Tool+"."+o.Param)
	}
	tools := map[string]bool{}
	for _, o := range others {
		tools[o.Tool] = true
	}
	if len(others) == 0 {
		return ""
	}
	verb, more := "do", ""
	if len(others) == 1 {
		verb = "does"
	}
	if n := len(others) - maxNamed; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
		if len(tools) > 1 {
			more += fmt.Sprintf(", in %d tools", len(tools))
		}
	}
	return fmt.Sprintf(" (so %s %s%s)", verb, strings.Join(named, ", "), more)
}

// severity is that of a flow where it differs from its check's.
func severity(f sink.Flow) finding.Severity {
	switch {
	case f.Kind == sink.LinkFlow, f.Kind == sink.URLPathFlow, f.Kind == sink.PathFlow && showsLittle[f.About]:
		return finding.Low
	case f.Kind == sink.ArgumentFlow, f.Kind == sink.SQLFlow && strings.HasPrefix(f.About, "read only"):
		return finding.Medium
	}
	return finding.None
}

// showsLittle are programs that tell names and sizes of the files at a path, or open it only where it holds a repository.
var showsLittle = map[string]bool{"ls": true, "tree": true, "du": true, "find": true, "git": true}

// flows is the run of a check that reports nothing but flows.
func flows(what map[sink.FlowKind]string) func(*check.Pass) {
	return func(p *check.Pass) { reportFlows(p, what) }
}

// sites is the run of a check that reports nothing but the places of some kinds.
func sites(kinds ...sink.SiteKind) func(*check.Pass) {
	return func(p *check.Pass) { reportSites(p, kinds...) }
}

// reportSites reports the places of some kinds, one finding each.
func reportSites(p *check.Pass, kinds ...sink.SiteKind) {
	p.Looked(p.Source.Files)
	for _, s := range p.Source.Sites {
		if slices.Contains(kinds, s.Kind) {
			p.ReportSource(check.SourceReport{
				At: s.At, Tool: s.Tool, Message: s.Name + ": " + s.Why, Identity: []string{string(s.Kind), s.Name, s.At.File},
			})
		}
	}
}
