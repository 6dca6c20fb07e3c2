// Package suite reads suite files: the servers, what an agent or a list of steps does with them, what is expected, and
// which boundary between servers is declared. It checks the form and starts no server.
package suite

import (
	_ "embed"
	"fmt"
	"time"

	"go.yaml.in/yaml/v4"

	"gauntlet/trust"
)

// MaxBytes limits the size of a suite file.
const MaxBytes = 4 << 20

// A Suite is a suite file. At most one of Steps, Agent and Trace is set; a file that only declares a boundary has none.
type Suite struct {
	File     string
	Servers  []Server // in file order
	Security Security
	Steps    []Step
	Agent    *Agent // nil for none
	Trace    string // path of a recording, "" for none
	Expect   []Expect
	Scan     bool // check the definitions of every captured catalog
}

// Security is what the suite declares about boundaries.
type Security struct {
	Trust       *Trust             // nil if not declared
	Negotiation *trust.Negotiation // nil if not declared
}

// Trust is security.trust_boundary.
type Trust struct {
	Flows      []trust.Flow
	Sanitizers []trust.Name
	Limits     trust.Limits
}

// Boundary returns the declared boundary, with the agent's prompt and the steps' arguments as user input.
func (s *Suite) Boundary() trust.Boundary {
	b := trust.Boundary{File: s.File, Negotiation: s.Security.Negotiation}
	if t := s.Security.Trust; t != nil {
		b.Flows, b.Sanitizers, b.Limits = t.Flows, t.Sanitizers, t.Limits
	}
	if s.Agent != nil && s.Agent.Prompt != "" {
		b.Given = append(b.Given, s.Agent.Prompt)
	}
	return b
}

// A Place is a position in the file, from 1.
type Place struct{ Line, Column int }

// A Server is an entry of servers. Exactly one of Command, URL, Mock and Snapshot is set. Paths are as written, relative to the file.
type Server struct {
	Place
	Name     string
	Command  []string
	URL      string
	Mock     string // a YAML file with tools and their results
	Snapshot string // a snapshot to serve
	Env      []Pair // for Command
	Headers  []Pair // for URL
	Timeout  time.Duration
}

// A Pair is a name and its value.
type Pair struct{ Name, Value string }

// A Step is a call.
type Step struct {
	Place
	Server, Tool string
	// Arguments is a JSON object, "" for none. Templates in its strings are not expanded.
	Arguments string
	As        string // name of the result for later steps
	Expect    *Expect
}

// An Agent uses the servers. Exactly one of Command and Builtin is set.
type Agent struct {
	Place
	Command []string
	Builtin string
	Prompt  string
	Env     []Pair
	Timeout time.Duration
}

// An Expect is an expectation of a result. In a suite's list, Call or Step selects the results; in a step it is about that step.
type Expect struct {
	Place
	Call     string // server.tool
	Step     string // name given by a step
	Error    *bool  // whether the result has isError; nil for either
	Contains []string
	Lacks    []string
	Matches  string // RE2 expression that some text of the result matches
	At       string // JSON Pointer in the result to the value for Equals
	Equals   string // JSON text, "" for none
	Count    *int   // number of calls; nil for any
}

// An Error is an error in a file; Line 0 means no position.
type Error struct {
	File         string
	Line, Column int
	Msg          string
}

// Error begins with FILE:LINE:COLUMN, or the file alone.
func (e Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

//go:embed schema.json
var schema string

// Schema returns the JSON Schema (draft 2020-12) of suite files, for editors. Whether names exist and are unique is left to [Parse].
func Schema() string { return schema }

func (r *reader) security(n *yaml.Node) {
	m := r.Members(n, "trust_boundary", "capability_negotiation")
	if t := m["trust_boundary"]; t != nil {
		r.suite.Security.Trust = r.trust(t)
	}
	if c := m["capability_negotiation"]; c != nil {
		r.suite.Security.Negotiation = r.negotiation(c)
	}
}

func (r *reader) trust(n *yaml.Node) *Trust {
	t := &Trust{}
	m := r.Members(n, "allowed_flows", "required_sanitizers", "limits")
	r.Each("allowed_flows", m["allowed_flows"], func(n *yaml.Node) {
		f := r.Members(n, "from", "to")
		for _, k := range []string{"from", "to"} {
			if f != nil && f[k] == nil {
				r.Wrong(n, "a flow has no %s", k)
			}
		}
		t.Flows = append(t.Flows, trust.Flow{From: r.readIdentifier("from", f["from"]), To: r.readIdentifier("to", f["to"])})
	})
	t.Sanitizers = r.nameList("required_sanitizers", m["required_sanitizers"])
	l := r.Members(m["limits"], "min_length", "common_part", "producers", "findings")
	t.Limits = trust.Limits{
		MinLength:  r.number("min_length", l["min_length"], 4, 1_000_000),
		CommonPart: r.number("common_part", l["common_part"], 48, 1_000_000),
		Producers:  r.number("producers", l["producers"], 1, 1_000),
		Findings:   r.number("findings", l["findings"], 1, 1_000_000),
	}
	return t
}

func (r *reader) negotiation(n *yaml.Node) *trust.Negotiation {
	m := r.Members(n, "target", "negotiated")
	c := &trust.Negotiation{Target: r.readIdentifier("target", m["target"]), Negotiated: r.nameList("negotiated", m["negotiated"])}
	c.Declared = m["negotiated"] != nil
	if t := c.Target.Text; t != "" && !revisionForm.MatchString(t) {
		r.Wrong(m["target"], "target: %.40q is no revision: want one such as 2026-07-28", t)
	}
	return c
}

func (r *reader) readIdentifier(key string, n *yaml.Node) trust.Name {
	if n == nil {
		return trust.Name{}
	}
	return trust.Name{Text: r.textAt(key, n), Line: n.Line, Column: n.Column}
}

func (r *reader) nameList(key string, n *yaml.Node) []trust.Name {
	var out []trust.Name
	seen := map[string]bool{}
	r.Each(key, n, func(e *yaml.Node) {
		name := r.readIdentifier(key, e)
		if seen[name.Text] {
			r.Wrong(e, "%s: %.60q stands twice", key, name.Text)
		}
		seen[name.Text] = true
		out = append(out, name)
	})
	return out
}
