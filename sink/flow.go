package sink

// A FlowKind is the kind of sink that a caller's value reaches.
type FlowKind string

// The kinds of flow.
const (
	ShellFlow     FlowKind = "shell"          // a line read by a shell or another interpreter
	ProgramFlow   FlowKind = "program"        // the name of a program to start
	ArgumentFlow  FlowKind = "argument"       // an argument that a program may take for an option
	CodeFlow      FlowKind = "code"           // code to run
	PathFlow      FlowKind = "path"           // a file path
	LinkFlow      FlowKind = "link"           // a file path confined to a directory unless a symbolic link leads out of it
	HostFlow      FlowKind = "host"           // the host of a request
	URLPathFlow   FlowKind = "url_path"       // the path or query of a URL with a fixed host
	SQLFlow       FlowKind = "sql"            // the text of a statement
	QueryFlow     FlowKind = "query"          // a filter value of a document database, where an object is an operator
	PrototypeFlow FlowKind = "prototype"      // a nested member name, which may be that of all objects' prototype
	PatternFlow   FlowKind = "pattern"        // a part of a regular expression
	BodyFlow      FlowKind = "unbounded_read" // the address of something read into memory without a limit
	PromptFlow    FlowKind = "prompt"         // instructions to a model
)

// A Flow is a tool parameter that reaches a sink without an effective guard.
type Flow struct {
	Kind  FlowKind
	Param string // tool parameter, "a.b" for a member
	Name  string // of the sink: "child_process.exec()"
	About string // program that receives an argument, or what else the sink is
	At    Place  // of the sink
	Steps []FlowStep
	Guard string // what is missing, or why the present guard is ineffective
}

// A FlowStep is a place between parameter and sink.
type FlowStep struct {
	At   Place
	What string // variable that takes the value, or function called with it
}
