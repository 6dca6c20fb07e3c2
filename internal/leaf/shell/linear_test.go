package shell

import (
	"os"
	"strings"
	"testing"

	"gauntlet/internal/testing/opcount"
)

// A hook has milliseconds, and a client that waits too long lets the call pass: reading a script takes time in proportion to its
// length, however it is made. Steps are counted, and no clock is asked.
func TestLinear(t *testing.T) {
	if os.Getenv("GAUNTLET_HEAVY") == "" {
		t.Skip("it builds the package anew: only with GAUNTLET_HEAVY=1, as .ci/full has it")
	}
	c := opcount.New(t, "gauntlet/internal/leaf/shell")
	for _, unit := range []string{"$a", "${a", "a", "\\", "'", "\"$", "$(", "`", "<<a ", "a/", "cat x | ", "x=$x$x;", "{a,b}", "\n", "> a ", "sudo "} {
		small, large := c.Count(t, "TestReadOnce", readVariable+"=1 "+unit), c.Count(t, "TestReadOnce", readVariable+"=8 "+unit)
		t.Logf("%q: %d and %d steps", unit, small, large)
		if large > 9*small {
			t.Errorf("%q: eight times the length takes %d steps instead of %d", unit, large, small)
		}
	}
}

// readVariable has a process of the counter read a hostile script: a length and what it is made of.
const readVariable = "GAUNTLET_READ"

// TestReadOnce is the work that TestLinear counts, in a process of its own.
func TestReadOnce(t *testing.T) {
	length, unit, ok := strings.Cut(os.Getenv(readVariable), " ")
	if !ok {
		t.Skip("is run by TestLinear")
	}
	n := map[string]int{"1": 1000, "8": 8000}[length]
	script := strings.Repeat(unit, n)
	if strings.HasSuffix(unit, "a") && unit[0] == '$' {
		script = unit + strings.Repeat("a", 4*n) // one long name
	}
	Read(script, map[string]string{}, 0)
}
