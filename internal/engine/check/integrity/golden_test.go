package integrity

import (
	"flag"
	"testing"

	"gauntlet/internal/testing/checktest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestGolden(t *testing.T) {
	if *update {
		checktest.Update(t, "testdata", Checks())
	}
	checktest.Run(t, "testdata", Checks())
}
