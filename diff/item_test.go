package diff

import (
	"testing"

	"gauntlet/rawjson"
)

// Only texts are compared by words; what is not well-formed is shown as it was written.
func TestShowsAsText(t *testing.T) {
	var tree rawjson.Tree
	if err := tree.Parse(`{"text":"a","broken":"\ud800","number":1,"list":["a"],"null":null}`, 0); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"text": true, "broken": false, "number": false, "list": false, "null": false, "absent": true} {
		if got := showsAsText(tree.Root().Get(name)); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
