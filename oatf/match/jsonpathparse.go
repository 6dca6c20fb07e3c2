package match

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"gauntlet/internal/leaf/excerpt"
)

// Limits of a query: its length, and the nesting of brackets and filters.
const (
	maxQueryText  = 10_000
	maxQueryDepth = 64
)

// ParseJSONPath parses a query of RFC 9535 and type-checks its functions. An unquoted member name begins with a letter,
// _ or a non-ASCII character.
func ParseJSONPath(s string) (*JSONPath, error) {
	if len(s) > maxQueryText {
		return nil, fmt.Errorf("JSONPath: a query of more than %d bytes", maxQueryText)
	}
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("JSONPath: the query is not valid UTF-8")
	}
	p := &pathParser{text: s}
	var q JSONPath
	p.expectPrefix("$")
	q.segments = p.segments()
	if p.at < len(s) {
		p.failf("expected a segment such as .name or [0]")
	}
	if p.err != nil {
		return nil, p.err
	}
	return &q, nil
}

// A pathParser parses a query. An error moves it to the end of the text, so that every loop ends.
type pathParser struct {
	text  string
	at    int
	depth int
	err   error
}

func (p *pathParser) failf(format string, args ...any) {
	if p.err == nil {
		p.err = &pathError{p.at, fmt.Sprintf(format, args...)}
	}
	p.at = len(p.text)
}

func (p *pathParser) enterNesting() {
	if p.depth++; p.depth > maxQueryDepth {
		p.failf("nested deeper than %d levels", maxQueryDepth)
	}
}

func (p *pathParser) leaveNesting() { p.depth-- }

// peek returns the next byte, 0 at the end; queries contain 0 only in strings.
func (p *pathParser) peek() byte {
	if p.at >= len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// takePrefix skips s if it is next.
func (p *pathParser) takePrefix(s string) bool {
	if !strings.HasPrefix(p.text[p.at:], s) {
		return false
	}
	p.at += len(s)
	return true
}

func (p *pathParser) expectPrefix(s string) {
	if !p.takePrefix(s) {
		p.failf("expected %s", s)
	}
}

func (p *pathParser) skipSpace() {
	for strings.IndexByte(" \t\n\r", p.peek()) >= 0 && p.at < len(p.text) {
		p.at++
	}
}

// segments parses all segments, each optionally preceded by white space.
func (p *pathParser) segments() []segment {
	var out []segment
	for {
		before := p.at
		p.skipSpace()
		switch {
		case p.takePrefix(".."):
			out = append(out, segment{true, p.dotted(true)})
		case p.takePrefix("."):
			out = append(out, segment{false, p.dotted(false)})
		case p.peek() == '[':
			out = append(out, segment{false, p.bracketed()})
		default:
			if p.err == nil {
				p.at = before
			}
			return out
		}
	}
}

// dotted parses what follows one or two dots.
func (p *pathParser) dotted(descend bool) []selector {
	switch {
	case descend && p.peek() == '[':
		return p.bracketed()
	case p.takePrefix("*"):
		return []selector{wildcard{}}
	}
	end := p.at
	for i, r := range p.text[p.at:] {
		first := i == 0
		if !(r == '_' || r >= 0x80 || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || !first && '0' <= r && r <= '9') {
			break
		}
		end = p.at + i + utf8.RuneLen(r)
	}
	if end == p.at {
		p.failf("expected a name or *")
		return nil
	}
	n := name(p.text[p.at:end])
	p.at = end
	return []selector{n}
}

func (p *pathParser) bracketed() []selector {
	p.enterNesting()
	defer p.leaveNesting()
	p.expectPrefix("[")
	var out []selector
	for {
		p.skipSpace()
		if s := p.selector(); s != nil {
			out = append(out, s)
		}
		p.skipSpace()
		if !p.takePrefix(",") {
			p.expectPrefix("]")
			return out
		}
	}
}

func (p *pathParser) selector() selector {
	switch c := p.peek(); {
	case c == '"' || c == '\'':
		return name(p.parseString())
	case c == '*':
		p.at++
		return wildcard{}
	case c == '?':
		p.at++
		p.skipSpace()
		return filter{p.logical()}
	case c == '-' || c == ':' || '0' <= c && c <= '9':
		return p.indexOrSlice()
	}
	p.failf("a name in quotes, an index, a slice, * or a filter should stand here")
	return nil
}

func (p *pathParser) indexOrSlice() selector {
	start := p.optionalInt()
	end := p.at
	p.skipSpace()
	if !p.takePrefix(":") {
		p.at = max(p.at, end)
		if start == nil {
			p.failf("expected an index")
			return nil
		}
		return index(*start)
	}
	s := slice{start: start, step: 1}
	p.skipSpace()
	s.end = p.optionalInt()
	p.skipSpace()
	if p.takePrefix(":") {
		p.skipSpace()
		if step := p.optionalInt(); step != nil {
			s.step = *step
		}
	}
	return s
}

// maxInt is the largest integer of I-JSON, which limits indexes.
const maxInt = 1<<53 - 1

func (p *pathParser) optionalInt() *int {
	if c := p.peek(); c != '-' && (c < '0' || c > '9') {
		return nil
	}
	from := p.at
	p.takePrefix("-")
	p.digits(true)
	if p.err != nil {
		return nil
	}
	n, err := strconv.ParseInt(p.text[from:p.at], 10, 64)
	if err != nil || n > maxInt || n < -maxInt || p.text[from:p.at] == "-0" {
		p.at = from
		p.failf("invalid index %s", excerpt.Clip(p.text[from:], mostQuoted))
		return nil
	}
	i := int(n)
	return &i
}

// digits reads one or more digits; plain forbids leading zeros.
func (p *pathParser) digits(plain bool) {
	from := p.at
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		p.at++
	}
	switch {
	case p.at == from:
		p.failf("expected a digit")
	case plain && p.at > from+1 && p.text[from] == '0':
		p.at = from
		p.failf("a number has no leading zeros")
	}
}

