package oatf

import (
	"errors"
	"strings"
	"testing"

	"gauntlet/rawjson"
)

const minimal = `oatf: "0.1"
attack:
  execution:
    mode: mcp_server
    state: {tools: []}
`

// fieldOfState reads one plain scalar and returns what it became.
func stateOf(t *testing.T, state string) rawjson.Value {
	t.Helper()
	d, err := Parse("oatf: \"0.1\"\nattack:\n  execution:\n    mode: mcp_server\n    state:\n" + state)
	if err != nil {
		t.Fatalf("%v\n%s", err, state)
	}
	return d.Attack.Execution.State
}

func TestScalars(t *testing.T) {
	for _, tt := range []struct{ name, yaml, want string }{
		{"a date stays a string", "2025-11-25", `"2025-11-25"`},
		{"a time stays a string", "2025-11-25T10:00:00Z", `"2025-11-25T10:00:00Z"`},
		{"yes is no boolean", "yes", `"yes"`},
		{"true is one", "True", "true"},
		{"a large number keeps its digits", "12345678901234567890123", "12345678901234567890123"},
		{"a fraction keeps its digits", "1.10", "1.10"},
		{"an exponent stays", "1e+3", "1e+3"},
		{"a point alone gets zeros", ".5", "0.5"},
		{"a point at the end gets one", "5.", "5.0"},
		{"zeros in front go", "007", "7"},
		{"a plus goes", "+7", "7"},
		{"minus zero stays", "-0", "-0"},
		{"octal", "0o17", "15"},
		{"hexadecimal", "0xff", "255"},
		{"underscores make a string", "1_000", `"1_000"`},
		{"a version is a string", "1.2.3", `"1.2.3"`},
		{"null", "~", "null"},
		{"nothing", "", "null"},
		{"a number in quotes", "'7'", `"7"`},
		{"a number with the tag of strings", "!!str 7", `"7"`},
		{"a string with the tag of numbers", "!!int '7'", "7"},
		{"a block", "|\n        two\n        lines", `"two\nlines\n"`},
		{"old line breaks", "\"a\u0085b\u2028c\u2029d\"", "\"a\u0085b\u2028c\u2029d\""},
		{"old line breaks without quotes", "a\u0085b\u2028c", "\"a\u0085b\u2028c\""},
		{"old line breaks beside private-use characters", "\"\u2028\ue000\\uE001\"", "\"\u2028\ue000\ue001\""},
		{"escapes", `"\x41\t\u00e9\U0001F600"`, "\"A\\té😀\""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := stateOf(t, "      a: "+tt.yaml+"\n").Get("a").Raw(); got != tt.want {
				t.Errorf("%s became %s, want %s", tt.yaml, got, tt.want)
			}
		})
	}
}

