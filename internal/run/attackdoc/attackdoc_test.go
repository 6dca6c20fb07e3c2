package attackdoc

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/attacks.md")

// TestAttacksDoc compares docs/attacks.md with the attacks that are built in.
func TestAttacksDoc(t *testing.T) {
	const file = "../../../docs/attacks.md"
	all, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := WriteList(&want, all, "markdown"); err != nil {
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
		t.Errorf("%s differs from the attacks: run go test ./internal/run/attackdoc -run TestAttacksDoc -update and read the diff", file)
	}
}
