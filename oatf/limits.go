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

// maxDiagnostics is how many diagnostics of one document are kept. A text made to produce
// more is of no use to its reader in full.
const maxDiagnostics = 1000
