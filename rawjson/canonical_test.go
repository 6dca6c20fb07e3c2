package rawjson

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func value(t testing.TB, text string) Value {
	t.Helper()
	tree := new(Tree)
	if err := tree.Parse(text, 0); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return tree.Root()
}

func TestCanonical(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"members are sorted, white space goes", "{ \"b\" : [1, 2],\n\"a\":{} }", `{"a":{},"b":[1,2]}`},
		{"escapes are decoded", `"\u0061\/\u00e9\n\u0001\""`, "\"a/é\\n\\u0001\\\"\""},
		{"an escaped name sorts as what it is", `{"b":1,"\u0061":2}`, `{"a":2,"b":1}`},
		{"integers in one spelling", `[1,1.0,10e-1,0.1e1,1E0,100e-2]`, `[1,1,1,1,1,1]`},
		{"zero", `[0,-0,0.0,0e9,-0.00]`, `[0,0,0,0,0]`},
		{"all digits stay", `[9007199254740993,9007199254740992]`, `[9007199254740993,9007199254740992]`},
		{"fractions", `[1.5,1.50,15e-1,-0.5]`, `[1.5,1.5,1.5,-0.5]`},
		{"large exponents are not written out", `[1e400,10e399,1e20,1e21]`, `[1e400,1e400,100000000000000000000,1e+21]`},
		{"an exponent beyond counting stays", `1e99999999999999999999`, `1e99999999999999999999`},
		{"repeated members stay in their order", `{"b":1,"a":2,"b":0}`, `{"a":2,"b":1,"b":0}`},
		{"literals", `[true,false,null]`, `[true,false,null]`},
		{"lone surrogates stay as written", `["\ud800","\ud801"]`, `["\ud800","\ud801"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := value(t, tt.in).Canonical()
			if got != tt.want {
				t.Errorf("Canonical(%s) = %s, want %s", tt.in, got, tt.want)
			}
			if again := value(t, got).Canonical(); again != got {
				t.Errorf("Canonical(%s) = %s: not a fixed point", got, again)
			}
		})
	}
	if got := (Value{}).Canonical(); got != "" {
		t.Errorf("Canonical of nothing = %q", got)
	}
	deep := strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000)
	if got := value(t, deep).Canonical(); got != deep {
		t.Error("a deep value does not stay")
	}
}

// TestCanonicalIsRFC8785 holds examples of the RFC: the sorting of section 3.2.3, the object
// of section 3.2.2 (with a number that a double has) and numbers of appendix B.
func TestCanonicalIsRFC8785(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"3.2.2", `{"numbers":[333333333.3333333,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`},
		{"3.2.3", `{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}"},
		{"a name is before one that it begins", `{"ab":1,"a":2,"":3}`, `{"":3,"a":2,"ab":1}`},
		{"zero and minus zero", `[0,-0]`, `[0,0]`},
		{"least and greatest", `[5e-324,-5e-324,1.7976931348623157e308,-1.7976931348623157e308]`, `[5e-324,-5e-324,1.7976931348623157e+308,-1.7976931348623157e+308]`},
		{"greatest safe integers", `[9007199254740992,-9007199254740992,295147905179352830000]`, `[9007199254740992,-9007199254740992,295147905179352830000]`},
		{"large", `[9.999999999999997e22,1e23,1.0000000000000001e23,999999999999999700000,999999999999999900000,1e+21]`, `[9.999999999999997e+22,1e+23,1.0000000000000001e+23,999999999999999700000,999999999999999900000,1e+21]`},
		{"small", `[9.999999999999997e-7,0.000001,333333333.3333332,333333333.33333325,-0.0000033333333333333333]`, `[9.999999999999997e-7,0.000001,333333333.3333332,333333333.33333325,-0.0000033333333333333333]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := value(t, tt.in).Canonical(); got != tt.want {
				t.Errorf("Canonical(%s)\n got %s\nwant %s", tt.in, got, tt.want)
			}
		})
	}
}

func TestDifferences(t *testing.T) {
	for _, tt := range []struct {
		name, old, new string
		want           []string // pointer old → new
	}{
		{"the same, written otherwise", `{"a":1,"b":[1.0]}`, `{ "b":[1], "a":1.0 }`, nil},
		{"added, changed and removed", `{"a":1,"b":{"c":2},"d":3}`, `{"x":0,"b":{"c":"2"},"a":1}`, []string{"/x  → 0", `/b/c 2 → "2"`, "/d 3 → "}},
		{"an element", `[1,2]`, `[1,3,4]`, []string{"/1 2 → 3", "/2  → 4"}},
		{"another kind", `{"a":[]}`, `{"a":{}}`, []string{"/a [] → {}"}},
		{"a member that repeats", `{"a":1}`, `{"a":2,"a":1}`, []string{"/a 1 → 2", "/a  → 1"}},
		{"a name that needs escapes", `{}`, `{"a/~":1}`, []string{"/a~1~0  → 1"}},
		{"the value itself", `1`, `2`, []string{" 1 → 2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, d := range Differences(value(t, tt.old), value(t, tt.new), 10) {
				got = append(got, d.Pointer+" "+d.Old.Raw()+" → "+d.New.Raw())
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Differences(%s, %s) = %q, want %q", tt.old, tt.new, got, tt.want)
			}
		})
	}
	if got := Differences(value(t, `[1,2,3]`), value(t, `[4,5,6]`), 2); len(got) != 2 {
		t.Errorf("%d differences, want the limit of 2", len(got))
	}
}

// FuzzCanonical compares with encoding/json: what that reads as different values must
// differ here, and a value that it writes out anew, sorted and indented, must not.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"b":[1,2.50,"\u0061"],"a":null}`, `{"a":1,"a":2}`, `"\ud800"`, `[1e3,1000]`} {
		f.Add(s, s)
	}
	f.Add(`{"a":1}`, `{"a":2}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		var trees [2]Tree
		var decoded [2]any
		for i, s := range []string{a, b} {
			d := json.NewDecoder(strings.NewReader(s))
			d.UseNumber()
			if trees[i].Parse(s, 0) != nil || d.Decode(&decoded[i]) != nil {
				t.Skip()
			}
		}
		ca, cb := trees[0].Root().Canonical(), trees[1].Root().Canonical()
		if again := value(t, ca).Canonical(); again != ca {
			t.Errorf("%s is no fixed point: %s", ca, again)
		}
		if (len(Differences(trees[0].Root(), trees[1].Root(), 5)) == 0) != (ca == cb) {
			t.Errorf("Differences and Canonical disagree on %s and %s", a, b)
		}
		if ca == cb {
			// Numbers may be spelt differently; all else must decode alike.
			if x, y := spelling(decoded[0]), spelling(decoded[1]); !reflect.DeepEqual(x, y) {
				t.Errorf("%s and %s have the canonical form %s", a, b, ca)
			}
		}
		if repeats(trees[0].Root()) || strings.Contains(ca, `\ud`) || !trees[0].wellFormed() {
			return // encoding/json drops what repeats and replaces what is ill-formed
		}
		var whole any
		d := json.NewDecoder(strings.NewReader(a))
		d.UseNumber()
		if d.Decode(&whole) != nil {
			return
		}
		anew, err := json.MarshalIndent(whole, " ", "\t")
		if err != nil {
			return
		}
		if got := value(t, string(anew)).Canonical(); got != ca {
			t.Errorf("%s is %s and, written anew, %s", a, ca, got)
		}
	})
}

// spelling replaces numbers, which Canonical compares by value.
func spelling(v any) any {
	switch v := v.(type) {
	case json.Number:
		return "number"
	case []any:
		for i := range v {
			v[i] = spelling(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = spelling(v[k])
		}
	}
	return v
}

func repeats(v Value) bool {
	seen := map[string]bool{}
	for m := range v.Members() {
		if seen[m.Key.Text()] || repeats(m.Value) {
			return true
		}
		seen[m.Key.Text()] = true
	}
	for _, e := range v.Elements() {
		if repeats(e) {
			return true
		}
	}
	return false
}

func (t *Tree) wellFormed() bool {
	for s := range t.Root().Strings() {
		if !s.Value.WellFormed() {
			return false
		}
	}
	return true
}
