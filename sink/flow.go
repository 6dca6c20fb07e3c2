package sink

// A FlowKind is the kind of sink that a caller's value reaches.
type FlowKind string

// The kinds of flow.
const (
	ShellFlow     FlowKind = "shell"          // a line that a shell or another interpreter reads
	ProgramFlow   FlowKind = "program"        // the name of a program that is started
	ArgumentFlow  FlowKind = "argument"       // an argument that a program may take for an option
	CodeFlow      FlowKind = "code"           // code that is run
	PathFlow      FlowKind = "path"           // the path of a file
	LinkFlow      FlowKind = "link"           // the path of a file that is kept in a directory unless a symbolic link leads out of it
	HostFlow      FlowKind = "host"           // the host that a request goes to
	URLPathFlow   FlowKind = "url_path"       // the path or query of an address whose host is fixed
	SQLFlow       FlowKind = "sql"            // the text of a statement
	QueryFlow     FlowKind = "query"          // a value in the filter of a document database, where an object is an operator
	PrototypeFlow FlowKind = "prototype"      // the name of a member of a member, which may be that of all objects
	BodyFlow      FlowKind = "unbounded_read" // the address of what is read whole into memory
	PromptFlow    FlowKind = "prompt"         // instructions to a model
)

// A Flow is a tool's parameter that reaches a sink without an effective guard.
type Flow struct {
	Kind  FlowKind
	Param string // the tool's parameter, "a.b" for a member
	Name  string // of the sink: "child_process.exec()"
	About string // the program that gets an argument
	At    Place  // of the sink
	Steps []FlowStep
	Guard string // what is missing, or why what is there does not hold
}

// A FlowStep is one place on the way from the parameter to the sink.
type FlowStep struct {
	At   Place
	What string // the variable that takes the value, or the function that is called with it
}
