package rawjson

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func parse(t *testing.T, text string) Value {
	t.Helper()
	var tree Tree
	if err := tree.Parse(text, 0); err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return tree.Root()
}

func TestNothingIsLost(t *testing.T) {
	const text = `{"b": 9007199254740993, "a": 1e400, "a": [ true , null ], "\u0061": "x\/y"}`
	root := parse(t, text)
	if root.Raw() != text {
		t.Errorf("Raw() = %q, want the text as received", root.Raw())
	}
	var names, values []string
	for m := range root.Members() {
		names, values = append(names, m.Key.Raw()), append(values, m.Value.Raw())
	}
	if got, want := strings.Join(names, " "), `"b" "a" "a" "\u0061"`; got != want {
		t.Errorf("names %s, want %s", got, want)
	}
	if got, want := strings.Join(values, "|"), `9007199254740993|1e400|[ true , null ]|"x\/y"`; got != want {
		t.Errorf("values %s, want %s", got, want)
	}
	if got := root.Get("a").Text(); got != "x/y" {
		t.Errorf(`Get("a") = %q, want the last of three spellings`, got)
	}
}

func TestPointerFindsTheValueAgain(t *testing.T) {
	root := parse(t, `{"tools":[{"a/b":{"m~n":["x","y"]}},{"":"z"}]}`)
	var got []string
	for s := range root.Strings() {
		mark := ""
		if s.IsKey {
			mark = "#"
		}
		got = append(got, s.Value.Pointer()+mark+"="+s.Value.Text())
	}
	want := []string{
		"/tools#=tools", "/tools/0/a~1b#=a/b", "/tools/0/a~1b/m~0n#=m~n",
		"/tools/0/a~1b/m~0n/0=x", "/tools/0/a~1b/m~0n/1=y", "/tools/1/#=", "/tools/1/=z",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestUnquoteAndRawOffset(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"plain", `"abc"`, "abc"},
		{"escapes", `"a\n\t\"\\\/b"`, "a\n\t\"\\/b"},
		{"surrogate pair", `"x\ud83d\ude00y"`, "x😀y"},
		{"lone surrogate", `"x\ud83dy"`, "x\uFFFDy"},
		{"reversed pair", `"\ude00\ud83d"`, "\uFFFD\uFFFD"},
		{"invalid UTF-8", "\"a\xffb\"", "a\uFFFDb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Unquote(tt.raw); got != tt.want {
				t.Errorf("Unquote(%s) = %q, want %q", tt.raw, got, tt.want)
			}
			last := 0
			for i := range tt.want {
				off := RawOffset(tt.raw, i)
				if off <= last || off >= len(tt.raw)-1 {
					t.Errorf("RawOffset(%s, %d) = %d: not behind %d and inside the quotes", tt.raw, i, off, last)
				}
				last = off
			}
			if got := RawOffset(tt.raw, len(tt.want)); got != len(tt.raw)-1 {
				t.Errorf("RawOffset at the end = %d, want %d", got, len(tt.raw)-1)
			}
		})
	}
}

