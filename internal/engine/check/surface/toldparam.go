package surface

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/check"
)

// told returns the parameters named in sentences: "the `x` parameter", "parameter `x`", "a parameter called x", "pass
// its content as 'x'".
func told(d *scanner) []parameter {
	s := d.s
	var out []parameter
	add := func(start, end int) {
		if end > start {
			out = append(out, parameter{start: start, end: end})
		}
	}
	for i := 0; i < len(s); {
		e := d.identEnd(i)
		if e == i {
			i++
			continue
		}
		word := ""
		if c := s[i] | 0x20; c == 'p' || c == 'a' {
			word = strings.ToLower(s[i:e])
		}
		switch word {
		case "parameter", "param", "argument", "arg", "parameters", "params", "arguments", "args":
			if start, end := d.nameBefore(i); end > start {
				add(start, end)
			} else {
				add(d.nameBehind(e))
			}
		case "as":
			if start, end := d.quotedAt(e); end > start && d.endsClause(end+1) && passesContent(s, i) {
				add(start, end)
			}
		}
		i = e
	}
	return out
}

// nameBefore returns the quoted name that ends just before s[i].
func (d *scanner) nameBefore(i int) (start, end int) {
	s := d.s
	for newlines := 0; i > 0 && (s[i-1] == ' ' || s[i-1] == '\n'); i-- {
		if s[i-1] == '\n' {
			if newlines++; newlines == 2 {
				return 0, 0 // a heading follows
			}
		}
	}
	e := i
	for e > 0 && (quoteMark(s[e-1]) || s[e-1] == '*') {
		e--
	}
	if e == i {
		return 0, 0
	}
	b := e
	for b > 0 && e-b < maxName && nameByte(s[b-1]) {
		b--
	}
	if b == 0 || s[b-1] != s[e] || d.identEnd(b) != e {
		return 0, 0
	}
	return b, e
}

// maxName is the longest name considered, in bytes.
const maxName = 80

func nameByte(c byte) bool {
	return letter(c) || '0' <= c && c <= '9' || strings.IndexByte("_$.-[]", c) >= 0
}

// nameBehind returns the name that follows s[:i]: quoted, or bare after "called" or "named".
func (d *scanner) nameBehind(i int) (start, end int) {
	s := d.s
	j := d.skip(i, len(s), " ")
	for _, w := range []string{"called ", "named "} {
		if hasFoldPrefix(s[j:], w) {
			j += len(w)
			if e := d.identEnd(j); e > j {
				return j, e
			}
			return d.quotedAt(j)
		}
	}
	return d.quotedAt(i)
}

// quotedAt returns the quoted identifier at s[i:], ignoring spaces.
func (d *scanner) quotedAt(i int) (start, end int) {
	s := d.s
	j := d.skip(i, len(s), " \n")
	if j == i && i > 0 && s[i-1] != ' ' || j >= len(s) || !quoteMark(s[j]) {
		return 0, 0
	}
	e := d.identEnd(j + 1)
	if e == j+1 || e-j > maxName || e >= len(s) || s[e] != s[j] {
		return 0, 0
	}
	return j + 1, e
}

// endsClause reports whether nothing after s[:i] makes the quoted word something other than a name, as in "as 'json' string".
func (d *scanner) endsClause(i int) bool {
	s := d.s
	i = d.skip(i, len(s), " ")
	if i >= len(s) || strings.IndexByte(".,;:)!?\n", s[i]) >= 0 {
		return true
	}
	switch strings.ToLower(s[i:d.identEnd(i)]) {
	case "otherwise", "or", "and", "when", "so", "before", "in", "for", "to":
		return true
	}
	return false
}

