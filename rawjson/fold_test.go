package rawjson

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestReadings(t *testing.T) {
	for _, tt := range []struct{ name, object, want string }{
		{"one", `{"tools":1,"tool":2}`, `tools=1`},
		{"repeated", `{"tools":1,"tools":2}`, `tools=1 tools=2`},
		{"another case", `{"tools":1,"Tools":2,"TOOLS":3}`, `tools=1 Tools=2 TOOLS=3`},
		{"escaped", `{"\u0054ools":1}`, `Tools=1`},
		{"the long s", `{"tool` + "\u017f" + `":1}`, "tool\u017f=1"},
		{"the Kelvin sign is no t", `{"` + "\u212a" + `ools":1}`, ``},
		{"none", `{"tool":1}`, ``},
		{"no object", `["tools"]`, ``},
		{"nothing", ``, ``},
	} {
		var got []string
		for _, r := range Readings(tt.object, "tools") {
			got = append(got, r.Name+"="+r.Raw)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: %s gives %q, want %q", tt.name, tt.object, s, tt.want)
		}
	}
}

func TestFirstAmbiguous(t *testing.T) {
	isMap := func(member string) bool { return member == "properties" }
	many := func(extra string) string {
		var ms []string
		for i := range 40 {
			ms = append(ms, fmt.Sprintf(`"member%d":%d`, i, i))
		}
		return "{" + strings.Join(append(ms, extra), ",") + "}"
	}
	for _, tt := range []struct{ name, text, want string }{
		{"repeated", `{"a":1,"a":2}`, "/a"},
		{"another case", `{"a":1,"A":2}`, "/A"},
		{"below", `{"x":[{"y":{"a":1,"A":2}}]}`, "/x/0/y/A"},
		{"names of the author's own", `{"properties":{"a":{},"A":{}}}`, ""},
		{"repeated names of the author's own", `{"properties":{"a":{},"a":{}}}`, "/properties/a"},
		{"below a name of the author's own", `{"properties":{"a":{"type":1,"Type":2}}}`, "/properties/a/Type"},
		{"among many, repeated", many(`"member3":1`), "/member3"},
		{"among many, the last ones", many(`"member39":1`), "/member39"},
		{"among many, another case", many(`"Member39":1`), "/Member39"},
		{"among many, none", many(`"member40":1`), ""},
		{"similar", `{"a":1,"a ":2,"aa":3}`, ""},
		{"too deep", strings.Repeat(`{"x":`, 12) + `{"a":1,"a":2}` + strings.Repeat("}", 12), ""},
	} {
		tree := new(Tree)
		if err := tree.Parse(tt.text, 0); err != nil {
			t.Fatal(err)
		}
		if got := FirstAmbiguous(tree.Root(), isMap, 10).Pointer(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// FuzzReadings compares with encoding/json, a reader that ignores case and takes the last of
// repeated members: what it decodes is always among the readings, and where it decodes
// nothing there is none. Two names fold to one exactly if they are each other's reading.
func FuzzReadings(f *testing.F) {
	for _, s := range []string{`{"tools":1,"Tools":2}`, `{"TOOLS":null}`, `{"tool\u017f":[1]}`, `{"tools":1,"tools":{"tools":2}}`, `{}`, `{"\ud800":1}`, `{"toolS ":1}`} {
		f.Add(s, "tools", "Tools")
	}
	f.Fuzz(func(t *testing.T, text, a, b string) {
		if SameFolded(a, b) != (FoldName(a) == FoldName(b)) {
			t.Errorf("%q and %q: same %t, folded %q and %q", a, b, SameFolded(a, b), FoldName(a), FoldName(b))
		}
		var theirs struct {
			Tools json.RawMessage `json:"tools"`
		}
		if json.Unmarshal([]byte(text), &theirs) != nil {
			return
		}
		text = strings.TrimSpace(text)
		if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
			return
		}
		readings := Readings(text, "tools")
		if theirs.Tools == nil != (len(readings) == 0) {
			t.Fatalf("%s: encoding/json reads %q, we have %v", text, theirs.Tools, readings)
		}
		if theirs.Tools == nil {
			return
		}
		if !slices.ContainsFunc(readings, func(r Reading) bool { return sameJSON(r.Raw, string(theirs.Tools)) }) {
			t.Errorf("%s: encoding/json reads %s, which is none of %v", text, theirs.Tools, readings)
		}
		tree := new(Tree)
		if tree.Parse(text, 0) == nil {
			found := FirstAmbiguous(tree.Root(), func(string) bool { return false }, 0).Exists()
			if len(readings) > 1 && !found {
				t.Errorf("%s has %d readings and is said to be clear", text, len(readings))
			}
		}
	})
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}