func TestOrderAndNumbersStay(t *testing.T) {
	const want = `{"z":1,"a":{"c":1.0,"b":[]},"m":null}`
	if got := stateOf(t, "      z: 1\n      a: {c: 1.0, b: []}\n      m:\n").Raw(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNotYAML(t *testing.T) {
	for _, tt := range []struct {
		name, text, says string
		line, column     int
	}{
		{"empty", "", "empty", 1, 1},
		{"only a comment", "# nothing\n", "empty", 1, 1},
		{"null", "~\n", "no mapping", 1, 1},
		{"a list", "- a\n", "no mapping", 1, 1},
		{"two documents", minimal + "---\n" + minimal, "second YAML document", 6, 1},
		{"not closed", "a: [1\n", "not valid YAML", 2, 1},
		{"a tab", "a:\n\tb: 1\n", "spaces, not with tabs", 2, 1},
		{"a text that begins with a reserved sign", "é: @bob\n", "a text that begins with @ needs quotes", 1, 4},
		{"an escape for half a character", `a: "\ud83d\ude00"`, "as itself", 1, 7},
		{"a text with a colon in it", "a: Note: b\n", "a text with a colon and a space in it needs quotes", 1, 8},
		{"a quotation mark that is not closed", "a: 1\nb: \"x\nc: 2\n", "the quotation mark is never closed", 2, 4},
		{"not UTF-8", "a: é\nb: \xff\n", "not UTF-8", 2, 4},
		{"a line that ends with a carriage return", "a: 1\rb: [\r", "not valid YAML", 3, 1},
		{"a character that is none", "a: \x00\n", "not valid YAML", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Parse(tt.text)
			var all Errors
			if !errors.As(err, &all) || len(all) != 1 || d != nil {
				t.Fatalf("Parse = %v, %v: want no document and one error", d, err)
			}
			e := all[0]
			if e.Kind != Syntax || !strings.Contains(e.Message, tt.says) || e.Line != tt.line || e.Column != tt.column {
				t.Errorf("got %+v, want %q at %d:%d", e, tt.says, tt.line, tt.column)
			}
		})
	}
}

func TestEverythingAtOnce(t *testing.T) {
	_, _, err := Load(`oatf: "0.1"
attack:
  version: 0
  severity: extreme
  same: 1
  same: 2
  execution:
    mode: mcp
    state: {tools: {{}: x}, n: .nan}
  indicators:
    - target: a..b
      confidence: many
`)
	var all Errors
	if !errors.As(err, &all) {
		t.Fatal(err)
	}
	var got []string
	for i, e := range all {
		got = append(got, e.Rule+" "+e.Path)
		if i > 0 && e.Line < all[i-1].Line {
			t.Errorf("%v stands behind %v", e, all[i-1])
		}
	}
	want := `V-035 attack.version
V-005 attack.severity
type_mismatch attack.same
syntax attack.same
V-034 attack.execution.mode
syntax attack.execution.state.tools
type_mismatch attack.execution.state.n
V-012 attack.indicators[0]
V-021 attack.indicators[0].target
type_mismatch attack.indicators[0].confidence`
	if g := strings.Join(got, "\n"); g != want {
		t.Errorf("got:\n%s\nwant:\n%s", g, want)
	}
}

// TestHostile wants each of these refused, whatever it would unfold to. BenchmarkHostile says
// how fast.
func TestHostile(t *testing.T) {
	for name, text := range hostileText() {
		t.Run(name, func(t *testing.T) {
			d, err := Parse(text)
			if err == nil {
				t.Errorf("taken: %.80q", text)
			}
			if d != nil {
				Validate(d)
			}
		})
	}
}

// hostile are texts made to cost time or memory. Those of 10 MB break the limit on bytes,
// the others stay below it and break another.
func hostileText() map[string]string {
	const size = 10 << 20
	head := "oatf: \"0.1\"\nattack:\n  x-a: "
	block := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}
	bomb := "x-0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for _, s := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8"} {
		n := string(s[0] + 1)
		bomb += "x-" + n + ": &a" + n + " [*a" + s + ",*a" + s + ",*a" + s + ",*a" + s + ",*a" + s + ",*a" + s + ",*a" + s + ",*a" + s + "]\n"
	}
	return map[string]string{
		"10 MB of scalar":           head + "\"" + strings.Repeat("x", size) + "\"",
		"10 MB of brackets":         head + strings.Repeat("[", size),
		"10 MB of keys":             strings.Repeat("a: b\n", size/5),
		"10 MB of tag directives":   strings.Repeat("%TAG !a! tag:x\n", size/15),
		"brackets":                  head + strings.Repeat("[", 1<<19),
		"braces":                    head + strings.Repeat("{a: ", 1<<17),
		"dashes":                    strings.Repeat("- ", 1<<18),
		"question marks":            strings.Repeat("? ", 1<<18),
		"indentation":               block(1000),
		"a wide mapping":            strings.Repeat("a: b\n", 1<<16),
		"a wide list":               head + "[" + strings.Repeat("1,", 1<<17) + "1]",
		"tag directives":            strings.Repeat("%TAG !a! tag:x\n", 1<<15) + "---\na: 1\n",
		"aliases of aliases":        "oatf: \"0.1\"\n" + bomb,
		"an alias of itself":        "oatf: \"0.1\"\nx: &a [*a]\n",
		"anchors":                   head + "[" + strings.Repeat("&a 1,", 1<<13) + "1]",
		"errors":                    head + "1\n  impact: [" + strings.Repeat("nothing, ", 9_000) + "nothing]\n",
		"keys that are not strings": head + "{" + strings.Repeat("[a]: b, ", 1<<12) + "c: d}",
	}
}

