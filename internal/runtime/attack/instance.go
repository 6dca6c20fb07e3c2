package attack

import (
	"fmt"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/schema"
)

// mostReason is the longest reason why a value does not match a schema, in bytes: it quotes the value.
const mostReason = 300

// checkInstance returns a reason why a JSON text does not match a schema, or nil.
func checkInstance(text, form string) error {
	s, err := schema.Parse(form)
	if err != nil {
		return fmt.Errorf("its schema cannot be used: %s", excerpt.Clip(err.Error(), mostReason))
	}
	if err := s.Check(text); err != nil {
		return fmt.Errorf("%s", excerpt.Clip(err.Error(), mostReason))
	}
	return nil
}
