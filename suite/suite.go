// Package suite reads suite files: which servers there are, what an agent or a list of steps
// does with them, what is expected, and which boundary between the servers was declared. It
// reads and checks the form; nothing here starts a server.
package suite

import (
	_ "embed"
	"fmt"
	"time"

	"gauntlet/trust"
)

// MaxBytes is the longest suite file.
const MaxBytes = 4 << 20

// A Suite is one file. What it drives is at most one of Steps, Agent and Trace: a file that
// only declares a boundary has none.
type Suite struct {
	File     string
	Servers  []Server // in the order of the file
	Security Security
	Steps    []Step
	Agent    *Agent // nil for none
	Trace    string // path of a recording, "" for none
	Expect   []Expect
	Scan     bool // run the checks of definitions over every catalog that was captured
}

// Security is what the suite declares about boundaries.
type Security struct {
	Trust       *Trust             // nil where nothing was declared
	Negotiation *trust.Negotiation // nil where nothing was declared
}

// Trust is security.trust_boundary.
type Trust struct {
	Flows      []trust.Flow
	Sanitizers []trust.Name
	Limits     trust.Limits
}

// Boundary returns what the suite declares, with the prompt of its agent and the arguments
// of its steps among what the user gave.
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

// A Place is a position in the file; both numbers count from 1.
type Place struct{ Line, Column int }

// A Server is one entry of servers. Exactly one of Command, URL, Mock and Snapshot is set.
// Paths are as written, relative to the file.
type Server struct {
	Place
	Name     string
	Command  []string
	URL      string
	Mock     string // a YAML file with tools and their results
	Snapshot string // a snapshot to be served
	Env      []Pair // for Command
	Headers  []Pair // for URL
	Timeout  time.Duration
}

// A Pair is a name with its value.
type Pair struct{ Name, Value string }

// A Step is one call.
type Step struct {
	Place
	Server, Tool string
	// Arguments is a JSON object, "" for none. Templates in its strings stand as written.
	Arguments string
	As        string // the name by which later steps speak of the result
	Expect    *Expect
}

// An Agent is the agent that uses the servers. Exactly one of Command and Builtin is set.
type Agent struct {
	Place
	Command []string
	Builtin string
	Prompt  string
	Env     []Pair
	Timeout time.Duration
}

// An Expect says what a result must be. In the list of a suite, Call or Step say which
// results it is about; in a step it is the step's own.
type Expect struct {
	Place
	Call     string // server.tool
	Step     string // the name that a step gave
	Error    *bool  // whether the result says isError; nil for either
	Contains []string
	Lacks    []string
	Matches  string // a regular expression of RE2 that some text of the result matches
	At       string // JSON Pointer in the result that Equals is about
	Equals   string // JSON text, "" for none
	Count    *int   // how many calls there were; nil for any number
}

// An Error says what is wrong with a file, and where; Line 0 where no place applies.
type Error struct {
	File         string
	Line, Column int
	Msg          string
}

// Error says where it is, too: FILE:LINE:COLUMN, or the file alone.
func (e Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

//go:embed schema.json
var schema string

// Schema returns the JSON Schema (draft 2020-12) of suite files, for editors. Names that
// must exist or differ are left to [Parse].
func Schema() string { return schema }
