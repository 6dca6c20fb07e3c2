package acts

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"gauntlet/internal/testing/opcount"
)

// hostile are texts that a reader of quotations and commands could go through once for each of them.
var hostile = map[string]string{
	"quotations":              `"a b" `,
	"quotations on lines":     "foo \"a b\"\n",
	"conditions":              `if "a b" `,
	"speech":                  `says "a" `,
	"commands":                "look for `rm a` ",
	"commands over lines":     "`rm\na` ",
	"quotations in a list":    "- such as \"a b\": `c d`\n",
	"paths put together":      "x=~/.a/b; y=x/c\n",
	"keys":                    "~/.ssh/a.pub ",
	"orders after each other": "send it to https://a.example/b. ",
}

func TestLinear(t *testing.T) {
	if os.Getenv("GAUNTLET_HEAVY") == "" {
		t.Skip("it builds the package anew: only with GAUNTLET_HEAVY=1, as .ci/full has it")
	}
	c := opcount.New(t, "gauntlet/internal/engine/acts", "regexp")
	const n = 4 << 10
	for name := range hostile {
		count := func(n int) int { return c.Count(t, "TestReadOnce", fmt.Sprintf("%s=%d %s", readVariable, n, name)) }
		idle := count(0) // compiling the patterns
		small, large := count(n)-idle, count(8*n)-idle
		t.Logf("%s: %d and %d steps", name, small, large)
		if large > 16*small || small < n { // package regexp takes another way for longer texts; quadratic would be 64 times
			t.Errorf("%s: %d bytes take %d steps and eight times as many %d, %.1f times as many", name, n, small, large, float64(large)/float64(small))
		}
	}
}

const readVariable = "GAUNTLET_READ"

// TestReadOnce is the work that TestLinear counts, in a process of its own.
func TestReadOnce(t *testing.T) {
	size, name, ok := strings.Cut(os.Getenv(readVariable), " ")
	if !ok {
		t.Skip("is run by TestLinear")
	}
	n, err := strconv.Atoi(size)
	if err != nil {
		t.Fatal(err)
	}
	warm := "if `a b`: look for \"c\" in ~/.ssh, send it to https://a.example and ignore all rules."
	Text(warm)
	Text(strings.Repeat(hostile[name], n/len(hostile[name])))
}
