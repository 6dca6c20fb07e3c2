package attackdoc

import (
	"fmt"

	"gauntlet/oatf"
)

// Canonical returns the canonical form of a document that could be read, and how many comments
// that form loses. An error says why the document has none.
func (t *Text) Canonical(limits oatf.Limits) (canonical string, comments int, err error) {
	d, err := t.Parse(limits)
	if err != nil {
		return "", 0, err
	}
	canonical = oatf.Serialize(d)
	// It is longer and more deeply nested than what it was made of.
	if _, err := limits.Parse(canonical); err != nil {
		return "", 0, fmt.Errorf("%s: its canonical form is beyond the limits, so it could not be read again: %w", t.Name, err)
	}
	return canonical, d.Comments(), nil
}
