package probe

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
