package oatf

// Limits bound what a text may cost before anything of it is believed. They hold while the
// text is read, so nothing is built from a text that breaks them.
type Limits struct {
	Bytes int // length of the text
	Depth int // mappings and lists around a value
	Width int // entries of one mapping or list
}

// DefaultLimits are those of [Parse] and [Load]. The longest document of the public
// scenario library has 12 KB.
func DefaultLimits() Limits { return Limits{Bytes: 1 << 20, Depth: 100, Width: 10_000} }

// maxDiagnostics is how many errors of one document are kept, and how many warnings, and
// maxPaths how many bytes their paths may have together. A text made to produce them costs
// no more memory than that; one error is always kept.
const (
	maxDiagnostics = 1000
	maxPaths       = 4 << 20
)
