package launch

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/runtime/wire"
)

// ExplainMadeUp adds to a server's start error how to set real values for the variables that were given made-up ones, if it still
// complains about them. It returns nil for nil.
func ExplainMadeUp(err error, madeUp []string) error {
	if err == nil {
		return nil
	}
	names := slices.DeleteFunc(wire.NamedVariables(err.Error()), func(name string) bool { return !slices.Contains(madeUp, name) })
	if len(names) == 0 {
		return err
	}
	return fmt.Errorf("%w; its %s was made up: pass on a real one with --env %s", err, strings.Join(names, ", "), strings.Join(names, " --env "))
}
