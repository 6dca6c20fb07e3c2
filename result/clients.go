package result

// Clients is what the configurations of MCP clients hold and what became of it. No secret
// of a configuration stands in it.
type Clients struct {
	Files   []ClientFile  `json:"files"`
	Entries []ClientEntry `json:"entries"`
	Agents  []Agent       `json:"agents"`
}

// A ClientFile is one configuration. State is "read", or "unread" where nothing of it could
// be read; what could not be read of it is among the report's problems.
type ClientFile struct {
	Client  string `json:"client"` // "cursor", …; "mcp.json" for a form that no client can be told from
	File    string `json:"file"`
	Project string `json:"project,omitempty"` // the folder for which it holds
	State   string `json:"state"`
	Entries int    `json:"entries"`
	// Kind is what the file is for an agent: "instructions", "skill", "skill file", "command", "sub-agent", "script" or
	// "program"; "" for a configuration.
	Kind string `json:"kind,omitempty"`
}

// StateUnread is the state of a file of which nothing could be read.
const StateUnread = "unread"

// A ClientEntry is one server of a configuration.
type ClientEntry struct {
	Client    string     `json:"client"`
	Name      string     `json:"name"`
	File      string     `json:"file"`
	Line      int        `json:"line,omitempty"`   // 1-based
	Column    int        `json:"column,omitempty"` // 1-based, in Unicode code points
	Project   string     `json:"project,omitempty"`
	Transport string     `json:"transport"` // "stdio", "http", "sse" or "unknown"
	Starts    string     `json:"starts"`    // the command or the address, secrets masked
	State     EntryState `json:"state"`
	Reason    string     `json:"reason,omitempty"` // why it was not scanned
	// Servers are the names that the server gave itself; more than one entry may stand for
	// one server, which was launched once.
	Servers []string `json:"servers"`
	Tools   []string `json:"tools"` // the names of its tools
}

// An EntryState says what became of an entry.
type EntryState string

// The states of an entry.
const (
	Scanned     EntryState = "scanned"
	NotLaunched EntryState = "not_launched" // nobody agreed to it, or a part of it is not known
	LaunchFail  EntryState = "failed"       // it was launched or connected to, and nothing was read
	SwitchedOff EntryState = "disabled"     // by its configuration
)

// An Agent is a client at work in one folder: it sees the tools of all its servers together.
type Agent struct {
	Client  string `json:"client"`
	Project string `json:"project,omitempty"` // "" for work outside of every project that is known
	Entries []int  `json:"entries"`           // places in Clients.Entries; those switched off are not among them
	Tools   int    `json:"tools"`             // of those that were scanned
	Reads   []int  `json:"reads,omitempty"`   // places in Clients.Files of what it reads or runs beside
}
