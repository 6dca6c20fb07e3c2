package result

// Clients holds the entries of MCP client configurations and what happened to them. It contains no secrets.
type Clients struct {
	Files   []ClientFile  `json:"files"`
	Entries []ClientEntry `json:"entries"`
	Agents  []Agent       `json:"agents"`
}

// A ClientFile is a configuration file. State is "read", or "unread" if nothing of it could be read; unreadable parts
// are among the report's problems.
type ClientFile struct {
	Client  string `json:"client"` // "cursor", …; "mcp.json" if the client is unknown
	File    string `json:"file"`
	Project string `json:"project,omitempty"` // folder that it applies to
	State   string `json:"state"`
	Entries int    `json:"entries"`
	// Kind is the purpose of a file for an agent: "instructions", "skill", "skill file", "command", "sub-agent",
	// "script" or "program"; "" for a configuration.
	Kind string `json:"kind,omitempty"`
}

// StateUnread is the state of an unreadable file, and of a list that was not looked for.
const StateUnread = "unread"

// A ClientEntry is a server in a configuration.
type ClientEntry struct {
	Client    string     `json:"client"`
	Name      string     `json:"name"`
	File      string     `json:"file"`
	Line      int        `json:"line,omitempty"`   // 1-based
	Column    int        `json:"column,omitempty"` // 1-based, in Unicode code points
	Project   string     `json:"project,omitempty"`
	Transport string     `json:"transport"` // "stdio", "http", "sse" or "unknown"
	Starts    string     `json:"starts"`    // command or address, secrets masked
	State     EntryState `json:"state"`
	Reason    string     `json:"reason,omitempty"` // why it was not scanned
	// Servers are the names that the server reported; several entries may share a server, which was launched once.
	Servers []string `json:"servers"`
	Tools   []string `json:"tools"` // names of its tools
}

// An EntryState says what happened to an entry.
type EntryState string

// The states of an entry.
const (
	Scanned     EntryState = "scanned"
	NotLaunched EntryState = "not_launched" // without consent, or partly unknown
	LaunchFail  EntryState = "failed"       // launched or connected to, but nothing was read
	SwitchedOff EntryState = "disabled"     // by its configuration
)

// An Agent is a client in one folder: it sees the tools of all its servers together.
type Agent struct {
	Client  string `json:"client"`
	Project string `json:"project,omitempty"` // "" outside of all known projects
	Entries []int  `json:"entries"`           // indexes into Clients.Entries, without disabled entries
	Tools   int    `json:"tools"`             // of scanned servers
	Reads   []int  `json:"reads,omitempty"`   // indexes into Clients.Files of other files that it reads or runs
}
