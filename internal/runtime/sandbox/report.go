package sandbox

// A Protection is one layer of the sandbox.
type Protection struct {
	Name   string `json:"name"`
	Held   bool   `json:"held"`
	Detail string `json:"detail,omitempty"` // how it was done, or why it could not be
}

// A Report says which protections held. None at all means that there was no sandbox.
type Report struct {
	Protections []Protection `json:"protections"`
	// Notes are what there is to know about the sandbox, each a sentence's worth.
	Notes []string `json:"notes,omitempty"`
	// Missing is why there was no sandbox at all, "" where there was one.
	Missing string `json:"missing,omitempty"`
}