func TestLimits(t *testing.T) {
	deep := func(n int) string {
		return "oatf: \"0.1\"\nattack:\n  x-a: " + strings.Repeat("[", n) + strings.Repeat("]", n) + "\n  execution: {mode: mcp_server, state: {}}\n"
	}
	limits := Limits{Bytes: 1000, Depth: 10, Width: 5}
	for _, tt := range []struct {
		name, text string
		ok         bool
	}{
		{"so deep", deep(9), true},
		{"deeper", deep(10), false},
		{"so wide", strings.Replace(minimal, "tools: []", "tools: [1,2,3,4,5]", 1), true},
		{"wider", strings.Replace(minimal, "tools: []", "tools: [1,2,3,4,5,6]", 1), false},
		{"so long", minimal + strings.Repeat("#", 1000-len(minimal)), true},
		{"longer", minimal + strings.Repeat("#", 1001-len(minimal)), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := limits.Parse(tt.text); (err == nil) != tt.ok {
				t.Errorf("Parse: %v", err)
			}
		})
	}
}

// TestChangedByAProgram wants a document judged as it is and not as it was read.
func TestChangedByAProgram(t *testing.T) {
	d, err := Parse(minimal)
	if err != nil {
		t.Fatal(err)
	}
	if r := Validate(d); r.Errors != nil {
		t.Fatal(r.Errors)
	}
	d.Attack.ID = "lower-001"
	r := Validate(d)
	if len(r.Errors) != 1 || r.Errors[0].Rule != "V-023" || r.Errors[0].Path != "attack.id" || r.Errors[0].Line != 0 {
		t.Errorf("got %v, want V-023 without a line", r.Errors)
	}
	built := &Document{OATF: Version, Attack: Attack{Execution: Execution{
		Mode: "mcp_server", State: rawjson.Read(`{"tools":[{"name":"add"}]}`),
		Extensions: []Extension{{Name: "x-after", Value: rawjson.Read(`1`), After: "no such field"}, {Name: "x-none"}},
	}}}
	if r := Validate(built); r.Errors != nil {
		t.Errorf("a built document: %v", r.Errors)
	}
	if _, _, err := Load(Serialize(built)); err != nil {
		t.Errorf("written and read: %v", err)
	}
	if r := Validate(new(Document)); len(r.Errors) == 0 {
		t.Error("the zero document is valid")
	}
}

func TestSpan(t *testing.T) {
	for _, tt := range []struct {
		line   string
		column int
		want   int
	}{
		{"name: value", 7, 5}, {"name: value # comment", 7, 5}, {"name: value", 1, 4}, {`a: "b \" c" # d`, 4, 8},
		{"a: 'b c', d", 4, 5}, {"{a: b, c: d}", 5, 1}, {"[[a]]", 3, 1}, {"a: b#c", 4, 3}, {"é: ü ö", 4, 3}, {"a: ", 4, 1}, {`a: "b`, 4, 2},
		{"a: x:y", 4, 3}, {"", 1, 1},
	} {
		if got := caretSpan(tt.line, tt.column); got != tt.want {
			t.Errorf("span(%q, %d) = %d, want %d", tt.line, tt.column, got, tt.want)
		}
	}
}

func TestComments(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{minimal, 0},
		{"# one\n# two\n\n# three\n" + minimal + "# four\n", 4},
		{strings.Replace(minimal, "execution:", "# own line\n  execution: # behind", 1), 2},
		{strings.Replace(minimal, "tools: []", `tools: ["# in a string"]`, 1), 0},
	} {
		d, err := Parse(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Comments(); got != tt.want {
			t.Errorf("%d comments, want %d:\n%s", got, tt.want, tt.text)
		}
	}
}

