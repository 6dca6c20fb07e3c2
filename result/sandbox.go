package result

// A Sandbox says which protections held for a server that was to be started in a sandbox, and what
// it was seen to do. None of this is a finding by itself.
type Sandbox struct {
	Server string `json:"server"`
	// Missing is why the server ran without a sandbox, "" where it ran in one.
	Missing     string       `json:"missing,omitempty"`
	Protections []Protection `json:"protections"`
	Notes       []string     `json:"notes,omitempty"`
	Events      int          `json:"events"` // all that were recorded
	// The lists hold at most 100 each.
	Contacts       []Contact `json:"contacts"`
	Programs       []string  `json:"programs,omitempty"`        // that it started
	CanariesOpened []string  `json:"canaries_opened,omitempty"` // files
	FilesChanged   []string  `json:"files_changed,omitempty"`   // created, changed or deleted
}

// A Contact is a host that the server turned to. How is "lookup", "request", "mail", "data", or "connection" where nothing was said.
type Contact struct {
	Host    string `json:"host"`
	How     string `json:"how"`
	Times   int    `json:"times"`
	Allowed bool   `json:"allowed,omitempty"` // it went out to a host that the user allowed
}
