package surface

import "strings"

// listed returns the parameters in a description's lists: sections under a heading such as "Args:", and reST and JSDoc
// tags, which need no section.
func listed(d *scanner) []parameter {
	p := listParser{scanner: d}
	eachLine(d.s, p.line)
	return p.out
}

// listParser parses a description line by line.
type listParser struct {
	*scanner
	out []parameter

	fenced  bool // in a code block
	section bool // in a parameter section
	heading int  // indent of its heading
	numpy   bool // the heading is underlined
	begun   bool // an item was read; the fields below are the first one's
	indent  int
	bullet  byte // 0 for none
	blank   bool // the previous line was blank
}

func (p *listParser) line(l line) {
	text := p.s[l.start:l.end]
	if strings.HasPrefix(text, "```") {
		p.fenced = !p.fenced
		p.section = false
		return
	}
	switch {
	case p.fenced:
	case p.tag(l):
	case p.head(l):
	case p.section:
		p.body(l)
	}
	p.blank = text == ""
}

// tag parses ":param type name: …" and "@param {type} [name] …".
func (p *listParser) tag(l line) bool {
	i, end := l.start, l.end
	if i < end && p.s[i] == '*' { // inside a comment block
		i = p.skip(i+1, end, " ")
	}
	if i == end || p.s[i] != ':' && p.s[i] != '@' {
		return false
	}
	word := p.identEnd(i + 1)
	switch strings.ToLower(p.s[i+1 : word]) {
	case "param", "parameter", "arg", "argument", "keyword":
	default:
		return false
	}
	if p.s[i] == ':' {
		p.restTag(word, end)
	} else {
		p.jsdocTag(word, end)
	}
	return true
}

// restTag takes the last word before the colon, which is the name.
func (p *listParser) restTag(i, end int) {
	colon := strings.IndexByte(p.s[i:end], ':')
	if colon < 0 {
		return
	}
	end = i + len(strings.TrimRight(p.s[i:i+colon], " "))
	start := i + strings.LastIndexByte(p.s[i:end], ' ') + 1
	kind := strings.TrimSpace(p.s[i:max(i, start)])
	start = p.skip(start, end, "*`")
	if e := p.identEnd(start); e > start && p.skip(e, end, "*`") == end {
		p.out = append(p.out, parameter{start: start, end: e, kind: kind, listed: true})
	}
}

func (p *listParser) jsdocTag(i, end int) {
	i = p.skip(i, end, " \t")
	kind := ""
	if i < end && p.s[i] == '{' {
		if e := p.closing(i, end); e > 0 {
			kind, i = p.s[i+1:e-1], p.skip(e, end, " ")
		}
	}
	i = p.skip(i, end, "[`")
	if e := p.identEnd(i); e > i {
		p.out = append(p.out, parameter{start: i, end: e, kind: kind, listed: true})
	}
}

// head parses a heading of parameters, which begins their section.
func (p *listParser) head(l line) bool {
	rest, ok := p.title(l)
	if !ok {
		return false
	}
	p.section, p.numpy, p.begun, p.heading = true, false, false, l.indent
	if rest < l.end { // "Args: city: its name"
		p.item(line{start: rest, end: l.end, indent: l.indent + 1})
		p.begun = false // the following lines have their own indent
	}
	return true
}

// headings are the titles of parameter sections.
var headings = setOf("args", "arguments", "parameters", "params", "inputs", "input parameters", "input arguments",
	"required parameters", "optional parameters", "required arguments", "optional arguments", "required args",
	"required options", "optional options", "optional args", "required params", "optional params", "keyword arguments", "keyword args", "other parameters",
	"key parameters", "important parameters", "main parameters", "parameters explained", "tool parameters",
	"query parameters", "request parameters", "function parameters", "parameter descriptions", "parameter details")

// title reports whether a line is the title of a parameter section, and where the text after its colon begins. Without
// a colon the title must be alone and look like one.
func (d *scanner) title(l line) (rest int, ok bool) {
	s := d.s
	i := d.skip(l.start, l.end, "#*_ ")
	e := i
	for e < l.end && e-i < 40 && (letter(s[e]) || s[e] == ' ') {
		e++
	}
	title := strings.TrimSpace(s[i:e])
	if !headings[strings.ToLower(title)] {
		return 0, false
	}
	first := title[0]
	if first >= 'a' && i == l.start && e == l.end { // an ordinary word
		return 0, false
	}
	if e = d.skip(e, l.end, "*_ "); e < l.end && s[e] == '(' { // "Args (all optional):"
		if e = d.closing(e, l.end); e == 0 {
			return 0, false
		}
	}
	if e < l.end && s[e] == ':' {
		return d.skip(e+1, l.end, "*_ \t"), true
	}
	return l.end, e == l.end
}

// A scanner reads the bytes of a description. steps counts them, including repetitions: a test limits it to a multiple of the length.
type scanner struct {
	s     string
	steps int
}

// identEnd returns the end of the identifier at s[i:], i if there is none. Identifiers may have dots, hyphens and
// indexes: filter.name, resource-group, items[].
func (d *scanner) identEnd(i int) int {
	s := d.s
	if i >= len(s) || !letter(s[i]) && s[i] != '_' && s[i] != '$' {
		return i
	}
	e := i + 1
	for e < len(s) {
		d.steps++
		switch c := s[e]; {
		case letter(c) || '0' <= c && c <= '9' || c == '_' || c == '$':
		case (c == '.' || c == '-') && e+1 < len(s) && letter(s[e+1]):
		case c == '[' && e+1 < len(s) && s[e+1] == ']':
			e++
		default:
			return e
		}
		e++
	}
	return e
}

// skip returns the offset of the first byte in s[i:end] that is not in set.
func (d *scanner) skip(i, end int, set string) int {
	for i < end && strings.IndexByte(set, d.s[i]) >= 0 {
		d.steps++
		i++
	}
	return i
}

// closing returns the offset after the bracket that closes the one at s[i], 0 if none does.
func (d *scanner) closing(i, end int) int {
	depth := 0
	for ; i < end; i++ {
		d.steps++
		switch d.s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
