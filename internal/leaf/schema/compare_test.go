package schema

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gauntlet/rawjson"
)

func value(t testing.TB, text string) rawjson.Value {
	t.Helper()
	if text == "" {
		return rawjson.Value{}
	}
	tree := new(rawjson.Tree)
	if err := tree.Parse(text, 0); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return tree.Root()
}

// cases are old and new with their class; each is tried the way back, too.
var cases = []struct {
	name, old, new string
	want           Class
	changes        []string // pointer class, of the way there
}{
	{"the same, written otherwise", `{"type":"object","minLength":1.0}`, `{ "minLength":1, "type":["object"]}`, Same, []string{"/type same"}},
	{"the same in another order", `{"type":"object","minLength":1.0}`, `{ "minLength":1, "type":"object"}`, Same, []string{}},
	{"words", `{"description":"a","default":1}`, `{"description":"b","default":2}`, Same, []string{"/description same", "/default same"}},
	{"nothing and true", `{}`, `true`, Same, nil},
	{"absent and a type", ``, `{"type":"object"}`, Narrowed, nil},

	{"one more type", `{"type":"string"}`, `{"type":["string","null"]}`, Widened, []string{"/type widened"}},
	{"an integer became a number", `{"type":"integer"}`, `{"type":"number"}`, Widened, nil},
	{"another type", `{"type":"string"}`, `{"type":"integer"}`, Unrelated, nil},
	{"a type that is none", `{"type":"string"}`, `{"type":"strnig"}`, Unclear, nil},

	{"one more value", `{"enum":["a","b"]}`, `{"enum":["c","b","a"]}`, Widened, []string{"/enum widened"}},
	{"another value", `{"enum":["a"]}`, `{"enum":["b"]}`, Unrelated, nil},
	{"values in another order", `{"enum":["a","b"]}`, `{"enum":["b","a"]}`, Same, nil},
	{"a const became a list", `{"const":1}`, `{"enum":[1.0,2]}`, Unclear, nil},
	{"values are gone", `{"enum":["a"]}`, `{}`, Widened, nil},

	{"a lower minimum", `{"minimum":2}`, `{"minimum":1}`, Widened, []string{"/minimum widened"}},
	{"a bound that is open now", `{"minimum":2}`, `{"exclusiveMinimum":2}`, Unclear, nil},
	{"a bound that is open now, in draft 4", `{"minimum":2}`, `{"minimum":2,"exclusiveMinimum":true}`, Unclear, []string{"/exclusiveMinimum unclear"}},
	{"an open bound beside a stricter one", `{"minimum":5,"exclusiveMinimum":1}`, `{"minimum":5}`, Widened, nil},
	{"a new maximum", `{}`, `{"maximum":10}`, Narrowed, nil},
	{"a longer text", `{"maxLength":10}`, `{"maxLength":20}`, Widened, nil},
	{"no least length, and 0", `{}`, `{"minLength":0}`, Narrowed, nil},
	{"bounds that no double tells apart", `{"minimum":9007199254740993}`, `{"minimum":9007199254740992}`, Widened, nil},
	{"both bounds further out", `{"minimum":1,"maximum":2}`, `{"minimum":0,"maximum":3}`, Widened, nil},
	{"a window that moved", `{"minimum":1,"maximum":2}`, `{"minimum":2,"maximum":3}`, Unrelated, nil},
	{"a coarser step", `{"multipleOf":2}`, `{"multipleOf":4}`, Unclear, nil},
	{"another step", `{"multipleOf":2}`, `{"multipleOf":3}`, Unclear, nil},

	{"a pattern", `{}`, `{"pattern":"^a"}`, Narrowed, nil},
	{"another pattern", `{"pattern":"^b"}`, `{"pattern":"^a"}`, Unclear, nil},
	{"a format", `{"format":"date"}`, `{}`, Widened, nil},

	{"a new property", `{"properties":{"a":{}}}`, `{"properties":{"a":{},"b":{"type":"string"}}}`, Widened, []string{"/properties/b widened"}},
	{"a new required property", `{"properties":{}}`, `{"properties":{"b":{}},"required":["b"]}`, Narrowed, []string{"/properties/b narrowed"}},
	{"a new property where others were forbidden", `{"properties":{},"additionalProperties":false}`, `{"properties":{"b":{}},"additionalProperties":false}`, Widened, nil},
	{"a new required one where others were forbidden", `{"additionalProperties":false}`, `{"properties":{"b":{}},"required":["b"],"additionalProperties":false}`, Unrelated, nil},
	{"a new property where others were strings", `{"additionalProperties":{"type":"string"}}`, `{"properties":{"b":{"type":["string","null"]}},"additionalProperties":{"type":"string"}}`, Unclear, nil},
	{"a stricter one where others were strings", `{"additionalProperties":{"type":"string"}}`, `{"properties":{"b":{"enum":["x"]}},"additionalProperties":{"type":"string"}}`, Unclear, nil},
	{"a property is required now", `{"properties":{"a":{}}}`, `{"properties":{"a":{}},"required":["a"]}`, Narrowed, []string{"/required narrowed"}},
	{"required in another order", `{"required":["a","b"]}`, `{"required":["b","a"]}`, Same, nil},
	{"a property below", `{"properties":{"a/b":{"properties":{"c":{"type":"string"}}}}}`, `{"properties":{"a/b":{"properties":{"c":{}}}}}`, Widened, []string{"/properties/a~1b/properties/c/type widened"}},
	{"further properties are forbidden", `{"properties":{"a":{}}}`, `{"properties":{"a":{}},"additionalProperties":false}`, Narrowed, nil},
	{"further properties are allowed in words", `{"properties":{"a":{}}}`, `{"properties":{"a":{}},"additionalProperties":true}`, Same, nil},
	{"a property of another type and one more", `{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"enum":["x"],"type":"string"},"b":{}}}`, Unrelated, nil},
	{"names with a pattern", `{"patternProperties":{"^x":{}}}`, `{"patternProperties":{"^x":{"type":"string"}}}`, Unclear, nil},
	{"a new pattern of names where others are forbidden", `{"additionalProperties":false}`, `{"additionalProperties":false,"patternProperties":{"^x":{}}}`, Unclear, nil},

	{"elements", `{"items":{"type":"string"}}`, `{"items":{"type":["string","null"]}}`, Widened, []string{"/items/type widened"}},
	{"no more elements", `{"prefixItems":[{}]}`, `{"prefixItems":[{}],"items":false}`, Narrowed, nil},
	{"a list under items", `{"items":[{"type":"string"}],"additionalItems":false}`, `{"prefixItems":[{"type":"string"}],"items":false}`, Unclear, nil},
	{"unique elements", `{}`, `{"uniqueItems":true}`, Unclear, nil},
	{"an element there must be", `{"contains":{"type":"string"}}`, `{"contains":{"const":"a"}}`, Unclear, nil},
	{"how often", `{"contains":{},"maxContains":1}`, `{"contains":{},"maxContains":2}`, Unclear, nil},

	{"one more alternative", `{"anyOf":[{"type":"string"}]}`, `{"anyOf":[{"type":"null"},{"type":"string"}]}`, Widened, []string{"/anyOf widened"}},
	{"alternatives in another order", `{"anyOf":[{"type":"null"},{"type":"string"}]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, Same, []string{"/anyOf same"}},
	{"an alternative takes more", `{"anyOf":[{"type":"null"},{"maxLength":1}]}`, `{"anyOf":[{"type":"null"},{"maxLength":2}]}`, Widened, []string{"/anyOf/1/maxLength widened"}},
	{"oneOf whose branches exclude each other", `{"oneOf":[{"type":"string"}]}`, `{"oneOf":[{"type":"string"},{"type":"null"}]}`, Unclear, nil},
	{"oneOf whose branches may overlap", `{"oneOf":[{"minLength":1}]}`, `{"oneOf":[{"minLength":1},{"maxLength":3}]}`, Unclear, nil},
	{"one more condition", `{"allOf":[{"minLength":1}]}`, `{"allOf":[{"minLength":1},{"maxLength":3}]}`, Narrowed, nil},
	{"not, which takes less", `{"not":{"maxLength":2}}`, `{"not":{"maxLength":3}}`, Unclear, []string{"/not unclear"}},
	{"a condition", `{"if":{"minLength":1},"then":{"maxLength":3}}`, `{"if":{"minLength":2},"then":{"maxLength":3}}`, Unclear, nil},
	{"words in a condition", `{"if":{"minLength":1,"title":"a"}}`, `{"if":{"minLength":1,"title":"b"}}`, Unclear, nil},

	{"a definition behind a reference", `{"properties":{"a":{"$ref":"#/$defs/x"},"b":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`,
		`{"properties":{"a":{"$ref":"#/$defs/x"},"b":{"$ref":"#/$defs/x"}},"$defs":{"x":{}}}`, Widened, []string{"/$defs/x/type widened"}},
	{"a reference written out", `{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"}},"$defs":{"x":{"type":"string"}}}`, Same, nil},
	{"a schema that refers to itself", `{"properties":{"a":{"$ref":"#"}}}`, `{"properties":{"a":{"$ref":"#"}},"minProperties":1}`, Narrowed, nil},
	{"references round and round", `{"$ref":"#/$defs/x","$defs":{"x":{"$ref":"#/$defs/y"},"y":{"$ref":"#/$defs/x"}}}`, `{"$defs":{"x":{"$ref":"#/$defs/y"},"y":{"$ref":"#/$defs/x"}}}`, Unclear, nil},
	{"a reference elsewhere", `{"$ref":"https://example.org/a"}`, `{"$ref":"https://example.org/b"}`, Unclear, nil},
	{"a definition used in not, and elsewhere", `{"not":{"$ref":"#/$defs/x"},"items":{"$ref":"#/$defs/x"},"$defs":{"x":{"minLength":1}}}`, `{"not":{"$ref":"#/$defs/x"},"items":{"$ref":"#/$defs/x"},"$defs":{"x":{}}}`, Unclear, []string{"/$defs/x/minLength widened"}},
	{"a definition used beside a bound, and elsewhere", `{"properties":{"a":{"$ref":"#/$defs/x","maxLength":9}},"items":{"$ref":"#/$defs/x"},"$defs":{"x":{"minLength":1}}}`, `{"properties":{"a":{"$ref":"#/$defs/x","maxLength":9}},"items":{"$ref":"#/$defs/x"},"$defs":{"x":{}}}`, Unclear, nil},
	{"the same that is no schema on both sides", `{"properties":{"a":5,"b":{"minLength":1}}}`, `{"properties":{"a":5.0,"b":{}}}`, Widened, nil},
	{"a definition behind an alternative", `{"anyOf":[{"$ref":"#/$defs/x"},{"type":"null"}],"$defs":{"x":{"minLength":1}}}`, `{"anyOf":[{"$ref":"#/$defs/x"},{"type":"null"}],"$defs":{"x":{}}}`, Widened, []string{"/$defs/x/minLength widened"}},
	{"a definition that came with its use", `{"properties":{}}`, `{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{}}}`, Widened, []string{"/properties/a widened", "/$defs same"}},
	{"one condition fewer", `{"allOf":[{"minLength":1},{"pattern":"a"}]}`, `{"allOf":[{"pattern":"a"}]}`, Widened, []string{"/allOf widened"}},
	{"an open bound moved", `{"exclusiveMaximum":3}`, `{"exclusiveMaximum":4}`, Widened, []string{"/exclusiveMaximum widened"}},
	{"another const", `{"const":1}`, `{"const":2}`, Unclear, nil},
	{"the same number in other digits", `{"maximum":10}`, `{"maximum":1e1}`, Same, nil},
	{"a reference beside a bound", `{"$ref":"#/$defs/x","maxLength":2,"$defs":{"x":{"minLength":1}}}`, `{"$ref":"#/$defs/x","maxLength":2,"$defs":{"x":{}}}`, Unclear, nil},
	{"another pattern beside a shorter text", `{"pattern":"^b","maxLength":3}`, `{"pattern":"^a","maxLength":2}`, Unclear, []string{"/pattern unclear", "/maxLength narrowed"}},
	{"one more alternative beside a reference", `{"anyOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{}}}`, `{"anyOf":[{"$ref":"#/$defs/x"},{"type":"null"}],"$defs":{"x":{}}}`, Unclear, []string{"/anyOf unclear"}},
	{"one more condition beside a reference", `{"allOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{}}}`, `{"allOf":[{"$ref":"#/$defs/x"},{"type":"null"}],"$defs":{"x":{}}}`, Unclear, []string{"/allOf unclear"}},
	{"other alternatives, and more of them", `{"anyOf":[{"type":"null"}]}`, `{"anyOf":[{"type":"string"},{"type":"object"}]}`, Unclear, []string{"/anyOf unclear"}},
	{"a definition that nobody refers to", `{"$defs":{"x":{"type":"string"}}}`, `{"$defs":{"x":{}}}`, Unclear, []string{"/$defs/x/type unclear"}},

	{"forbidden", `{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":false}}`, Narrowed, nil},
	{"no schema", `{"properties":{"a":{}}}`, `{"properties":{"a":5}}`, Unclear, nil},
	{"a member that repeats", `{"type":"string"}`, `{"type":"string","type":"null"}`, Unclear, nil},
	{"an unknown keyword", `{}`, `{"x-order":1}`, Unclear, []string{"/x-order unclear"}},
	{"another draft", `{"type":"object"}`, `{"type":"object","$schema":"http://json-schema.org/draft-07/schema#"}`, Unclear, []string{"/$schema unclear"}},
}

func TestCompare(t *testing.T) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			got := Compare(value(t, tt.old), value(t, tt.new))
			if got.Class != tt.want {
				t.Errorf("%s → %s is %s, want %s (%v)", tt.old, tt.new, got.Class, tt.want, words(got))
			}
			if tt.changes != nil && !slices.Equal(words(got), tt.changes) {
				t.Errorf("%s → %s: changes %q, want %q", tt.old, tt.new, words(got), tt.changes)
			}
			if back := Compare(value(t, tt.new), value(t, tt.old)); back.Class != tt.want.inverse() {
				t.Errorf("back, %s → %s is %s, want %s (%v)", tt.new, tt.old, back.Class, tt.want.inverse(), words(back))
			}
		})
	}
}

