package checkdoc

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/checks.md")

// TestChecksDoc compares docs/checks.md with the checks.
func TestChecksDoc(t *testing.T) {
	const file = "../../../docs/checks.md"
	var want bytes.Buffer
	if err := WriteList(&want, Rules(), "markdown"); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, want.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s differs from the checks: run go test ./internal/run/checkdoc -run TestChecksDoc -update and read the diff", file)
	}
}
