package lazyregexp

import (
	"reflect"
	"regexp"
	"testing"
)

func TestMethodsAnswerAsRegexp(t *testing.T) {
	const expr, text = `(a)(b?)`, "ab ca ab"
	lazy, want := New(expr), regexp.MustCompile(expr)
	upper := func(s string) string { return "<" + s + ">" }
	for name, pair := range map[string][2]any{
		"MatchString":           {lazy.MatchString(text), want.MatchString(text)},
		"MatchString, none":     {lazy.MatchString("x"), want.MatchString("x")},
		"Match":                 {lazy.Match([]byte(text)), want.Match([]byte(text))},
		"FindString":            {lazy.FindString(text), want.FindString(text)},
		"FindStringIndex":       {lazy.FindStringIndex(text), want.FindStringIndex(text)},
		"FindStringSubmatch":    {lazy.FindStringSubmatch(text), want.FindStringSubmatch(text)},
		"FindAllString":         {lazy.FindAllString(text, 2), want.FindAllString(text, 2)},
		"FindAllStringSubmatch": {lazy.FindAllStringSubmatch(text, 2), want.FindAllStringSubmatch(text, 2)},
		"FindAllIndex":          {lazy.FindAllIndex([]byte(text), 2), want.FindAllIndex([]byte(text), 2)},
		"ReplaceAllString":      {lazy.ReplaceAllString(text, "$2$1"), want.ReplaceAllString(text, "$2$1")},
		"ReplaceAllStringFunc":  {lazy.ReplaceAllStringFunc(text, upper), want.ReplaceAllStringFunc(text, upper)},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s = %#v, want %#v as package regexp", name, pair[0], pair[1])
		}
	}
}

func TestWrongExpressionPanicsAtFirstUseOnly(t *testing.T) {
	wrong := New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("an expression that does not compile matched something")
		}
	}()
	wrong.MatchString("")
}

// What the words of an expression rule out must not match.
func FuzzWords(f *testing.F) {
	for _, seed := range [][2]string{
		{`always (?:give|report)|never\s+say`, "never\tsay"}, {`(?i)curl`, "CURL"}, {`(?:abc)?d+`, "d"}, {`(?:abc|x)y`, "xy"}, {`(abc){2,}|def`, "abcabc"},
		{`a(?i:bcd)efg`, "aBCDefg"}, {"abc\ufffd", "abc\xff"}, {`(?:abc){0}d`, "d"}, {`отключ|выключ`, "отключи"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := regexp.Compile(expr)
		if err != nil {
			t.Skip()
		}
		if lazy := New(expr); lazy.MatchString(text) != re.MatchString(text) {
			t.Errorf("%q in %q: %v by its words %q", expr, text, lazy.MatchString(text), lazy.compiled().words)
		}
	})
}

func TestWords(t *testing.T) {
	for expr, want := range map[string][]string{
		`\b(?:always|never) (?:say|tell)\b`: {"always", "never"}, // or the other two: the first of as many
		`(?:add|use)[^\n]*--yolo`:           {"--yolo"},
		`(?i)yolo`:                          nil, `x|yolo`: nil, `(?:yolo)*`: nil,
	} {
		if got := New(expr).compiled().words; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: words %q, want %q", expr, got, want)
		}
	}
}
