package clause

import (
	"strings"
	"unicode/utf8"
)

// space skips white space at i. A line break ends a sentence only before a list item, a
// heading, a tag or the entry of a parameter list: blank lines are put anywhere by those
// who do not want to be read.
func (t *tokenizer) space(i int) int {
	lines := 0
	for i < len(t.s) {
		switch t.s[i] {
		case '\n':
			lines++
		case ' ', '\t', '\r':
		default:
			if lines > 0 {
				t.pending |= softBreak
				list := strings.IndexByte("-*+", t.s[i]) >= 0 && i+1 < len(t.s) && t.s[i+1] == ' ' || t.numbered(i)
				switch {
				case t.entry(i) && (lines < 2 || t.heads(i)), !list && strings.IndexByte("#<[|=", t.s[i]) >= 0, strings.HasPrefix(t.s[i:], "```"):
					t.stop()
				case list && !t.announced:
					t.stop()
				case list:
					t.pending |= fresh
				}
				t.announced = t.announced && list
			}
			return i
		}
		i++
	}
	return i
}

// entry reports whether a line at i begins as an entry of a parameter list: a name with a
// colon or with a type in parentheses behind it.
func (t *tokenizer) entry(i int) bool {
	n := runLen(t.s, i, func(c byte) bool { return isLetter(c) || c == '_' || c >= '0' && c <= '9' })
	if n == 0 || i+n+1 >= len(t.s) {
		return false
	}
	return t.s[i+n] == ':' && t.s[i+n+1] == ' ' || t.s[i+n] == ' ' && t.s[i+n+1] == '('
}

// heads reports whether the entry at i can stand behind a blank line: a section's heading begins with a capital, and a parameter is
// known. Any other word with a colon may be in the middle of a sentence that somebody broke up.
func (t *tokenizer) heads(i int) bool {
	if t.s[i] >= 'A' && t.s[i] <= 'Z' || t.names == nil {
		return true
	}
	n := runLen(t.s, i, func(c byte) bool { return isLetter(c) || c == '_' || c >= '0' && c <= '9' })
	return t.names(t.s[i:i+n]) != Unknown
}

// numbered reports whether a list number ("2." or "2)") stands at i.
func (t *tokenizer) numbered(i int) bool {
	n := runLen(t.s, i, func(c byte) bool { return c >= '0' && c <= '9' })
	return n > 0 && n < 4 && i+n+1 < len(t.s) && (t.s[i+n] == '.' || t.s[i+n] == ')') && t.s[i+n+1] == ' '
}

func (t *tokenizer) stop() {
	if n := len(t.out); n > 0 && t.out[n-1].sentence == t.sentence {
		t.out[n-1].flags |= stopAfter
		t.sentence++
	}
	t.pending |= fresh
	if t.quote != 0 && len(t.out)-t.quoteAt > 60 {
		t.quote = 0
	}
}

// punctuate notes what the signs between i and end do: end sentences, begin clauses,
// open and close quotations and comments.
func (t *tokenizer) punctuate(i, end int) {
	for ; i < end; i++ {
		c := t.s[i]
		if c != '"' && c != '*' && c != '`' && c != '\'' && c != '-' {
			t.announced = c == ':'
		}
		switch c {
		case '.', '!', '?', ';':
			next := i + 1
			for next < len(t.s) && strings.IndexByte("\"'`)]*_", t.s[next]) >= 0 {
				next++
			}
			if next == len(t.s) || t.s[next] <= ' ' || t.s[next] == '<' || t.s[next] >= utf8.RuneSelf || c == ';' || c == '!' {
				if c != '.' || !t.abbreviation(i) {
					t.stop()
				}
			}
		case ',':
			t.pending |= fresh | commaPrior
		case ':', '=':
			t.pending |= fresh
			if n := len(t.out); n > 0 {
				t.out[n-1].flags |= colonAfter
			}
		case '-':
			if strings.HasPrefix(t.s[i:], "-->") {
				t.comment = false
				t.stop()
			}
			if i > 0 && t.s[i-1] <= ' ' && i+1 < len(t.s) && (t.s[i+1] <= ' ' || t.s[i+1] == '-') {
				t.pending |= fresh
				if n := len(t.out); n > 0 && t.out[n-1].sentence == t.sentence {
					t.out[n-1].flags |= colonAfter
				}
			}
		case ']':
			if t.endsLabel(i) {
				t.stop()
			}
			t.pending |= fresh
		case '(', ')', '[', '{', '}', '|', '#':
			t.pending |= fresh
		case '>':
			if strings.HasSuffix(t.s[:i], "--") {
				t.comment = false
			}
			t.stop()
		case '<':
			if strings.HasPrefix(t.s[i:], "<!--") {
				t.comment = true
			}
			t.stop()
		case '"', '\'', '`':
			t.quotation(i, c)
		}
	}
}

// maxLabel is how many bytes a label in brackets may have.
const maxLabel = 60

// endsLabel reports whether the bracket at i closes a label in capitals that stands before a sentence: "[SYNTHETIC-INJECTION] Ignore …".
// What a label says governs nothing in that sentence.
func (t *tokenizer) endsLabel(i int) bool {
	from := max(0, i-maxLabel)
	k := strings.LastIndexByte(t.s[from:i], '[')
	if k < 0 || i-from-k < 5 || !capitals(t.s[from+k+1:i]) {
		return false
	}
	before := strings.TrimRight(t.s[max(0, from+k-maxLabel):from+k], " \t\r\n")
	return before == "" || strings.IndexByte(".!?:;>]", before[len(before)-1]) >= 0
}

func (t *tokenizer) quotation(i int, c byte) {
	switch {
	case t.quote == c:
		t.quote = 0
	case t.quote == 0 && (i == 0 || t.s[i-1] <= ' ' || strings.IndexByte("([{:,=>-*", t.s[i-1]) >= 0 || t.s[i-1] >= utf8.RuneSelf || t.s[i-1] == c && i+1 < len(t.s) && t.s[i+1] >= utf8.RuneSelf):
		t.quote, t.quoteAt = c, len(t.out)
		if c != '`' && i+1 < len(t.s) && t.s[i+1] >= 'A' && t.s[i+1] <= 'Z' {
			t.pending |= fresh // a quoted sentence begins
		}
	}
}

// abbreviation reports whether the full stop at i belongs to "e.g.", "i.e.", "etc.", "vs."
// or an initial.
func (t *tokenizer) abbreviation(i int) bool {
	start := i
	for start > 0 && i-start <= 8 && (isLetter(t.s[start-1]) || t.s[start-1] == '.') {
		start--
	}
	if i-start < 2 || i-start > 6 {
		return i-start == 1 && i+1 < len(t.s)
	}
	for _, short := range [...]string{"e.g", "i.e", "eg", "ie", "etc", "vs", "cf", "approx", "incl"} {
		if strings.EqualFold(t.s[start:i], short) {
			return i+1 < len(t.s)
		}
	}
	return false
}
