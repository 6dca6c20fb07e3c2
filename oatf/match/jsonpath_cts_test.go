package match

import (
	"os"
	"strings"
	"testing"

	"gauntlet/rawjson"
)

// The public compliance suite of RFC 9535 (jsonpath-standard/jsonpath-compliance-test-suite)
// is data of somebody else's and is read where it is: GAUNTLET_JSONPATH is its cts.json.
func TestJSONPathComplianceSuite(t *testing.T) {
	file := os.Getenv("GAUNTLET_JSONPATH")
	if file == "" {
		t.Skip("GAUNTLET_JSONPATH is not set")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var tree rawjson.Tree
	if err := tree.Parse(string(text), 0); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range tree.Root().Get("tests").Elements() {
		n++
		t.Run(c.Get("name").Text(), func(t *testing.T) { compliance(t, c) })
	}
	if n < 700 {
		t.Errorf("%d cases, want the whole suite", n)
	}
	t.Logf("%d cases", n)
}

func compliance(t *testing.T, c rawjson.Value) {
	selector := c.Get("selector").Text()
	q, err := ParseJSONPath(selector)
	if invalid, _ := c.Get("invalid_selector").Bool(); invalid {
		if err == nil {
			t.Errorf("%s was taken for a query", selector)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", selector, err)
	}
	var got, pointers []string
	if err := q.Each(c.Get("document"), func(v rawjson.Value) bool {
		got = append(got, v.Raw())
		pointers = append(pointers, v.Pointer())
		return true
	}); err != nil {
		t.Fatal(err)
	}
	result := mustParse(t, "["+strings.Join(got, ",")+"]")
	for _, want := range append(elements(c.Get("results")), c.Get("result")) {
		if rawjson.Equal(result, want) {
			return
		}
	}
	t.Errorf("%s on %s gave %s at %q, want %s%s", selector, c.Get("document").Raw(), result.Raw(), pointers, c.Get("result").Raw(), c.Get("results").Raw())
}

func elements(v rawjson.Value) []rawjson.Value {
	var out []rawjson.Value
	for _, e := range v.Elements() {
		out = append(out, e)
	}
	return out
}

func mustParse(t testing.TB, text string) rawjson.Value {
	t.Helper()
	var tree rawjson.Tree
	if err := tree.Parse(text, 0); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return tree.Root()
}
