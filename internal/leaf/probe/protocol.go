package probe

// Effect is what a protocol probe may do to a server.
type Effect string

// The effects, most harmless first.
const (
	NoEffect Effect = "none"
	Reads    Effect = "reads"
	Writes   Effect = "writes" // begins and ends sessions
	Load     Effect = "load"
)

// Protocol is evidence of a server's answers to messages that break the protocol or come from where they should not, which can be
// judged again.
type Protocol struct {
	Transport string `json:"transport"` // "http" or "stdio"
	// Place is the server's name in messages: the URL without secrets, or its command.
	Place string `json:"place,omitempty"`
	// Revision is the negotiated revision, or "".
	Revision string `json:"revision,omitempty"`
	Scheme   string `json:"scheme,omitempty"`
	Loopback bool   `json:"loopback,omitempty"` // the server listens on the loopback address
	Token    bool   `json:"token,omitempty"`    // the probes carried a token
	// Exchanges are the probes sent, Unsent those not sent, with the reason.
	Exchanges []Exchange        `json:"exchanges"`
	Unsent    map[string]string `json:"unsent"`
	// Sessions are the ids of the probes' sessions, in order.
	Sessions []string `json:"sessions,omitempty"`
	// Authorization is the result of discovery; nil over stdio and if the server requires no token.
	Authorization *Authorization `json:"authorization,omitempty"`
	// Noise counts stdout lines that were neither messages nor replies to illegal ones of ours; NoiseLine is the beginning of the
	// first, and NoiseAfter what was sent before it.
	Noise      int    `json:"noise,omitempty"`
	NoiseLine  string `json:"noise_line,omitempty"`
	NoiseAfter string `json:"noise_after,omitempty"`
	// Stateless says that the server answered a request of revision 2026-07-28 with a result.
	Stateless bool `json:"stateless,omitempty"`
	// Command is the server's command line, nil for a URL.
	Command []string `json:"command,omitempty"`
	// Listening are the addresses on which this machine listens at a loopback URL's port; nil if not examined.
	Listening []string `json:"listening,omitempty"`
	// Asked are the server's requests and unsolicited notifications to a client without capabilities.
	Asked []Message `json:"asked,omitempty"`
	// Burst is the result of many concurrent requests; nil if not requested.
	Burst *Burst `json:"burst,omitempty"`
	// PassedOn is the request to a planted service that carried the probes' token; or "".
	PassedOn string `json:"passed_on,omitempty"`
	// Planted says that a planted service could have seen the token.
	Planted bool `json:"planted,omitempty"`
}

// A Message is a message that the server sent unsolicited.
type Message struct {
	During string `json:"during"` // tool or method during which it was sent
	Era    Era    `json:"era"`
	Raw    string `json:"raw"` // beginning, at most 4 KiB
}

// A Burst is many requests in a short time.
type Burst struct {
	Sent     int     `json:"sent"`
	Answered int     `json:"answered"`
	Limited  int     `json:"limited"` // answers that mention a limit: HTTP 429, or 503 with Retry-After
	Seconds  float64 `json:"seconds"` // from first request to last answer
}

// An Era says how a session begins.
type Era string

// The eras: up to 2025-11-25 with initialize, from 2026-07-28 without.
const (
	Handshake Era = "handshake"
	Stateless Era = "stateless"
)

// An Exchange is one probe and its answer.
type Exchange struct {
	ID     string `json:"id"` // "P01" to "P37" of the project's clause list
	Step   string `json:"step,omitempty"`
	Effect Effect `json:"effect"`
	Sent   string `json:"sent"` // message, or method and path
	// Header holds the additional headers sent.
	Header map[string]string `json:"header,omitempty"`
	// Status is the HTTP status, 0 over stdio or without a response.
	Status   int               `json:"status,omitempty"`
	Answer   map[string]string `json:"answer_header,omitempty"`
	Body     string            `json:"body,omitempty"` // beginning, at most 64 KiB; the response in an event stream
	Problem  string            `json:"problem,omitempty"`
	Alive    bool              `json:"alive"` // the server answered an ordinary request afterwards
	Answered bool              `json:"answered"`
	// Gone says that the server had ended afterwards: its connection was closed or refused. A silent server is neither Alive nor
	// Gone.
	Gone bool `json:"gone,omitempty"`
	// Again says that a restarted server ended at the same message.
	Again bool   `json:"again,omitempty"`
	Era   Era    `json:"era,omitempty"`  // of its session
	Verb  string `json:"verb,omitempty"` // HTTP method, "" for POST
	// Expect is what the answer is compared with: a tool's output schema, or the value sent.
	Expect string `json:"expect,omitempty"`
	// Result says that the complete answer was a JSON-RPC result; Body may be its beginning only.
	Result bool `json:"result,omitempty"`
	// Before are the messages preceding the one in Body, at most 16.
	Before []string `json:"before,omitempty"`
}

// Find returns the exchange of a probe's step, nil if not sent.
func (p *Protocol) Find(id, step string) *Exchange {
	for i := range p.Exchanges {
		if e := &p.Exchanges[i]; e.ID == id && e.Step == step {
			return e
		}
	}
	return nil
}

// Authorization is evidence of what a server that requires a token and its authorization server said, which can be judged again. It
// contains no token.
type Authorization struct {
	Server string `json:"server"` // the requested URL
	// Near is the scope of the server's address: "public", "private" or "loopback".
	Near string `json:"near"`
	// Refused says that a request without a token got HTTP 401; Challenge is that response's.
	Refused   bool       `json:"refused"`
	Challenge string     `json:"challenge,omitempty"`
	Documents []Document `json:"documents"` // in order of request
	// Ended says why discovery stopped early, or is "".
	Ended string `json:"ended,omitempty"`
	// Registration is the result of registering a client with a stranger's redirect addresses; nil if not tried.
	Registration *Registration `json:"registration,omitempty"`
	// Audience is the aud claim of the probes' token; nil if unreadable. Accepted says that the server accepted the token.
	Audience []string `json:"audience,omitempty"`
	Accepted bool     `json:"accepted,omitempty"`
	// InQuery says that the token was accepted in the URL alone, while a request without one is refused.
	InQuery bool `json:"in_query,omitempty"`
}

// A Document is one response during discovery.
type Document struct {
	Kind    MetadataKind `json:"kind"`
	URL     string       `json:"url"`
	Status  int          `json:"status,omitempty"` // 0 if there was none
	Body    string       `json:"body,omitempty"`   // of a successful response
	Problem string       `json:"problem,omitempty"`
	// Expect is the resource or issuer that the document must name.
	Expect string `json:"expect,omitempty"`
}

// A MetadataKind is the kind of a document.
type MetadataKind string

// The documents of discovery.
const (
	ResourceMetadata MetadataKind = "protected resource metadata"   // RFC 9728
	ServerMetadata   MetadataKind = "authorization server metadata" // RFC 8414, OpenID Connect Discovery
)

// A Registration is one attempt to register a client.
type Registration struct {
	Asked      []string `json:"asked"`  // redirect addresses
	Status     int      `json:"status"` // 0 if there was no response
	Registered []string `json:"registered,omitempty"`
	// Removed says that the client was deleted again.
	Removed bool `json:"removed,omitempty"`
}

// Found returns the found documents of a kind.
func (a *Authorization) Found(kind MetadataKind) (out []Document) {
	for _, d := range a.Documents {
		if d.Kind == kind && d.Status == 200 {
			out = append(out, d)
		}
	}
	return out
}

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