// passesContent reports whether the sentence before s[:i] passes something: a verb followed by an object. "Pass the
// date as 'today'" sets a value; "pass the file's content as 'sidenote'" names a parameter.
func passesContent(s string, i int) bool {
	before := strings.ToLower(s[max(0, i-160):i])
	if n := strings.LastIndexAny(before, ".;\n"); n >= 0 && strings.HasPrefix(before[n+1:], " ") {
		before = before[n+1:]
	}
	verb := false
	for w := range strings.FieldsFuncSeq(before, func(r rune) bool { return r < 'a' || r > 'z' }) {
		switch {
		case passVerbs[w]:
			verb = true
		case verb && passObjects[w]:
			return true
		}
	}
	return false
}

var (
	passVerbs = setOf("pass", "passing", "provide", "providing", "send", "sending", "supply", "supplying", "submit", "submitting",
		"include", "including", "put", "give", "attach", "attaching", "forward", "insert")
	passObjects = setOf("content", "contents", "file", "files", "history", "conversation", "key", "keys", "secret", "secrets",
		"token", "tokens", "credential", "credentials", "password", "passwords", "prompt", "messages", "environment")
)

// othersParameter reports whether a sentence attributes the parameter to another tool: "the `x` parameter of other_tool", "call
// other_tool with the `x` parameter", "other_tool's `x` parameter". It also covers parameters of other things, and denials.
func othersParameter(it *check.Item, s string, p parameter) bool {
	isOther := func(callee string) bool {
		return callee != it.Name() && (it.HasTool(callee) || strings.Contains(callee, "_"))
	}
	before := wordsBefore(s, p.start, 8)
	for i, w := range before { // nearest first
		switch w = strings.ToLower(w); {
		case i < 4 && denials[w], i == 0 && otherThings[w]:
			return true
		case i < 3 && (w == "'s" || strings.HasSuffix(w, "'s")):
			return true
		case (w == "with" || w == "through" || w == "via") && i < 3 && slices.ContainsFunc(before[i+1:], isOther):
			return true
		}
	}
	behind := wordsBehind(s, p.end, 5)
	for i, w := range behind {
		switch strings.ToLower(w) {
		case "of", "to", "in", "on", "for", "when":
			if slices.ContainsFunc(behind[i+1:], isOther) {
				return true
			}
		case "removed", "deprecated", "unsupported", "obsolete":
			return true
		}
	}
	return false
}

var (
	denials = setOf("no", "not", "without", "never", "unlike", "don't", "doesn't", "removed", "deprecated", "isn't", "omit", "omits", "omitting")
	// otherThings have parameters that are not the tool's: "query parameter `x`".
	otherThings = setOf("query", "url", "path", "uri", "header", "template", "sql", "function", "method", "constructor", "config",
		"configuration", "environment", "env", "cli", "command-line", "system", "build", "workflow", "model", "string")
)

// wordsBefore returns up to n words before s[:i] in the sentence, nearest first.
func wordsBefore(s string, i, n int) []string {
	from := max(0, i-maxName*2)
	s = s[from:i]
	for k := len(s) - 2; k >= 0; k-- {
		if strings.IndexByte(".!?;", s[k]) >= 0 && (s[k+1] == ' ' || s[k+1] == '\n') {
			s = s[k+1:]
			break
		}
	}
	ws := strings.FieldsFunc(s, betweenWords)
	var out []string
	for k := len(ws) - 1; k >= 0 && len(out) < n; k-- {
		if w := ws[k]; w != "parameter" && w != "param" && w != "argument" && w != "arg" {
			out = append(out, w)
		}
	}
	return out
}

// wordsBehind returns up to n words of s[i:] in the sentence.
func wordsBehind(s string, i, n int) []string {
	s = s[i:min(len(s), i+maxName*2)]
	for k := 0; k+1 < len(s); k++ {
		if strings.IndexByte(".!?;", s[k]) >= 0 && (s[k+1] == ' ' || s[k+1] == '\n') {
			s = s[:k]
			break
		}
	}
	ws := strings.FieldsFunc(s, betweenWords)
	return ws[:min(n, len(ws))]
}

func betweenWords(r rune) bool {
	return r <= ' ' || strings.ContainsRune("`\"(),:;*<>!?", r)
}
