package probing

import (
	"slices"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/probe"
)

// A Probe is one question to a server about its protocol: what is sent, what that may do, where it
// holds, and the pure analysis of what came back. Package proberun sends them.
type Probe struct {
	ID     string // "P01" to "P37"
	Asks   string // the question, for a reader
	Effect probe.Effect
	// HTTP and Stdio say over which transports it can be asked.
	HTTP, Stdio bool
	// Era is that of the conversation in which its steps are sent; "" for a probe without steps.
	Era   probe.Era
	Steps []Step
	// Unless says why a probe without evidence was not sent; "" where the runner always knows better.
	Unless string
	// Signal is the line of the posture map that the answer fills, "" for none.
	Signal string
	// Judge says what the evidence shows. nil for a probe that is judged elsewhere: see By.
	Judge func(*probe.Protocol) Verdict
	// By says what judges a probe without Judge, or why nothing can.
	By string
	// Rule reports what is broken; no ID for a probe that only fills the posture map.
	Rule check.Check
}

// A Step is one message of a probe.
type Step struct {
	Name string
	Body string
	// Header is sent beside the fields of every request; a field with the value "" is left out.
	Header map[string]string
	// Verb of HTTP; "" is POST.
	Verb string
	// Quiet says that a server may leave the message unanswered, so that nobody waits for long.
	Quiet bool
}

// A State says what the evidence shows of a defence.
type State int

// The states. What was not probed is never held to be there or missing.
const (
	Unprobed State = iota
	Held
	Broken
)

// A Verdict is what the evidence of one probe shows, and with what.
type Verdict struct {
	State    State
	Text     string
	Severity finding.Severity // finding.None is that of the rule
	By       *probe.Exchange  // what shows it, nil where it is not one request
}

func held(text string) Verdict   { return Verdict{State: Held, Text: text} }
func broken(text string) Verdict { return Verdict{State: Broken, Text: text} }
func brokenBy(x *probe.Exchange, text string) Verdict {
	return Verdict{State: Broken, Text: text, By: x}
}
func unprobed(text string) Verdict { return Verdict{Text: text} }

// table holds the protocol probes in the order of their files.
var table []Probe

// Probes returns the protocol probes in the order of their ids.
func Probes() []Probe { return sorted(table) }

// ByID returns a probe, which must exist.
func ByID(id string) *Probe {
	return &table[slices.IndexFunc(table, func(p Probe) bool { return p.ID == id })]
}

// add enters a probe into the table, and its rule into the lane.
func add(p Probe) Probe {
	table = append(table, p)
	if p.Rule.ID != "" {
		registerProbe(p)
	}
	return p
}

func registerProbe(p Probe) {
	c := p.Rule
	c.Maturity, c.Needs = check.Experimental, check.Probes
	c.Doc += "\n\nNot reported where the probe was not sent or not answered in time; the posture map says why. See docs/probing.md."
	c.Run = func(pass *check.Pass) {
		e := pass.Probes.Protocol
		if e == nil {
			return
		}
		pass.Looked(len(e.Exchanges))
		if v := p.Read(e); v.State == Broken {
			reportProtocol(pass, p.Rule.ID, v.Text, v.Severity, v.By)
		}
	}
	register(c)
}

// Read judges the evidence of one probe; without evidence the verdict says why there is none.
func (p *Probe) Read(e *probe.Protocol) Verdict {
	if why := p.missing(e); why != "" {
		return unprobed("not probed: " + why)
	}
	if p.Judge == nil {
		return unprobed(p.By)
	}
	v := p.Judge(e)
	if v.State == Unprobed && v.Text == "" {
		v.Text = "not probed: the server gave no occasion"
		if p.Unless != "" {
			v.Text = "not probed: " + p.Unless
		}
	}
	return v
}

// missing is why a probe cannot have been sent, "" where it can.
func (p *Probe) missing(e *probe.Protocol) string {
	for _, key := range []string{p.ID, "all"} {
		if why := e.Unsent[key]; why != "" {
			return why
		}
	}
	switch {
	case e.Transport == "stdio" && !p.Stdio:
		return "the server speaks over stdio"
	case e.Transport == "http" && !p.HTTP:
		return "the server speaks over HTTP"
	case p.Era == probe.Stateless && !e.Stateless:
		return "the server does not speak revision 2026-07-28"
	case len(p.Steps) > 0 && !sent(e, p.ID):
		return e.Unsent["others"]
	}
	return ""
}

func sent(e *probe.Protocol, id string) bool {
	for i := range e.Exchanges {
		if e.Exchanges[i].ID == id {
			return true
		}
	}
	return false
}
