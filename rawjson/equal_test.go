package rawjson

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func mustParse(t testing.TB, text string) Value {
	t.Helper()
	var tree Tree
	if err := tree.Parse(text, 0); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return tree.Root()
}

func TestEqual(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		want       bool
	}{
		{"an integer and the same with a fraction", `42`, `42.0`, true},
		{"an exponent", `1e3`, `1000`, true},
		{"minus zero", `-0`, `0.0e9`, true},
		{"digits that no float keeps apart", `9007199254740993`, `9007199254740992`, false},
		{"a number and its text", `42`, `"42"`, false},
		{"a string and its escapes", `"a\u0062"`, `"ab"`, true},
		{"null and null", `null`, `null`, true},
		{"null and false", `null`, `false`, false},
		{"true and false", `true`, `false`, false},
		{"members in another order", `{"a":1,"b":[2]}`, `{"b":[2.0],"a":1}`, true},
		{"a member more", `{"a":1,"b":2}`, `{"a":1}`, false},
		{"another name", `{"a":1}`, `{"b":1}`, false},
		{"a null member is no absent one", `{"a":null}`, `{}`, false},
		{"the last of repeated members counts", `{"a":1,"a":2}`, `{"a":2}`, true},
		{"not the first", `{"a":1,"a":2}`, `{"a":1}`, false},
		{"elements in another order", `[1,2]`, `[2,1]`, false},
		{"an element more", `[1,2]`, `[1]`, false},
		{"empty ones", `[]`, `[ ]`, true},
		{"an empty object and an empty array", `{}`, `[]`, false},
		{"many members", `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}`, `{"i":1,"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1.0}`, true},
		{"many members, one changed", `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}`, `{"i":2,"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := mustParse(t, tt.a), mustParse(t, tt.b)
			if got := Equal(a, b); got != tt.want {
				t.Errorf("Equal(%s, %s) = %v, want %v", tt.a, tt.b, got, tt.want)
			}
			if got := Equal(b, a); got != tt.want {
				t.Errorf("Equal(%s, %s) = %v, want %v", tt.b, tt.a, got, tt.want)
			}
		})
	}
}

// A name that repeats at every level must not double the work at every level.
func TestEqualOfRepeatedMembersIsLinear(t *testing.T) {
	nested := func(leaf string) string {
		s := leaf
		for range 300 {
			s = `{"a":0,"a":0,"a":` + s + `}`
		}
		return s
	}
	if Equal(mustParse(t, nested("1")), mustParse(t, nested("2"))) {
		t.Error("values with different leaves are equal")
	}
}

func TestEqualOfDeepValues(t *testing.T) {
	deep := func(leaf string) Value {
		return mustParse(t, strings.Repeat("[", 200_000)+leaf+strings.Repeat("]", 200_000))
	}
	if !Equal(deep("1"), deep("1")) {
		t.Error("a value does not equal its copy")
	}
	if Equal(deep("1"), deep("2")) {
		t.Error("values with different leaves are equal")
	}
}

func TestCompareNumbers(t *testing.T) {
	// In ascending order; those in one line are equal.
	order := [][]string{
		{"-1e999999999999999999999"},
		{"-1000.5", "-10005e-1"},
		{"-1000"},
		{"-0.001", "-1e-3"},
		{"0", "-0", "0.000", "0e5"},
		{"1e-99999999999999999999"},
		{"0.5", "5E-1"},
		{"1", "1.0", "0.01e2", "10e-1"},
		{"9", "9.00"},
		{"10"},
		{"123456789012345678901234567890"},
		{"123456789012345678901234567891"},
		{"1e40"},
	}
	for i, as := range order {
		for j, bs := range order {
			for _, a := range as {
				for _, b := range bs {
					got, ok := CompareNumbers(mustParse(t, a), mustParse(t, b))
					if want := sign(i - j); got != want || !ok {
						t.Errorf("CompareNumbers(%s, %s) = %d, %v, want %d", a, b, got, ok, want)
					}
				}
			}
		}
	}
	if _, ok := CompareNumbers(mustParse(t, `"1"`), mustParse(t, "1")); ok {
		t.Error("a string is compared as a number")
	}
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func TestCompact(t *testing.T) {
	for _, tt := range []struct{ in, compact, sorted string }{
		{` { "b" : 1.50 , "a" : [ true , null ] } `, `{"b":1.50,"a":[true,null]}`, `{"a":[true,null],"b":1.50}`},
		{`"\u0061\/\u00e9\n\u0001<"`, `"a/é\n\u0001<"`, `"a/é\n\u0001<"`},
		{`{"a":2,"a":1}`, `{"a":2,"a":1}`, `{"a":2,"a":1}`},
		{`{"Z":1,"a":1,"_":1}`, `{"Z":1,"a":1,"_":1}`, `{"Z":1,"_":1,"a":1}`},
		{"\"\xff\"", `"` + "\uFFFD" + `"`, `"` + "\uFFFD" + `"`},
		{`[]`, `[]`, `[]`},
		{`{}`, `{}`, `{}`},
	} {
		v := mustParse(t, tt.in)
		if got := v.Compact(); got != tt.compact {
			t.Errorf("Compact of %s = %s, want %s", tt.in, got, tt.compact)
		}
		if got := v.Sorted(); got != tt.sorted {
			t.Errorf("Sorted of %s = %s, want %s", tt.in, got, tt.sorted)
		}
	}
}

func TestAll(t *testing.T) {
	v := mustParse(t, `{"a":[1,{"b":2}],"c":"3"}`)
	var got []string
	for d := range v.All() {
		got = append(got, d.Raw())
	}
	want := []string{v.Raw(), `[1,{"b":2}]`, `1`, `{"b":2}`, `2`, `"3"`}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("All = %q, want %q", got, want)
	}
}

func TestIs(t *testing.T) {
	for _, tt := range []struct {
		json, text string
		want       bool
	}{
		{`"ab"`, "ab", true}, {`"a\u0062"`, "ab", true}, {`"ab"`, "a", false}, {`"a\u0062"`, "a", false},
		{"\"a\xff\"", "a\uFFFD", true}, {`12`, "", false}, {`null`, "ul", false}, {`""`, "", true},
	} {
		if got := mustParse(t, tt.json).Is(tt.text); got != tt.want {
			t.Errorf("%s.Is(%q) = %v, want %v", tt.json, tt.text, got, tt.want)
		}
	}
}

func TestAppendVisible(t *testing.T) {
	for s, want := range map[string]string{
		"plain \"é\\":         `"plain \"é\\"`,
		"\x1b[31m\x7f\u009b":  `"\u001b[31m\u007f\u009b"`,
		"a\u200b\u202e\ufeff": `"a\u200b\u202e\ufeff"`,
		"\U000E0041":          `"\udb40\udc41"`,
		"\n\t\r\b\f\x00":      `"\n\t\r\b\f\u0000"`,
		"\xff\u3000":          `"` + "\uFFFD\u3000" + `"`,
	} {
		if got := string(AppendVisible(nil, s)); got != want {
			t.Errorf("AppendVisible(%q) = %s, want %s", s, got, want)
		}
	}
}

func FuzzCompact(f *testing.F) {
	f.Add(`{"b":[1.0,"\u00e9\ud800"],"a":{"z":null,"a":-0.5e3}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var tree Tree
		if tree.Parse(text, 0) != nil || tree.Depth() > 100 {
			return
		}
		v := tree.Root()
		for _, out := range []string{v.Compact(), v.Sorted()} {
			again := mustParse(t, out)
			if !Equal(v, again) && !hasRepeats(v) {
				t.Errorf("%q does not equal %q", text, out)
			}
			if !json.Valid([]byte(out)) {
				t.Errorf("%q became %q, which is not JSON", text, out)
			}
		}
		if once := mustParse(t, v.Sorted()); once.Sorted() != v.Sorted() {
			t.Errorf("%q sorted twice is %q, once %q", text, once.Sorted(), v.Sorted())
		}
		s := string(AppendVisible(nil, text))
		if back := mustParse(t, s).Text(); back != strings.ToValidUTF8(text, "\uFFFD") && back != Unquote(string(AppendString(nil, text))) {
			t.Errorf("%q became %q and reads %q", text, s, back)
		}
	})
}

func hasRepeats(v Value) bool {
	for o := range v.All() {
		if o.Kind() == Object && len(lastMembers(o)) != o.Len() {
			return true
		}
	}
	return false
}
