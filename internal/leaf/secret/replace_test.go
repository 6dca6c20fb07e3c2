package secret

import (
	"fmt"
	"strings"
	"testing"
)

// Decoys that stay as they are hide no secret, wherever it stands among them.
func TestReplaceBesideKeptDecoys(t *testing.T) {
	key := func(i int) string { return "ghp_" + fmt.Sprintf("%02dx9Kq3LmZ7Rt2VbN8wYc4HsJ6PdF1gTaXe5U", i)[:36] }
	var decoys strings.Builder
	for i := range 25 {
		decoys.WriteString("token " + key(i) + "\n")
	}
	real := key(77)
	keep := func(found string) string {
		if found == real {
			return "[gone]"
		}
		return found
	}
	for _, text := range []string{decoys.String() + "token " + real + "\n", "token " + real + "\n" + decoys.String()} {
		if n := len(find(text, mostReplaced)); n != 26 {
			t.Fatalf("%d secrets are found, not 26", n)
		}
		got := Replace(text, keep)
		if strings.Contains(got, real) || strings.Count(got, "ghp_") != 25 {
			t.Errorf("%s", got)
		}
	}
}