// parseString parses a string in single or double quotes (RFC 9535 section 2.3.1.1).
func (p *pathParser) parseString() string {
	quote := p.peek()
	p.at++
	var b strings.Builder
	for {
		rest := p.text[p.at:]
		r, n := utf8.DecodeRuneInString(rest)
		switch {
		case rest == "":
			p.failf("unterminated string")
			return ""
		case rest[0] == quote:
			p.at++
			return b.String()
		case r < ' ':
			p.failf("a control character in a string must be escaped")
			return ""
		case r == '\\':
			p.escape(&b, quote)
		default:
			b.WriteRune(r)
			p.at += n
		}
	}
}

// escape parses an escape, including both surrogates of a character above U+FFFF.
func (p *pathParser) escape(b *strings.Builder, quote byte) {
	rest := p.text[p.at:]
	if len(rest) < 2 {
		p.failf("unterminated string")
		return
	}
	if c := rest[1]; c == quote {
		b.WriteByte(c)
		p.at += 2
		return
	} else if strings.IndexByte(`bfnrt/\u`, c) < 0 {
		p.failf("unknown escape")
		return
	}
	n := 2
	if rest[1] == 'u' {
		if n = 6; strings.HasPrefix(rest[min(6, len(rest)):], `\u`) && len(rest) >= 12 && high(rest[2:6]) {
			n = 12
		}
	}
	// The rest are JSON's escapes.
	l, err := newLiteral(`"` + rest[:min(n, len(rest))] + `"`)
	if err != nil || !l.v.WellFormed() {
		p.failf("unknown escape")
		return
	}
	b.WriteString(l.v.Text())
	p.at += n
}

// high reports whether four hex digits are a high surrogate.
func high(hex string) bool {
	n, err := strconv.ParseUint(hex, 16, 16)
	return err == nil && n >= 0xD800 && n < 0xDC00
}

func (p *pathParser) parseLiteral(json string) valued {
	l, err := newLiteral(json)
	if err != nil {
		p.failf("no value is %s", excerpt.Clip(json, mostQuoted))
	}
	return l
}

// parseNumber parses a number: an integer or -0, a fraction and an exponent.
func (p *pathParser) parseNumber() valued {
	from := p.at
	p.takePrefix("-")
	p.digits(true)
	if p.takePrefix(".") {
		p.digits(false)
	}
	if p.takePrefix("e") || p.takePrefix("E") {
		if !p.takePrefix("+") {
			p.takePrefix("-")
		}
		p.digits(false)
	}
	if p.err != nil {
		return literal{}
	}
	return p.parseLiteral(p.text[from:p.at])
}
