package oatf

// Parse reads a text into the model without judging what it means (SDK §3.1). Its error
// is an [Errors] with everything that is not YAML of this format, is of the wrong type,
// unknown or missing.
//
// Unless the text is no YAML that can be read, the document comes back beside the error as
// far as it could be read, so that [Validate] can judge it as well. It is nil otherwise.
func Parse(text string) (*Document, error) { return DefaultLimits().Parse(text) }

// Load parses, validates and normalizes (SDK §3.5). It returns the document and the
// warnings, or everything that is wrong as an [Errors]; both lists are in the order of
// the text.
func Load(text string) (*Document, []Diagnostic, error) { return DefaultLimits().Load(text) }

// Parse is [Parse] within other limits.
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

// Load is [Load] within other limits.
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