func words(r Result) []string {
	out := []string{}
	for _, c := range r.Changes {
		out = append(out, fmt.Sprintf("%s %s", c.Pointer, c.Class))
	}
	return out
}

func TestBounds(t *testing.T) {
	deep := func(leaf string) string {
		const n = 5000
		return strings.Repeat(`{"items":`, n) + leaf + strings.Repeat("}", n)
	}
	if got := Compare(value(t, deep(`{}`)), value(t, deep(`false`))); got.Class != Unclear {
		t.Errorf("a difference 5,000 levels down is %s, want unclear", got.Class)
	}
	wide := func(bound int) string {
		var branches []string
		for i := range 400 {
			branches = append(branches, fmt.Sprintf(`{"anyOf":[{"minLength":%d},{"minLength":%d}]}`, i+bound, i))
		}
		return `{"anyOf":[` + strings.Join(branches, ",") + `]}`
	}
	if got := Compare(value(t, wide(1)), value(t, wide(2))); got.Class == Same {
		t.Errorf("400 alternatives that changed are %s", got.Class)
	}
	// What took time by the square of its size would not end here.
	large := func(sign string) string {
		var props, defs, words, branches, refs []string
		for i := range 10_000 {
			props = append(props, fmt.Sprintf(`"%s%d":{"$ref":"#/$defs/d%d"}`, sign, i, i))
			defs = append(defs, fmt.Sprintf(`"d%d":{"maximum":1%d}`, i, len(sign)))
			words = append(words, fmt.Sprintf(`"x-%s%d":1`, sign, i))
			branches = append(branches, fmt.Sprintf(`{"const":"%s%d"}`, sign, i))
			refs = append(refs, fmt.Sprintf(`{"$ref":"#/anyOf/%d"}`, i))
		}
		return `{"properties":{` + strings.Join(props, ",") + `},"required":[],"patternProperties":{` + strings.Join(props, ",") + `},"$defs":{` + strings.Join(defs, ",") + `},` +
			strings.Join(words, ",") + `,"anyOf":[` + strings.Join(branches, ",") + `],"prefixItems":[` + strings.Join(refs, ",") + `]}`
	}
	if got := Compare(value(t, large("a")), value(t, large("bb"))); got.Class == Same {
		t.Errorf("large schemas that differ are %s", got.Class)
	}
	many := func(kind string) string {
		var props []string
		for i := range 5000 {
			props = append(props, fmt.Sprintf(`"p%d":{"type":"%s"}`, i, kind))
		}
		return `{"properties":{` + strings.Join(props, ",") + `}}`
	}
	got := Compare(value(t, many("string")), value(t, many("null")))
	if len(got.Changes) != maxChanges || got.More != 4000 || got.Class != Unrelated {
		t.Errorf("5,000 changes give %d and %d more, %s", len(got.Changes), got.More, got.Class)
	}
}

