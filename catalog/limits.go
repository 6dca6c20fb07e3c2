package catalog

// Limits bound what Add accepts from an untrusted source. Fields that are not positive mean the default.
type Limits struct {
	Bytes int // bytes per document; default DefaultBytes
	Depth int // nesting of an item that is well-formed; default DefaultDepth
	Items int // items per list; default DefaultItems
}

// The defaults of Limits, far above any honest server. What is read of a document takes a few times its bytes in memory.
const (
	DefaultBytes = 16 << 20
	DefaultDepth = 100
	DefaultItems = 2_000_000
	// OwnBytes bounds the files that this program wrote, which may say much of many servers.
	OwnBytes = 1 << 30
)

// A document may hold minItems items plus one per bytesPerItem bytes, which is less than honest definitions need, so
// that the memory for an item stays below its text. Limits.Items above its default lifts this limit.
const (
	minItems     = 20_000
	bytesPerItem = 80
)

// maxValues is the most values in one item, whose index takes 20 bytes for each in every check that reads it.
const maxValues = 1_000_000

// MaxDepth is the depth below which strings are not read: their pointers would be uselessly long, and a hostile document could make many.
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
