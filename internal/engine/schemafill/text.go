package schemafill

import (
	"cmp"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"gauntlet/internal/leaf/lazyregexp"
)

// formats are values for the formats of JSON Schema.
var formats = map[string]string{
	"date-time": "2026-01-02T03:04:05Z", "date": "2026-01-02", "time": "03:04:05Z", "duration": "PT1H",
	"email": "someone@example.com", "idn-email": "someone@example.com", "hostname": "localhost", "idn-hostname": "localhost",
	"ipv4": "127.0.0.1", "ipv6": "::1", "uuid": "123e4567-e89b-42d3-a456-426614174000",
	"json-pointer": "/a", "regex": "a", "byte": "YQ==", "color": "#000000",
}

// text makes a string for a parameter that is not under test.
func (f *Filler) text(schema map[string]any, path, name string) string {
	if format, _ := schema["format"].(string); format != "" {
		if v := formats[format]; v != "" {
			return v
		}
		if strings.Contains(format, "ur") && f.With.URL != "" { // uri, url, iri
			return f.With.URL
		}
	}
	if pattern, _ := schema["pattern"].(string); pattern != "" {
		if v, ok := Matching(pattern); ok {
			return v
		}
	}
	if v := exampleIn(schema); v != "" && f.role(path) != "path" && f.role(path) != "url" {
		return v
	}
	return fitLength(schema, f.byRole(path, name))
}

func (f *Filler) role(path string) string {
	if f.Role == nil {
		return ""
	}
	return f.Role(path)
}

// byRole returns a value that exists where the server runs.
func (f *Filler) byRole(path, name string) string {
	lower := strings.ToLower(name)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(lower, w) })
	}
	role, w := f.role(path), &f.With
	own := map[string]string{"path": w.File, "url": w.URL, "host": w.Host, "query": "SELECT 1", "command": "echo ok"}[role]
	switch {
	case role == "path" && w.Dir != "" && has("dir", "folder", "root", "cwd", "project", "repo", "workspace"):
		return w.Dir
	case role == "path" && w.Database != "" && has("database", "sqlite", "db_"):
		return w.Database
	case own != "":
		return own
	case has("email"):
		return formats["email"]
	case has("date"):
		return formats["date"]
	case has("query", "search"):
		return "test"
	}
	return cmp.Or(f.With.Word, "test")
}

// fitLength keeps a string within minLength and maxLength, in characters.
func fitLength(schema map[string]any, s string) string {
	least, most := int(min(floatOf(schema["minLength"], 0), maxString)), int(min(floatOf(schema["maxLength"], maxString), maxString))
	for utf8.RuneCountInString(s) < least {
		s += "a"
	}
	if r := []rune(s); most >= 0 && len(r) > most {
		s = string(r[:most])
	}
	return s
}

var quotedExample = lazyregexp.New("(?i)(?:e\\.g\\.?,?|for example,?|example:?|examples:?|such as|like)[:\\s]*\\(?[\"'`‘“]([^\"'`’”\n]{1,200})[\"'`’”]")

// exampleIn returns the first example that a description quotes, "" if there is none.
func exampleIn(schema map[string]any) string {
	description, _ := schema["description"].(string)
	if m := quotedExample.FindStringSubmatch(description[:min(len(description), 4096)]); m != nil {
		return m[1]
	}
	return ""
}

// Example returns the value that a parameter's schema or description gives as an example, "" if none.
func (p *Parameter) Example() string {
	v, _ := given(p.Schema)
	if s, ok := v.(string); ok {
		return s
	}
	return exampleIn(p.Schema)
}

// Matching returns a short string that a pattern matches, as far as Go's syntax reads it.
func Matching(pattern string) (string, bool) {
	if len(pattern) > 1000 {
		return "", false
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	if !writeMatch(&b, re.Simplify(), 0) {
		return "", false
	}
	s := b.String()
	check, err := regexp.Compile(pattern)
	return s, err == nil && check.MatchString(s)
}

// writeMatch writes one string that an expression matches: the shortest repetitions, the first
// alternatives.
func writeMatch(b *strings.Builder, re *syntax.Regexp, depth int) bool {
	if depth > 100 || b.Len() > maxString {
		return false
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(pickRune(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpCapture, syntax.OpPlus:
		return writeMatch(b, re.Sub[0], depth+1)
	case syntax.OpRepeat:
		for range re.Min {
			if !writeMatch(b, re.Sub[0], depth+1) {
				return false
			}
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if !writeMatch(b, sub, depth+1) {
				return false
			}
		}
	case syntax.OpAlternate:
		return writeMatch(b, re.Sub[0], depth+1)
	case syntax.OpNoMatch:
		return false
	}
	return true
}

// pickRune prefers a letter, then a digit, so that made values look like names.
func pickRune(pairs []rune) rune {
	for _, want := range []rune{'a', 'A', '1'} {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] <= want && want <= pairs[i+1] {
				return want
			}
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if r := max(pairs[i], '!'); r <= pairs[i+1] {
			return r
		}
	}
	if len(pairs) > 0 {
		return pairs[0]
	}
	return 'a'
}