// FuzzCompare: the way back is the inverse; equal schemas are the same; different ones
// have a change to show.
func FuzzCompare(f *testing.F) {
	for _, c := range cases {
		f.Add(c.old, c.new)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		var trees [2]rawjson.Tree
		if trees[0].Parse(a, 0) != nil || trees[1].Parse(b, 0) != nil {
			t.Skip()
		}
		old, new := trees[0].Root(), trees[1].Root()
		got, back := Compare(old, new), Compare(new, old)
		if got.Class != back.Class.inverse() {
			t.Errorf("%s → %s is %s and back %s", a, b, got.Class, back.Class)
		}
		if old.Canonical() != new.Canonical() && len(got.Changes) == 0 {
			t.Errorf("%s and %s differ, and nothing is shown", a, b)
		}
		if old.Canonical() == new.Canonical() && (got.Class != Same || len(got.Changes) > 0) {
			t.Errorf("%s and %s are equal, and %s: %v", a, b, got.Class, words(got))
		}
	})
}

// How the classes of constraints that must all hold are joined, in either order.
func TestClassesJoined(t *testing.T) {
	for _, tt := range []struct{ a, b, want Class }{
		{Same, Same, Same}, {Same, Widened, Widened}, {Same, Unclear, Unclear}, {Same, Unrelated, Unrelated},
		{Widened, Widened, Widened}, {Narrowed, Narrowed, Narrowed}, {Widened, Narrowed, Unrelated}, {Widened, Unrelated, Unrelated},
		{Unclear, Widened, Unclear}, {Unclear, Narrowed, Unclear}, {Unclear, Unrelated, Unclear}, {Unclear, Unclear, Unclear},
	} {
		if got, back := tt.a.and(tt.b), tt.b.and(tt.a); got != tt.want || back != tt.want {
			t.Errorf("%s and %s: %s, the other way round %s, want %s", tt.a, tt.b, got, back, tt.want)
		}
	}
}
