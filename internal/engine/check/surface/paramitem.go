package surface

import "strings"

// body parses a line of a section. The first item determines indent and bullet of all others: deeper lines are its text, and
// the first line that fits neither ends the section. In doubt the section ends: a missed name is better than a wrong one.
func (p *listParser) body(l line) {
	text := p.s[l.start:l.end]
	switch {
	case text == "":
		return
	case !p.begun && (strings.Trim(text, "-") == "" || strings.Trim(text, "=") == ""):
		p.numpy = true
		return
	case p.begun && l.indent > p.indent:
		return
	case l.indent < p.heading, p.begun && l.indent < p.indent:
		p.section = false
		return
	}
	// A list without bullets, indented like its heading, ends at an empty line.
	flush := !p.numpy && l.indent == p.heading && l.start == p.skip(l.start, l.end, "-*+•")
	if p.begun && p.blank && flush || p.ends(l) || !p.item(l) && (!p.begun || flush || p.bullet != 0 || p.numpy) {
		p.section = false
	}
}

// enders are titles of other sections, which can look like items if badly indented.
var enders = setOf("returns", "return", "raises", "yields", "throws", "example", "examples", "note", "notes", "output",
	"outputs", "response", "usage", "errors", "warning", "warnings", "result", "results", "important")

// ends reports whether a line begins another section: "Returns:", "**Example:**".
func (d *scanner) ends(l line) bool {
	s := d.s
	i := d.skip(l.start, l.end, "#*_ ")
	e := d.identEnd(i)
	return s[l.start] == '#' || e > i && s[i] < 'a' && enders[strings.ToLower(s[i:e])]
}

// item parses a list item: "name: text", "name (type): text", "- **name** - text", "a, b: text". It returns false if
// the line is not an item.
func (p *listParser) item(l line) bool {
	i, bullet := p.bulletAt(l)
	if p.begun && bullet != p.bullet {
		return false
	}
	var names []parameter
	for {
		n, next := p.nameAt(i, l.end)
		if next == 0 {
			return false
		}
		names = append(names, n)
		i = p.skip(next, l.end, " ")
		if i < l.end && p.s[i] == '(' {
			e := p.closing(i, l.end)
			if e == 0 {
				return false
			}
			names[len(names)-1].kind = p.s[i+1 : e-1]
			i = p.skip(e, l.end, "*` ")
		}
		sep := p.separator(i, l.end)
		if sep == 0 {
			break
		}
		i += sep
	}
	if !p.introduces(i, l, bullet, names[0]) {
		return false
	}
	if !p.begun {
		p.begun, p.indent, p.bullet = true, l.indent, bullet
	}
	p.out = append(p.out, names...)
	return true
}

// bulletAt returns the start of an item's text and its bullet, 0 for none. A digit stands for any number.
func (d *scanner) bulletAt(l line) (int, byte) {
	s := d.s
	i := l.start
	if strings.HasPrefix(s[i:l.end], "•") {
		return d.skip(i+len("•"), l.end, " \t"), 'o'
	}
	if i+1 < l.end && strings.IndexByte("-*+", s[i]) >= 0 && (s[i+1] == ' ' || s[i+1] == '\t') {
		return d.skip(i+1, l.end, " \t"), s[i]
	}
	if e := d.skip(i, l.end, "0123456789"); e > i && e+1 < l.end && (s[e] == '.' || s[e] == ')') && s[e+1] == ' ' {
		return d.skip(e+1, l.end, " "), '1'
	}
	return i, 0
}

// nameAt parses a name with its markup: **name**, `name`, <name>, [name], --name, name?. It returns the offset after
// it, 0 if there is no name.
func (d *scanner) nameAt(i, end int) (parameter, int) {
	s := d.s
	start := d.skip(i, end, "*`\"'<[-")
	e := min(d.identEnd(start), end)
	if e == start || e < end && s[e] == '*' && start == i { // "filter_*" stands for many names
		return parameter{}, 0
	}
	return parameter{start: start, end: e, listed: true}, d.skip(e, end, "*`\"'>]?")
}

// separator returns the length of the separator between two names of an item, 0 if there is none.
func (d *scanner) separator(i, end int) int {
	s := d.s
	for _, sep := range []string{", ", "/", "| ", "& ", "and ", "or "} {
		if strings.HasPrefix(s[i:end], sep) {
			return d.skip(i+len(sep), end, " ") - i
		}
	}
	return 0
}

// introduces reports whether s[i:] can follow a parameter's name.
func (p *listParser) introduces(i int, l line, bullet byte, name parameter) bool {
	rest := p.s[i:l.end]
	first := p.s[l.start]
	switch {
	case bullet == 0 && (first == '"' || first == '\'' || first == '{' || first == '['):
		return false // JSON
	case strings.HasPrefix(rest, "://"):
		return false
	case strings.HasPrefix(rest, ":"), strings.HasPrefix(rest, "："):
		return true
	case strings.HasPrefix(rest, "- "), strings.HasPrefix(rest, "– "), strings.HasPrefix(rest, "— "), strings.HasPrefix(rest, "-- "):
		return p.s[i-1] == ' '
	case rest == "":
		// A name alone: NumPy without a type, or a bullet that is clearly a name.
		return p.numpy || name.kind != "" || bullet != 0 && namelike(p.s, name)
	}
	return false
}

// namelike reports whether a word is unlikely to be prose: marked as code or composed of parts.
func namelike(s string, p parameter) bool {
	name := s[p.start:p.end]
	return p.start > 0 && s[p.start-1] == '`' || strings.ContainsAny(name, "_.") ||
		strings.ToLower(name[1:]) != name[1:] && strings.ToUpper(name) != name
}
