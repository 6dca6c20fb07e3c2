package match

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// Parsing of filter expressions (RFC 9535 sections 2.3.5 and 2.4).

// An operand is a side of a comparison or a test: a valued, a logical, or a non-singular query, which only functions accept.
type operand struct {
	value   valued  // ValueType
	logical logical // LogicalType; for a query also NodesType
	query   *query
}

// logical parses an expression with ||, the operator of lowest precedence.
func (p *pathParser) logical() logical {
	p.enterNesting()
	defer p.leaveNesting()
	out := or{p.and()}
	for p.operator("||") {
		out = append(out, p.and())
	}
	return out
}

func (p *pathParser) and() logical {
	out := and{p.basic()}
	for p.operator("&&") {
		out = append(out, p.basic())
	}
	return out
}

// operator skips white space and the operator s if it is next, otherwise nothing.
func (p *pathParser) operator(s string) bool {
	before := p.at
	p.skipSpace()
	if p.takePrefix(s) {
		p.skipSpace()
		return true
	}
	if p.err == nil {
		p.at = before
	}
	return false
}

// basic parses a parenthesized expression, a comparison or a test.
func (p *pathParser) basic() logical {
	if p.peek() == '!' && !strings.HasPrefix(p.text[p.at:], "!=") {
		p.at++
		p.skipSpace()
		if p.peek() == '(' {
			return not{p.parenthesised()}
		}
		return not{p.test(p.operand())} // not a comparison
	}
	if p.peek() == '(' {
		return p.parenthesised()
	}
	left := p.operand()
	for _, op := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if p.operator(op) {
			right := p.operand()
			return comparison{p.valued(left), p.valued(right), op}
		}
	}
	return p.test(left)
}

func (p *pathParser) parenthesised() logical {
	p.expectPrefix("(")
	p.skipSpace()
	l := p.logical()
	p.skipSpace()
	p.expectPrefix(")")
	return l
}

func (p *pathParser) test(o operand) logical {
	if o.logical == nil {
		p.failf("a value alone is neither true nor false; compare it")
	}
	return o.logical
}

func (p *pathParser) valued(o operand) valued {
	if o.value == nil {
		p.failf("only one value can be compared: a literal, a query for one node, or a function that gives a value")
	}
	return o.value
}

func (p *pathParser) operand() operand {
	switch c := p.peek(); {
	case c == '$' || c == '@':
		return p.query()
	case c == '"' || c == '\'':
		return operand{value: p.parseLiteral(rawjson.Quote(p.parseString()))}
	case c == '-' || '0' <= c && c <= '9':
		return operand{value: p.parseNumber()}
	case 'a' <= c && c <= 'z':
		return p.parseWord()
	}
	p.failf("expected an expression")
	return operand{}
}

func (p *pathParser) query() operand {
	q := &query{absolute: p.peek() == '$'}
	p.at++
	q.segments = p.segments()
	o := operand{logical: q, query: q}
	if q.singular() {
		o.value = q
	}
	return o
}

// parseWord parses true, false, null or a function call.
func (p *pathParser) parseWord() operand {
	from := p.at
	for c := p.peek(); c == '_' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9'; c = p.peek() {
		p.at++
	}
	word := p.text[from:p.at]
	if p.peek() == '(' {
		return p.parseFunction(word, from)
	}
	switch word {
	case "true", "false", "null":
		return operand{value: p.parseLiteral(word)}
	}
	p.at = from
	p.failf("%q is neither a value nor a function", excerpt.Clip(word, mostQuoted))
	return operand{}
}

// parseFunction parses a function's arguments and checks their number and types.
func (p *pathParser) parseFunction(name string, from int) operand {
	p.enterNesting()
	defer p.leaveNesting()
	args := p.arguments()
	if p.err != nil {
		return operand{}
	}
	switch {
	case name == "length" && allValues(args, 1):
		return operand{value: length{args[0].value}}
	case name == "count" && len(args) == 1 && args[0].query != nil:
		return operand{value: count{args[0].query}}
	case name == "value" && len(args) == 1 && args[0].query != nil:
		return operand{value: only{args[0].query}}
	case (name == "match" || name == "search") && allValues(args, 2):
		m := &matching{text: args[0].value, pattern: args[1].value, whole: name == "match"}
		if l, ok := m.pattern.(literal); ok {
			m.compiled = m.compile(&walk{left: maxVisits}, l.v)
		}
		return operand{logical: m}
	}
	p.at = from
	p.failf("no function %q with these arguments", excerpt.Clip(name, mostQuoted))
	return operand{}
}

// allValues reports whether there are n arguments, all of ValueType.
func allValues(args []operand, n int) bool {
	return len(args) == n && !slices.ContainsFunc(args, func(a operand) bool { return a.value == nil })
}

// arguments parses a parenthesized argument list. No function takes a LogicalType, so an expression with an operator
// fails at the operator, where a comma or parenthesis is expected.
func (p *pathParser) arguments() []operand {
	p.expectPrefix("(")
	p.skipSpace()
	var args []operand
	if p.takePrefix(")") {
		return nil
	}
	for {
		args = append(args, p.operand())
		p.skipSpace()
		if !p.takePrefix(",") {
			p.expectPrefix(")")
			return args
		}
		p.skipSpace()
	}
}
