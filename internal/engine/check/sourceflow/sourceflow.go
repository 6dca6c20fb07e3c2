// Package sourceflow holds the checks of what a server's source does with what its caller sends:
// MCP-S-006 to MCP-S-009. They act on the flows that package taint found; nothing is executed.
package sourceflow

import (
	"fmt"
	"slices"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var lane check.Lane

// register adds a check to the lane.
var register = lane.Register

// Checks returns the lane's checks by id.
func Checks() []*check.Check { return lane.Checks() }

// An arrival is a sink with everything that arrives there by the same fault.
type arrival struct {
	flow   sink.Flow // the one that is shown
	tool   string
	params []string // tool and parameter, of all
}

// reportFlows reports the flows of some kinds, one finding for each sink, whatever the number of tools
// and parameters that arrive there.
func reportFlows(p *check.Pass, severity func(sink.Flow) finding.Severity, what map[sink.FlowKind]string) {
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
				a = &arrival{flow: f, tool: h.Tool}
				byKey[k] = a
				order = append(order, a)
			}
			a.params = append(a.params, h.Tool+"."+f.Param)
			// The shortest way is the easiest to check.
			if len(f.Steps) < len(a.flow.Steps) {
				a.flow, a.tool = f, h.Tool
			}
		}
	}
	p.Looked(len(p.Source.Handlers))
	for _, a := range order {
		slices.Sort(a.params)
		a.params = slices.Compact(a.params)
		f := a.flow
		message := fmt.Sprintf("parameter %q of tool %s reaches %s, %s: %s", f.Param, a.tool, f.Name, what[f.Kind], f.Guard)
		if n := len(a.params) - 1; n > 0 {
			message += fmt.Sprintf(" (so do %d more parameters)", n)
			if n == 1 {
				message = message[:len(message)-len("(so do 1 more parameters)")] + "(so does 1 more parameter)"
			}
		}
		p.ReportSource(check.SourceReport{
			At: f.At, Tool: a.tool, Steps: f.Steps, Message: message, Severity: severity(f),
			Identity: []string{a.tool, f.Param, string(f.Kind), f.Name, f.At.File},
		})
	}
}

// always is the severity of every flow of a check.
func always(s finding.Severity) func(sink.Flow) finding.Severity {
	return func(sink.Flow) finding.Severity { return s }
}
