package oatf

import (
	"strings"
	"unicode"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/rawjson"
)

// Serialize writes a document in canonical form (SDK §3.4): normalized, oatf first, fields in the specification's order,
// extensions in place, block style. [Parse] reads the same document back, and Serialize writes that byte for byte again.
//
// A phase's mode is omitted if it is its actor's, as the public conformance suite expects: it can be no other (V-044),
// and [Normalize] restores it. Comments and layout are not kept.
func Serialize(d *Document) string {
	n := Normalize(d)
	for i := range n.Attack.Execution.Actors {
		a := &n.Attack.Execution.Actors[i]
		for j := range a.Phases {
			if p := &a.Phases[j]; p.Mode == a.Mode {
				p.Mode = ""
			}
		}
	}
	var e emitter
	e.emitBlock(rawjson.Read(render(n)), 0) // nothing only with a value that does not come from rawjson
	return e.b.String()
}

// emitter writes a tree as block-style YAML that readers of YAML 1.1 and 1.2 interpret alike.
type emitter struct{ b strings.Builder }

const indentStep = 2

// emitBlock writes an object or array: its first line at the current position, the others indented.
func (e *emitter) emitBlock(v rawjson.Value, indent int) {
	first := true
	begin := func() {
		if !first {
			e.spaces(indent)
		}
		first = false
	}
	for m := range v.Members() {
		begin()
		e.emitKey(m.Key.Text(), indent)
		e.under(m.Value, indent)
	}
	for _, element := range v.Elements() {
		begin()
		e.b.WriteString("-")
		if element.Len() > 0 {
			e.b.WriteString(" ")
			e.emitBlock(element, indent+indentStep)
			continue
		}
		e.flat(element, indent)
	}
}

// longestKey limits the bytes of a key written without the ? mark. YAML allows 1,024 characters.
const longestKey = 1000

func (e *emitter) emitKey(name string, indent int) {
	quoted := scalarText(name)
	if len(quoted) <= longestKey {
		e.b.WriteString(quoted + ":")
		return
	}
	e.b.WriteString("? " + quoted + "\n")
	e.spaces(indent)
	e.b.WriteString(":")
}

// under writes a member's value after its colon.
func (e *emitter) under(v rawjson.Value, indent int) {
	if v.Len() == 0 {
		e.flat(v, indent)
		return
	}
	e.b.WriteString("\n")
	e.spaces(indent + indentStep)
	e.emitBlock(v, indent+indentStep)
}

// flat writes a scalar or an empty object or array, and ends the line.
func (e *emitter) flat(v rawjson.Value, indent int) {
	switch v.Kind() {
	case rawjson.Object:
		e.b.WriteString(" {}\n")
	case rawjson.Array:
		e.b.WriteString(" []\n")
	case rawjson.String:
		if s := v.Text(); needsLiteral(s) {
			e.emitLiteral(s, indent+indentStep)
		} else {
			e.b.WriteString(" " + scalarText(s) + "\n")
		}
	default:
		e.b.WriteString(" " + v.Raw() + "\n")
	}
}

func (e *emitter) spaces(n int) {
	for range n {
		e.b.WriteByte(' ')
	}
}

// needsLiteral reports whether a multi-line text can be written as a literal block (|).
func needsLiteral(s string) bool {
	if !strings.Contains(s, "\n") || strings.IndexFunc(s, unprintable) >= 0 {
		return false
	}
	first := true
	for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		blank := strings.TrimLeft(line, " \t") == ""
		if first && (blank || line[0] == ' ') || blank && line != "" || strings.HasPrefix(line, "\t") {
			return false // the indentation would have to be guessed
		}
		first = false
	}
	return true
}

// emitLiteral writes a literal block with the indicator that keeps trailing newlines.
func (e *emitter) emitLiteral(s string, indent int) {
	body := strings.TrimRight(s, "\n")
	switch len(s) - len(body) {
	case 0:
		e.b.WriteString(" |-\n")
	case 1:
		e.b.WriteString(" |\n")
	default:
		e.b.WriteString(" |+\n")
		body = s[:len(s)-1]
	}
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			e.spaces(indent)
		}
		e.b.WriteString(line + "\n")
	}
}

// unprintable reports whether YAML allows r only escaped; the line feed is excepted.
func unprintable(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0, r == '\u2028', r == '\u2029', r == '\ufeff', r == '\ufffe', r == '\uffff':
		return true
	}
	return false
}

// bare matches what needs no quotes: it begins like a word and contains no YAML syntax.
var bare = lazyregexp.New(`^[\pL0-9_/][\pL\pN_/.@()+-]*( [\pL\pN_/.@()+-]+)*$`)

// retyped matches what some YAML 1.1 reader does not take for a string: words, dates, numbers.
var retyped = lazyregexp.New(`^(?i:y|n|yes|no|on|off|true|false|null|[-+]?[0-9][0-9_,.]*(e[-+]?[0-9]+)?|[-+]?0[xob][0-9a-f_]+|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*)$`)

// scalarText writes a string on one line: bare if it cannot be mistaken, in single quotes if that saves escapes,
// otherwise in double quotes.
func scalarText(s string) string {
	switch {
	case len(s) < 200 && bare.MatchString(s) && !retyped.MatchString(s):
		return s
	case strings.ContainsAny(s, `\"`) && strings.IndexFunc(s, func(r rune) bool { return r == '\n' || r == '\t' || unprintable(r) }) < 0:
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || unprintable(r) || !unicode.IsPrint(r) && r < 0x10000:
			b.Write(rawjson.AppendEscape(nil, r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
