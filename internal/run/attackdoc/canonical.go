package attackdoc

import (
	"fmt"

	"gauntlet/oatf"
)

// Canonical returns a document's canonical form, and the number of comments it loses. An error says why there is none.
func (t *Text) Canonical(limits oatf.Limits) (canonical string, comments int, err error) {
	d, err := t.Parse(limits)
	if err != nil {
		return "", 0, err
	}
	canonical = oatf.Serialize(d)
	// It is longer and more deeply nested than the original.
	if _, err := limits.Parse(canonical); err != nil {
		return "", 0, fmt.Errorf("%s: its canonical form is beyond the limits, so it could not be read again: %w", t.Name, err)
	}
	return canonical, d.Comments(), nil
}