func TestPlacesBehindOldLineBreaks(t *testing.T) {
	for _, lineEnd := range []string{"\n", "\r\n", "\r"} {
		text := strings.ReplaceAll("oatf: \"0.1\"\nattack:\n  name: \"a\u2028b\"\n  status: \"\u0085\"  # none\n  execution: {mode: mcp_server, state: {}}\n", "\n", lineEnd)
		d, _ := Parse(text)
		if d == nil {
			t.Fatalf("not read: %q", text)
		}
		r := Validate(d)
		if len(r.Errors) != 1 || r.Errors[0].Line != 4 || r.Errors[0].Column != 11 || r.Errors[0].EndColumn != 14 || d.Attack.Name != "a\u2028b" {
			t.Errorf("%q: got %+v and the name %q", lineEnd, r.Errors, d.Attack.Name)
		}
	}
}

func TestExtent(t *testing.T) {
	for _, tt := range []struct {
		line   string
		column int
		text   string
		want   int
	}{
		{"a: b, c] d", 4, "b, c] d", 7}, {"[a, b]", 2, "a", 1}, {`a: "b"`, 4, "b", 3}, {"a: é # c", 4, "é", 1}, {"a: |", 4, "b\n", 1},
	} {
		if got := extent(tt.line, tt.column, tt.text); got != tt.want {
			t.Errorf("extent(%q, %d, %q) = %d, want %d", tt.line, tt.column, tt.text, got, tt.want)
		}
	}
}

// TestWorkIsBounded wants expressions refused that are short and cost much all together.
func TestWorkIsBounded(t *testing.T) {
	for _, tt := range []struct {
		name, indicator, rule string
		copies, within        int
	}{
		{"large regular expressions", "    - {target: '', pattern: {regex: '(a?){1000}'}}\n", "V-013", 300, 50},
		{"long expressions", "    - {target: '', expression: {cel: 'message == \"" + strings.Repeat("x", 1000) + "\"'}}\n", "V-014", 60, 40},
		{"many expressions", "    - {target: '', expression: {cel: 'true'}}\n", "V-014", 1010, 1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, n := range []int{tt.copies, tt.within} {
				d, err := Parse(minimal + "  indicators:\n" + strings.Repeat(tt.indicator, n))
				if err != nil {
					t.Fatal(err)
				}
				r := Validate(d)
				if refused := holds(r.Errors, tt.rule, "", true); refused != (n == tt.copies) {
					t.Errorf("%d of them: %d errors", n, len(r.Errors))
				}
			}
		})
	}
}

// TestWarningsHideNoError wants an error behind more warnings than are kept.
func TestWarningsHideNoError(t *testing.T) {
	d, err := Parse(minimal + "  indicators:\n" +
		strings.Repeat("    - {target: a, surface: tools/cal, pattern: {contains: x}}\n", maxDiagnostics+1) +
		"    - {target: a, pattern: {regex: '(x'}}\n")
	if err != nil {
		t.Fatal(err)
	}
	r := Validate(d)
	if len(r.Warnings) != maxDiagnostics || !holds(r.Errors, "V-013", "", true) {
		t.Errorf("%d warnings and errors %v, want %d and a V-013", len(r.Warnings), r.Errors, maxDiagnostics)
	}
}

// TestLongPathsAreBounded wants no more said of a document than a few times its length.
func TestLongPathsAreBounded(t *testing.T) {
	deep := strings.Repeat("{"+strings.Repeat("k", 5000)+": ", 90)
	_, err := Parse(minimal + "  x-a: " + deep + "{" + strings.Repeat("a: 1, ", 1000) + "}" + strings.Repeat("}", 90) + "\n")
	var all Errors
	if !errors.As(err, &all) {
		t.Fatal("duplicate keys were taken")
	}
	said := 0
	for _, e := range all {
		said += len(e.Path) + len(e.Pointer)
	}
	if said > 2*maxPaths {
		t.Errorf("%d errors with paths of %d bytes", len(all), said)
	}
}
