package oatf

// Limits bound the cost of an untrusted text. They are enforced while reading, so nothing is built from a text that exceeds them.
type Limits struct {
	Bytes int // length of the text
	Depth int // nesting of mappings and lists
	Width int // entries per mapping or list
}

// DefaultLimits are the limits of [Parse] and [Load]. The longest document of the public scenario library has 12 KB.
func DefaultLimits() Limits { return Limits{Bytes: 1 << 20, Depth: 100, Width: 10_000} }

// maxDiagnostics limits the errors kept per document, and likewise the warnings; maxPaths limits the total bytes of
// their paths. They bound the memory that a malicious text can use; one error is always kept.
const (
	maxDiagnostics = 1000
	maxPaths       = 4 << 20
)
