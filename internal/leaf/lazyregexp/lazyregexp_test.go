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
