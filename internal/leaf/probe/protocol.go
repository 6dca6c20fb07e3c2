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
	Scheme    string `json:"scheme,omitempty"`
	Loopback  bool   `json:"loopback,omitempty"` // the server listens on this machine's loopback address
	Token     bool   `json:"token,omitempty"`    // the probes carried a token
	// Exchanges are the probes that were sent, Unsent those that were not, with the reason.
	Exchanges []Exchange        `json:"exchanges"`
	Unsent    map[string]string `json:"unsent"`
	// Sessions are the ids of the sessions that were begun for probes, in their order.
	Sessions []string `json:"sessions,omitempty"`
	// Authorization is what discovery saw; nil over stdio and where the server asks for no token.
	Authorization *Authorization `json:"authorization,omitempty"`
	// Noise is how many lines on stdout were no message.
	Noise int `json:"noise,omitempty"`
}

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
	Body     string            `json:"body,omitempty"` // the beginning, 8 KiB at most
	Problem  string            `json:"problem,omitempty"`
	Alive    bool              `json:"alive"` // the server answered an ordinary request afterwards
	Answered bool              `json:"answered"`
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
	return e != nil && (e.Status == 0 || e.Status/100 == 2) && strings.Contains(e.Body, `"result"`) && !strings.Contains(e.Body, `"error":{`)
}
