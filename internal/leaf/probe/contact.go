package probe

// A Contact is what came along with an ordinary conversation with one server behind a URL: nothing
// was sent to learn it.
type Contact struct {
	Place  string // how messages call the server
	Scheme string
	// Token says that our requests carried a credential, Answered that a message of the server came.
	Token, Answered bool
	// Refused is the status with which the server refused us, 0 for none, and Challenge what it wants.
	Refused   int
	Challenge string
	// Session is the length of the session id that the server gave, in bytes; 0 for none.
	Session int
	// ReadBy is Access-Control-Allow-Origin, Revision the server's own MCP-Protocol-Version.
	ReadBy, Revision string
	// Transport is Strict-Transport-Security; Software names what the server is made of.
	Transport string
	Software  []string
	// Asked is how often the lists were read again, Differed how often they were not the same.
	Asked, Differed int
}

// NoteAsking counts one more reading of the lists, unless it failed.
func (c *Contact) NoteAsking(err error, differs bool) {
	if c == nil || err != nil {
		return
	}
	c.Asked++
	if differs {
		c.Differed++
	}
}
