package oatf

// Parse reads a text into the model without judging its meaning (SDK §3.1). The error is an [Errors] that lists invalid
// YAML, wrong types, and unknown or missing fields.
//
// Unless the text is unreadable as YAML, the document is returned with the error as far as it could be read, so that
// [Validate] can judge it as well. Otherwise it is nil.
func Parse(text string) (*Document, error) { return DefaultLimits().Parse(text) }

// Load parses, validates and normalizes (SDK §3.5). It returns the document and warnings, or all errors as an [Errors];
// both lists are in text order.
func Load(text string) (*Document, []Diagnostic, error) { return DefaultLimits().Load(text) }

// Parse is [Parse] with other limits.
func (l Limits) Parse(text string) (*Document, error) {
	src, failed := readSource(text, l)
	if failed != nil {
		return nil, Errors{*failed}
	}
	r := report{src: src}
	objectForm(documentShape).check(&r, src.rootValue())
	d := decodeDocument(src)
	var refused Errors
	for _, e := range r.sortedDiagnostics() {
		if e.Kind != "" {
			refused = append(refused, e)
		}
	}
	if refused != nil {
		return d, refused
	}
	return d, nil
}

// Load is [Load] with other limits.
func (l Limits) Load(text string) (*Document, []Diagnostic, error) {
	d, err := l.Parse(text)
	if d == nil {
		return nil, nil, err
	}
	r := Validate(d)
	if r.Errors != nil {
		return nil, r.Warnings, r.Errors
	}
	return Normalize(d), r.Warnings, nil
}

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
