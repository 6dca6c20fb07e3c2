package match

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gauntlet/rawjson"
)

const store = `{"z":{"price":8.95,"tags":["b","a"]},"a":[{"price":12.99,"n":"x"},{"price":8.95,"n":"y"},{"n":"z"}],"s":"häé","two words":1,"k":null}`

func TestJSONPath(t *testing.T) {
	for _, tt := range []struct{ name, query, want string }{
		{"the root", `$`, store},
		{"a member", `$.s`, `"häé"`},
		{"a member in brackets", `$['two words']`, `1`},
		{"in other brackets", `$["two words"]`, `1`},
		{"an index", `$.a[1].n`, `"y"`},
		{"from the end", `$.a[-1].n`, `"z"`},
		{"beyond the end", `$.a[3]`, ``},
		{"before the start", `$.a[-4]`, ``},
		{"all members in their order", `$.*`, `{"price":8.95,"tags":["b","a"]} [{"price":12.99,"n":"x"},{"price":8.95,"n":"y"},{"n":"z"}] "häé" 1 null`},
		{"all elements", `$.a[*].n`, `"x" "y" "z"`},
		{"several", `$.a[2,0,0].n`, `"z" "x" "x"`},
		{"a slice", `$.a[1:].n`, `"y" "z"`},
		{"a slice with steps", `$.a[::2].n`, `"x" "z"`},
		{"a slice backwards", `$.a[::-1].n`, `"z" "y" "x"`},
		{"a slice that takes no step", `$.a[::0]`, ``},
		{"descendants in the order of the document", `$..n`, `"x" "y" "z"`},
		{"descendants, all", `$.z..*`, `8.95 ["b","a"] "b" "a"`},
		{"a filter", `$.a[?@.price > 10].n`, `"x"`},
		{"a filter on members", `$[?@.price].price`, `8.95`},
		{"compared by value", `$.a[?@.price == 895e-2].n`, `"y"`},
		{"compared with another place", `$.a[?@.price == $.z.price].n`, `"y"`},
		{"nothing there", `$.a[?!@.price].n`, `"z"`},
		{"nothing equals nothing", `$.a[?@.price == @.missing].n`, `"z"`},
		{"and, or, parentheses", `$.a[?(@.price && @.n == 'y') || @.n == 'z'].n`, `"y" "z"`},
		{"strings in order", `$.a[?@.n >= 'y'].n`, `"y" "z"`},
		{"length in characters", `$[?length(@) == 3]`, `[{"price":12.99,"n":"x"},{"price":8.95,"n":"y"},{"n":"z"}] "häé"`},
		{"count", `$[?count(@.*) == 2]`, `{"price":8.95,"tags":["b","a"]}`},
		{"value", `$.a[?value(@..n) == 'x'].n`, `"x"`},
		{"match is whole", `$.a[?match(@.n, '[xy]')].n`, `"x" "y"`},
		{"search is in part", `$[?search(@, 'ä.')]`, `"häé"`},
		{"match is not in part", `$[?match(@, 'ä.')]`, ``},
		{"a pattern from the message", `$.a[?match($.a[1].n, @.n)].n`, `"y"`},
		{"a pattern that is none", `$.a[?match(@.n, '(')].n`, ``},
		{"null is a value", `$[?@ == null]`, `null`},
		{"white space where it may be", "$ .a [ 0 , 1 ] [ ? @ == 'x' ]", `"x"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, err := ParseJSONPath(tt.query)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			if err := q.Each(mustParse(t, store), func(v rawjson.Value) bool { got = append(got, v.Raw()); return true }); err != nil {
				t.Fatal(err)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%s gave %s, want %s", tt.query, strings.Join(got, " "), tt.want)
			}
			first, err := q.First(mustParse(t, store))
			if err != nil || len(got) > 0 && first.Raw() != got[0] || len(got) == 0 && first.Exists() {
				t.Errorf("First is %s, %v, want the first of %q", first.Raw(), err, got)
			}
		})
	}
}

func TestWhatIsNoJSONPath(t *testing.T) {
	for _, s := range []string{``, `a`, `tools.name`, `$.`, `$..`, `$.tools[`, `$[`, `$[]`, `$.a[01]`, `$.a[-0]`, `$.a[1.0]`, `$[9007199254740992]`, ` $`, `$ `, `$.1a`, `$. a`,
		`$['a]`, `$["\x"]`, `$['\ud800']`, "$['\n']", `$[?@.a = 1]`, `$[?1]`, `$[?'a']`, `$[?@.* == 1]`, `$[?length(@.*) == 1]`, `$[?count(1) == 1]`, `$[?length(@)]`, `$[?match(@)]`,
		`$[?match(@.a, 'x') == true]`, `$[?nope(@)]`, `$[?(@.a]`, `$[?@.a &&]`, `$[?!@.a == 1]`, `$[?true]`, "$.\xff", strings.Repeat("$", 20_000),
		"$" + strings.Repeat("[?@", 100) + strings.Repeat("]", 100), "$[?" + strings.Repeat("(", 100) + "@" + strings.Repeat(")", 100) + "]"} {
		if _, err := ParseJSONPath(s); err == nil {
			t.Errorf("%.60q was taken for a query", s)
		}
	}
	if _, err := ParseJSONPath(`$.tools[`); err == nil || !strings.Contains(err.Error(), "byte 8") {
		t.Errorf("the place is missing: %v", err)
	}
}

func TestJSONPathStrings(t *testing.T) {
	for query, want := range map[string]string{
		`$["\u0061\/\b\""]`:   "a/\b\"",
		`$['\'"\\']`:          `'"\`,
		`$['\ud83d\ude00']`:   "😀",
		`$["😀"]`:              "😀",
		`$["\u00e9\n\t\r\f"]`: "é\n\t\r\f",
		`$.é1_`:               "é1_",
	} {
		q, err := ParseJSONPath(query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		doc := mustParse(t, "{"+rawjson.Quote(want)+":1}")
		if v, err := q.First(doc); v.Raw() != "1" || err != nil {
			t.Errorf("%s does not select %q", query, want)
		}
	}
	for _, query := range []string{`$["\ud83d"]`, `$["\ud83d\u0041"]`, `$["\ude00\ud83d"]`, `$["\u12"]`, `$["\u`, `$["\`, `$["\'"]`, `$['\"']`, `$["\ud83dx\ude00"]`} {
		if _, err := ParseJSONPath(query); err == nil {
			t.Errorf("%s was taken for a query", query)
		}
	}
}

func TestIRegexps(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{`a.c`, "a\nc", false}, {`a.c`, "a\rc", false}, {`a.c`, "a\u2028c", true}, {`a[.]c`, "axc", false}, {`a[.]c`, "a.c", true},
		{`a\\.c`, "a.c", true}, {`a\\.c`, "axc", false}, {`[\\].]c`, ".c", true}, {`\\p{Lu}`, "É", true}, {`a|bc`, "xbc", false},
	} {
		q, err := ParseJSONPath(`$[?match(@, '` + tt.pattern + `')]`)
		if err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
			continue
		}
		if v, _ := q.First(mustParse(t, "["+rawjson.Quote(tt.text)+"]")); v.Exists() != tt.want {
			t.Errorf("match(%q, %s) = %v, want %v", tt.text, tt.pattern, v.Exists(), tt.want)
		}
	}
}

func TestJSONPathIsBounded(t *testing.T) {
	deep := mustParse(t, strings.Repeat(`[1,`, 500)+"1"+strings.Repeat("]", 500))
	long := mustParse(t, `[`+strings.Repeat(`{"a":1},`, 20_000)+`1]`)
	for _, tt := range []struct {
		query string
		doc   rawjson.Value
	}{
		{`$` + strings.Repeat(`..[*]`, 20), deep},
		{`$[?@.a == $[19999].b]`, long},
		{`$[?count($.*) == 1]`, long},
		{`$[?$ == $[0]]`, mustParse(t, `[`+strings.Repeat(`"`+strings.Repeat("x", 100)+`",`, 100_000)+`1]`)},
	} {
		q, err := ParseJSONPath(tt.query)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := q.First(tt.doc); err != nil && !errors.Is(err, ErrTooMuch) {
			t.Errorf("%.40s: %v", tt.query, err)
		}
		if err := q.Each(tt.doc, func(rawjson.Value) bool { return true }); tt.query[1] == '.' && !errors.Is(err, ErrTooMuch) {
			t.Errorf("%.40s: %v, want ErrTooMuch", tt.query, err)
		}
	}
}

func FuzzJSONPath(f *testing.F) {
	for _, q := range []string{`$.a[?@.price > 10 && match(@.n, 'x.')]`, `$..[1:5:2]['a',"b",*]`, `$[?length(@.a) == count(@..b) || !(value(@.c) <= -1.5e3)]`, `$['\u00e9\'']`} {
		f.Add(q, store)
	}
	f.Fuzz(func(t *testing.T, query, doc string) {
		q, err := ParseJSONPath(query)
		if (q == nil) == (err == nil) {
			t.Fatalf("%q: want exactly one of query and error", query)
		}
		var tree rawjson.Tree
		if err != nil || len(doc) > 1000 || tree.Parse(doc, 0) != nil {
			return
		}
		all := slices.Collect(tree.Root().All())
		n := 0
		var first rawjson.Value
		err = q.Each(tree.Root(), func(v rawjson.Value) bool {
			if n++; n == 1 {
				first = v
			}
			if !slices.Contains(all, v) {
				t.Errorf("%q found %q, which is not in %q", query, v.Raw(), doc)
			}
			return n < 1000
		})
		if got, err2 := q.First(tree.Root()); err == nil && err2 == nil && got != first {
			t.Errorf("%q in %q: First is %q, the first of all %q", query, doc, got.Raw(), first.Raw())
		}
	})
}
