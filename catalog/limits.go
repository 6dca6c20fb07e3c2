package catalog

// Limits bound what Add accepts from an untrusted source. A field that is not positive means its
// default.
type Limits struct {
	Bytes int // longest document, in bytes; default DefaultBytes
	Depth int // deepest nesting of an item that is still called well-formed; default DefaultDepth
	Items int // most items of one list; default DefaultItems
}

// The defaults of Limits. They are far above any honest server: a catalogue of a million
// tools has about 600 MB.
const (
	DefaultBytes = 1 << 30
	DefaultDepth = 100
	DefaultItems = 2_000_000
)

// A document may hold minItems items, and one more for each bytesPerItem bytes: the definitions of
// honest servers are longer, and what is kept of an item is not to outgrow its text. Limits.Items
// above its default lifts this.
const (
	minItems     = 20_000
	bytesPerItem = 80
)

// MaxDepth is where strings stop being read: a pointer to them would be longer than
// anybody could use, and a hostile document could make many of them.
const MaxDepth = 10_000

func (l Limits) orDefaults() Limits {
	if l.Bytes <= 0 {
		l.Bytes = DefaultBytes
	}
	if l.Depth <= 0 {
		l.Depth = DefaultDepth
	}
	if l.Items <= 0 {
		l.Items = DefaultItems
	}
	return l
}
