package oatf

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// seeds are the documents of the fixtures.
func seeds(f *testing.F) {
	archives, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatalf("no fixtures: %v", err)
	}
	for _, path := range archives {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range txtar.Parse(text).Files {
			if strings.HasSuffix(file.Name, ".yaml") {
				f.Add(string(file.Data))
			}
		}
	}
}

// FuzzParse: whatever the text, there is a document or an error; what is said has a place
// in the text and stands in order; a valid document is the same when it is written and read
// again, and normalizing twice changes nothing more.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Parse(text)
		if d == nil && err == nil {
			t.Fatal("neither a document nor an error")
		}
		if d == nil {
			return
		}
		r := Validate(d)
		if err != nil && len(r.Errors) < len(err.(Errors)) {
			t.Errorf("Validate found less than Parse:\n%v\n%v", r.Errors, err)
		}
		lines := len(Lines(text))
		for _, e := range append(append(r.Errors, r.Warnings...), Lint(d)...) {
			if e.Line < 1 || e.Line > lines || e.Column < 1 || e.Rule == "" || e.Section == "" || e.Message == "" {
				t.Errorf("no place or no words: %+v", e)
			}
		}
		if err != nil {
			return
		}
		written := Serialize(d)
		again, err := Parse(written)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, written)
		}
		if twice := Serialize(again); twice != written {
			t.Errorf("written again:\n%s\nfirst:\n%s", twice, written)
		}
		n := Normalize(d)
		if a, b := render(Normalize(n)), render(n); a != b {
			t.Errorf("normalized twice:\n%s\nonce:\n%s", a, b)
		}
		if r.Errors == nil {
			if r := Validate(again); r.Errors != nil {
				t.Errorf("a valid document became invalid: %v\n%s", r.Errors, written)
			}
		}
	})
}

// FuzzString: any string that a document can hold is the same when it is written and read
// again, as a value and as a name.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", " ", "a", "yes", "1", "1.0", "2025-11-25", "a: b", "- a", "# a", "a #b", "'", `"`, `\`, "\n", "a\n", "a\n\n", "\na", " a\nb", "a\n b\n", "a\n\tb", "a \nb", "\t", "\x7f", "\u0085", "\u2028", "\ufeff", "\U0001F600", "%a", "---", "...", "<<", "=", "&a", "*a", "!a", "|", ">", strings.Repeat("k", 2000), "0o7", "0x1f", ".inf", "~", "null", "a\r\nb", "{{x}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want := rawjson.Build(s, rawjson.Quote(s))
		d := &Document{OATF: Version, Attack: Attack{Execution: Execution{Mode: "mcp_server", State: rawjson.Read(want)}}}
		written := Serialize(d)
		again, err := Parse(written)
		if err != nil {
			t.Fatalf("%q: %v\n%s", s, err, written)
		}
		if got := again.Attack.Execution.Actors[0].Phases[0].State.Raw(); got != want {
			t.Errorf("%q was written\n%s\nand read as %s", s, written, got)
		}
	})
}

// FuzzNeverMatches: an expression that is said to match nothing matches none of a few texts.
func FuzzNeverMatches(f *testing.F) {
	for _, s := range []string{"a^b", `a\bb`, "$.", "(?m)$\n^", `\B`, "[^\\s\\S]", "(?i)k\\b", "x{0}^", `\b\B`, "(?s).^"} {
		f.Add(s, "ab\n-k")
	}
	f.Fuzz(func(t *testing.T, expression, text string) {
		if never, _ := neverMatches(expression); !never {
			return
		}
		if _, err := match.ParseRegexp(expression); err != nil {
			return // too large for the format; the rules say so
		}
		re := regexp.MustCompile(expression)
		for _, s := range []string{text, "", "a", "\n", "a\nb", " a ", "\u212a"} {
			if re.MatchString(s) {
				t.Errorf("%q matches %q", expression, s)
			}
		}
	})
}
