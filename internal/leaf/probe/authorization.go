package probe

// Authorization is what a server that wants a token and its authorization server said: evidence alone,
// that can be judged again. It holds no token.
type Authorization struct {
	Server string `json:"server"` // the URL that was asked
	// Near is how near the server's address is: "public", "private" or "loopback".
	Near string `json:"near"`
	// Refused says that a request without a token was refused with HTTP 401, and Challenge how.
	Refused   bool       `json:"refused"`
	Challenge string     `json:"challenge,omitempty"`
	Documents []Document `json:"documents"` // in the order in which they were asked for
	// Ended says why the discovery went no further, "" where it came to its end.
	Ended string `json:"ended,omitempty"`
	// Registration is what came of asking for a client with redirect addresses of anybody; nil where
	// that was not asked for.
	Registration *Registration `json:"registration,omitempty"`
	// Audience is whom the token of the probes is for, as it says itself; nil where it cannot be read.
	// Accepted says that the server took it.
	Audience []string `json:"audience,omitempty"`
	Accepted bool     `json:"accepted,omitempty"`
	// InQuery says that the token was taken in the address alone, where no token is refused.
	InQuery bool `json:"in_query,omitempty"`
}

// A Document is one answer that discovery asked for.
type Document struct {
	Kind    MetadataKind `json:"kind"`
	URL     string       `json:"url"`
	Status  int          `json:"status,omitempty"` // 0 where no answer came
	Body    string       `json:"body,omitempty"`   // of a success
	Problem string       `json:"problem,omitempty"`
	// Expect is the resource or the issuer that the document has to name.
	Expect string `json:"expect,omitempty"`
}

// A MetadataKind says what a document describes.
type MetadataKind string

// The documents of discovery.
const (
	ResourceMetadata MetadataKind = "protected resource metadata"   // RFC 9728
	ServerMetadata   MetadataKind = "authorization server metadata" // RFC 8414, OpenID Connect Discovery
)

// A Registration is one attempt to register a client.
type Registration struct {
	Asked      []string `json:"asked"`  // redirect addresses
	Status     int      `json:"status"` // 0 where no answer came
	Registered []string `json:"registered,omitempty"`
	// Removed says that the client was removed again.
	Removed bool `json:"removed,omitempty"`
}

// Found returns the bodies of the documents of a kind that were found.
func (a *Authorization) Found(kind MetadataKind) (out []Document) {
	for _, d := range a.Documents {
		if d.Kind == kind && d.Status == 200 {
			out = append(out, d)
		}
	}
	return out
}
