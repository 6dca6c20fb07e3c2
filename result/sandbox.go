package result

// A Sandbox says which protections were active for a server and what it was observed doing. None of this is a finding by itself.
type Sandbox struct {
	Server string `json:"server"`
	// Missing is why the server ran without a sandbox, "" if it had one.
	Missing     string       `json:"missing,omitempty"`
	Protections []Protection `json:"protections"`
	Notes       []string     `json:"notes,omitempty"`
	Events      int          `json:"events"` // recorded in total
	// The lists hold at most 100 entries each.
	Contacts       []Contact `json:"contacts"`
	Programs       []string  `json:"programs,omitempty"`        // started programs
	CanariesOpened []string  `json:"canaries_opened,omitempty"` // files
	FilesChanged   []string  `json:"files_changed,omitempty"`   // created, changed or deleted
}

// A Contact is a host that the server contacted. How is "lookup", "request", "mail", "data", or "connection" if nothing was sent.
type Contact struct {
	Host    string `json:"host"`
	How     string `json:"how"`
	Times   int    `json:"times"`
	Allowed bool   `json:"allowed,omitempty"` // allowed by the user, and let through
}
