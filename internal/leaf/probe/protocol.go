package probe

import "strings"

// Effect says what a protocol probe may do to a server.
type Effect string

// The effects, the harmless ones first.
const (
	NoEffect Effect = "none"
	Reads    Effect = "reads"
	Writes   Effect = "writes" // sessions begun and ended
	Load     Effect = "load"
)

// Protocol is what a server answered to messages that break its protocol, or come from where they
// should not: evidence alone, that can be judged again.
type Protocol struct {
	Transport string `json:"transport"` // "http" or "stdio"
	// Place is how messages call the server: the URL without what is secret in it, or its command.
	Place string `json:"place,omitempty"`
	// Revision is what initialize agreed on, "" where there was none.
	Revision string `json:"revision,omitempty"`
	Scheme   string `json:"scheme,omitempty"`
	Loopback bool   `json:"loopback,omitempty"` // the server listens on this machine's loopback address
	Token    bool   `json:"token,omitempty"`    // the probes carried a token
	// Exchanges are the probes that were sent, Unsent those that were not, with the reason.
	Exchanges []Exchange        `json:"exchanges"`
	Unsent    map[string]string `json:"unsent"`
	// Sessions are the ids of the sessions that were begun for probes, in their order.
	Sessions []string `json:"sessions,omitempty"`
	// Authorization is what discovery saw; nil over stdio and where the server asks for no token.
	Authorization *Authorization `json:"authorization,omitempty"`
	// Noise is how many lines on stdout were no message, and neither a reply to one that we should not have sent;
	// NoiseLine is the beginning of the first, and NoiseAfter what was sent before it.
	Noise      int    `json:"noise,omitempty"`
	NoiseLine  string `json:"noise_line,omitempty"`
	NoiseAfter string `json:"noise_after,omitempty"`
	// Stateless says that the server answered a request of revision 2026-07-28 with a result.
	Stateless bool `json:"stateless,omitempty"`
	// Command is the command line that started the server, nil behind a URL.
	Command []string `json:"command,omitempty"`
	// Listening are the addresses on which something of this machine listens at the port of a URL on
	// the loopback address; nil where that was not looked at.
	Listening []string `json:"listening,omitempty"`
	// Asked are the requests and unasked notifications of the server to a client that declared no
	// capabilities.
	Asked []Message `json:"asked,omitempty"`
	// Burst is what came of sending many requests at once; nil where that was not asked for.
	Burst *Burst `json:"burst,omitempty"`
	// PassedOn is the request to a planted service that carried the token of the probes; "" for none.
	PassedOn string `json:"passed_on,omitempty"`
	// Planted says that a planted service was there that could have seen the token.
	Planted bool `json:"planted,omitempty"`
}

// A Message is one that the server sent of its own accord.
type Message struct {
	During string `json:"during"` // what it was sent in answer to: the name of a tool, or a method
	Era    Era    `json:"era"`
	Raw    string `json:"raw"` // the beginning, 4 KiB at most
}

// A Burst is many requests in a short time.
type Burst struct {
	Sent     int     `json:"sent"`
	Answered int     `json:"answered"`
	Limited  int     `json:"limited"` // answers that speak of a limit: HTTP 429, or 503 with Retry-After
	Seconds  float64 `json:"seconds"` // from the first request to the last answer
}

// An Era says how a conversation begins.
type Era string

// The eras: up to revision 2025-11-25 with initialize, from 2026-07-28 on with nothing.
const (
	Handshake Era = "handshake"
	Stateless Era = "stateless"
)

// An Exchange is one probe: what was sent and what came back.
type Exchange struct {
	ID     string `json:"id"` // "P01" to "P37" of the project's list of clauses
	Step   string `json:"step,omitempty"`
	Effect Effect `json:"effect"`
	Sent   string `json:"sent"` // the message, or the method and path
	// Header holds the fields that were sent beside those of every request.
	Header map[string]string `json:"header,omitempty"`
	// Status is that of the HTTP answer, 0 over stdio or where none came.
	Status   int               `json:"status,omitempty"`
	Answer   map[string]string `json:"answer_header,omitempty"`
	Body     string            `json:"body,omitempty"` // the beginning, 64 KiB at most; of an event stream the response
	Problem  string            `json:"problem,omitempty"`
	Alive    bool              `json:"alive"` // the server answered an ordinary request afterwards
	Answered bool              `json:"answered"`
	// Gone says that the server had ended afterwards: its connection was closed or refused. A server that
	// is merely silent is neither Alive nor Gone.
	Gone bool `json:"gone,omitempty"`
	// Again says that a server that was started anew ended at the same message.
	Again bool   `json:"again,omitempty"`
	Era   Era    `json:"era,omitempty"`  // of the conversation that it was sent in
	Verb  string `json:"verb,omitempty"` // of HTTP, "" for POST
	// Expect is what the answer is compared with: the output schema of a tool, or the value that was sent.
	Expect string `json:"expect,omitempty"`
	// Result says that the whole answer was a JSON-RPC result, of which Body may be the beginning alone.
	Result bool `json:"result,omitempty"`
	// Before are the messages of the answer before the one in Body, 16 at most.
	Before []string `json:"before,omitempty"`
}

// Find returns the exchange of a probe and step, nil if it was not sent.
func (p *Protocol) Find(id, step string) *Exchange {
	for i := range p.Exchanges {
		if e := &p.Exchanges[i]; e.ID == id && e.Step == step {
			return e
		}
	}
	return nil
}

// HasResult reports whether the answer is a JSON-RPC result, in JSON or as an event.
func (e *Exchange) HasResult() bool {
	return e != nil && (e.Status == 0 || e.Status/100 == 2) && (e.Result || strings.Contains(e.Body, `"result"`) && !strings.Contains(e.Body, `"error":{`))
}
