package surface

import (
	"slices"
	"strings"
	"testing"
)

func namesOf(s string) string {
	var out []string
	for _, p := range documented(s) {
		out = append(out, s[p.start:p.end])
	}
	return strings.Join(out, " ")
}

func TestDocumented(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"google", "Does.\n\nArgs:\n    a: x\n    b (int): y\n        c: deeper\n\nReturns:\n    d: z", "a b"},
		{"google, windows lines and tabs", "Args:\r\n\ta: x\r\n\tb: y\r\nNotes:\r\n\tc: z", "a b"},
		{"parameters flush with the heading", "Parameters:\na (required): x\nb: y\n\nc: z", "a b"},
		{"dashes", "Parameters:\n- a: x\n- b - y\n- c", "a b"},
		{"bold", "**Arguments:**\n- **a**: x\n- **b:** y\n- **c** (string) - z", "a b c"},
		{"backticks", "### Parameters\n\n* `a` – x\n* `b`\n* c_d", "a b c_d"},
		{"numbers", "Args:\n1. a: x\n2. b: y", "a b"},
		{"another bullet is deeper", "Args:\n- a: x\n* b: y\n- c: z", "a"},
		{"brackets and dashes", "Parameters:\n    - <a>: x\n    - [b]: y\n    - --c-d: z", "a b c-d"},
		{"several names", "Args:\n    a, b: x\n    c/d: y\n    `e` and `f`: z", "a b c d e f"},
		{"on the heading's line", "Args: city (str): its name", "city"},
		{"a heading in its own words", "Optional parameters (all strings):\n  a: x", "a"},
		{"numpy", "Parameters\n----------\na : int\n    x\nb\n    y\nReturns\n-------\nc : int", "a b"},
		{"numpy with a colon", "Parameters:\n----------\na : int\n    b: x", "a"},
		{"reST", ":param a: x\n:param str b: y\n:type b: str\n:returns: z", "a b"},
		{"JSDoc", "@param {string} a - x\n * @param [b=1] y\n@param {{c: number}} d.e z", "a b d.e"},
		{"a sentence before", "The `a` parameter, and the 'b' argument", "a b"},
		{"a sentence behind", "parameter `a`, argument called b, param named \"c\"", "a b c"},
		{"content passed", "Read it and pass its content as 'a', or else.", "a"},
		{"a value passed", "Pass the date as 'today', the file as 'json' text", ""},
		{"an example ends the list", "Args:\n    a: x\n    Example:\n    b: y", "a"},
		{"a fence ends the list", "Args:\n- a: x\n```\n- b: y\n```\n- c: z", "a"},
		{"JSON", "Parameters:\n\"a\": 1", ""},
		{"a URL", "Args:\n    http://example.com", ""},
		{"a wildcard", "Args:\n    a_*: x", ""},
		{"prose", "args are checked\nParameters are: many", ""},
		{"an unclosed bracket", "Args:\n    a (b: x", ""},
		{"a quote before a heading", "such as \"A\"\n\nArgs:\n    b: x", "b"},
		{"other scripts stay whole", "Args:\n    a: 都市名 – „x“\n    b: é", "a b"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := namesOf(tt.in); got != tt.want {
				t.Errorf("documented(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestCanonicalName(t *testing.T) {
	for _, same := range [][]string{
		{"userIds", "user_id", "USER-ID", "user.ids", "user id"},
		{"s", "S"},
		{"items[]", "item"},
	} {
		for _, s := range same {
			if got, want := canonicalName(s), canonicalName(same[0]); got != want {
				t.Errorf("canonicalName(%q) = %q, want %q as for %q", s, got, want, same[0])
			}
		}
	}
	if canonicalName("user") == canonicalName("use") {
		t.Error("user and use are the same")
	}
}

// TestDocumentedLinear counts looks at bytes, not time, on texts made to be read again
// and again.
func TestDocumentedLinear(t *testing.T) {
	for _, unit := range []string{
		"a", " ", "\n", "(", "Args:\n", "Args: a (", "Args:\n a (b (", "Args:\na, ", "Args: a/", "- a (x) ", "`", "`a` parameter ", "parameter `",
		"as 'a' ", "pass content as 'a", " as \"", ":param ", ":param a ", "@param {", "@param {a} [", "**", "parameter called ", "param\n",
		"----\n", "Parameters\n---\na\n", "a-", "a.", "a[]", "Args:\n" + strings.Repeat("- a: b\n", 10), "é", "\xff",
	} {
		for _, n := range []int{1 << 10, 1 << 13, 1 << 16} {
			s := "args:\n" + strings.Repeat(unit, n/len(unit))
			d := &scanner{s: s}
			listed(d)
			told(d)
			if d.steps > 12*len(s) {
				t.Errorf("%q repeated to %d bytes: %d steps, want at most 12 a byte", unit, len(s), d.steps)
			}
		}
	}
}

func FuzzDocumented(f *testing.F) {
	for _, s := range []string{
		"Args:\n    a (int): x\n    *b: y", "Parameters\n---\na : int\n", ":param str a: x", "@param {string} [a.b=1] x", "### Parameters\n- **`a`**, b?: x",
		"the `a` parameter of `b`", "pass its content as 'a'.", "Args:\n- \xff: \n•", "Inputs (all:\n1. a[]: x", "Args: ```",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := documented(s)
		for _, p := range got {
			if p.start < 0 || p.start >= p.end || p.end > len(s) {
				t.Fatalf("documented(%q): span %d to %d", s, p.start, p.end)
			}
			if name := s[p.start:p.end]; (&scanner{s: name}).identEnd(0) != len(name) || canonicalName(name) == "" && strings.Trim(name, "_$") != "" {
				t.Fatalf("documented(%q): %q is no name", s, name)
			}
		}
		if !slices.IsSortedFunc(got, func(a, b parameter) int { return a.start - b.start }) {
			t.Fatalf("documented(%q) is out of order: %v", s, got)
		}
		if again := documented(s); !slices.Equal(got, again) {
			t.Fatalf("documented(%q) gives %v, then %v", s, got, again)
		}
		d := &scanner{s: s}
		listed(d)
		told(d)
		if d.steps > 20*len(s)+200 {
			t.Fatalf("%d steps for %d bytes", d.steps, len(s))
		}
	})
}
