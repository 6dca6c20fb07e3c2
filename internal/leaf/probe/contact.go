package probe

// A Contact is what an ordinary session with a server behind a URL revealed; nothing was sent to learn it.
type Contact struct {
	Place  string // the server's name in messages
	Scheme string
	// Token says that our requests carried a credential, Answered that the server sent a message.
	Token, Answered bool
	// Refused is the status of the server's refusal, 0 for none, and Challenge what it demands.
	Refused   int
	Challenge string
	// Session is the length of the server's session id in bytes; 0 for none.
	Session int
	// ReadBy is Access-Control-Allow-Origin, Revision the server's own MCP-Protocol-Version.
	ReadBy, Revision string
	// Transport is Strict-Transport-Security; Software names the server's software.
	Transport string
	Software  []string
	// Asked is how often the lists were read again, Differed how often they differed.
	Asked, Differed int
}

// NoteAsking counts another reading of the lists, unless it failed.
func (c *Contact) NoteAsking(err error, differs bool) {
	if c == nil || err != nil {
		return
	}
	c.Asked++
	if differs {
		c.Differed++
	}
}