func TestWellFormed(t *testing.T) {
	for text, want := range map[string]bool{
		`"a"`: true, `"\ufffd"`: true, `"\ud83d\ude00"`: true, `"\ud83d"`: false, "\"\xc3\"": false, `12`: true,
	} {
		if got := parse(t, text).WellFormed(); got != want {
			t.Errorf("WellFormed(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestSyntaxErrorsHaveAnOffset(t *testing.T) {
	for _, tt := range []struct {
		text string
		at   int
	}{
		{``, 0}, {`{`, 1}, {`{"a"`, 4}, {`{"a":1,}`, 7}, {`[1 2]`, 3}, {`"a`, 2}, {`"\x"`, 2},
		{"\"\n\"", 1}, {`01`, 1}, {`1.`, 2}, {`-`, 1}, {`tru`, 0}, {`{} {}`, 3}, {`"\u12g4"`, 5}, {`{a:1}`, 1},
	} {
		var tree Tree
		var syntax *SyntaxError
		if err := tree.Parse(tt.text, 0); !errors.As(err, &syntax) {
			t.Errorf("Parse(%q) = %v, want a SyntaxError", tt.text, err)
		} else if syntax.Offset != tt.at {
			t.Errorf("Parse(%q): offset %d, want %d (%v)", tt.text, syntax.Offset, tt.at, err)
		}
		if tree.Root().Exists() {
			t.Errorf("Parse(%q): a failed parse left a value", tt.text)
		}
	}
}

func TestDeepNestingIsRead(t *testing.T) {
	const n = 100_000
	var tree Tree
	if err := tree.Parse(strings.Repeat("[", n)+`"x"`+strings.Repeat("]", n), 0); err != nil {
		t.Fatal(err)
	}
	if tree.Depth() != n {
		t.Errorf("Depth() = %d, want %d", tree.Depth(), n)
	}
}

func TestEachSpansOneLevel(t *testing.T) {
	const text = ` {"a": [1, {"b":2}], "c":"d"}`
	var got []string
	err := EachMember(text, 1, func(name, value Span) bool {
		got = append(got, text[name.Start:name.End]+"="+text[value.Start:value.End])
		return true
	})
	if want := `"a"=[1, {"b":2}] "c"="d"`; err != nil || strings.Join(got, " ") != want {
		t.Errorf("EachMember: %s, %v, want %s", strings.Join(got, " "), err, want)
	}
	got = nil
	err = EachElement(text, 7, func(_ int, s Span) bool {
		got = append(got, text[s.Start:s.End])
		return true
	})
	if want := `1 {"b":2}`; err != nil || strings.Join(got, " ") != want {
		t.Errorf("EachElement: %s, %v, want %s", strings.Join(got, " "), err, want)
	}
}

// The reader agrees with encoding/json about what is JSON, decodes strings as it does,
// and its pointers lead back to the same value.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,2.5e-3,{"b":null}],"c":"\ud83d\ude00\\"}`, `[[],{},"",0,-0.1E+2,true,false]`, `{"a":1,"a":2}`,
		"\"\xff\"", `{"a":}`, `[1,]`, ` 1 `, `"\ud800"`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var tree Tree
		err := tree.Parse(text, 0)
		if valid := json.Valid([]byte(text)); valid != (err == nil) {
			// encoding/json refuses more than 10,000 levels; this reader has no such bound.
			if !(err == nil && tree.Depth() > 9_000) {
				t.Fatalf("Parse(%q) = %v, but encoding/json says valid=%v", text, err, valid)
			}
		}
		if err != nil {
			return
		}
		for s := range tree.Root().Strings() {
			var want string
			if err := json.Unmarshal([]byte(s.Value.Raw()), &want); err != nil {
				t.Fatalf("string %q: %v", s.Value.Raw(), err)
			}
			got := s.Value.Text()
			if got != want {
				t.Fatalf("Text of %q = %q, encoding/json says %q", s.Value.Raw(), got, want)
			}
			if s.Value.WellFormed() && !utf8.ValidString(got) {
				t.Fatalf("well-formed string %q decodes to invalid UTF-8", s.Value.Raw())
			}
			for i := range got {
				if off := RawOffset(s.Value.Raw(), i); off < 1 || off >= len(s.Value.Raw())-1 {
					t.Fatalf("RawOffset(%q, %d) = %d", s.Value.Raw(), i, off)
				}
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	tool := `{"name":"read_file","description":"Reads a file from the workspace and returns its text.",` +
		`"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Absolute path"}},"required":["path"]}}`
	text := `{"tools":[` + strings.Repeat(tool+",", 999) + tool + `]}`
	var tree Tree
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if err := tree.Parse(text, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// The bound is never below the number of values, and no more than the text has bytes.
func TestMostValues(t *testing.T) {
	for text, least := range map[string]int{"": 0, "1": 1, "[]": 1, `{"a":1}`: 3, `[1,[2,{"a":null}]]`: 7, `",,,"`: 1} {
		if got := MostValues(text); got < least || got > len(text) {
			t.Errorf("%s: %d, want %d or more", text, got, least)
		}
	}
}
