package rawjson

import "strings"

// scanner scans a value. With a sink it records every node; without, it only skips.
type scanner struct {
	text string
	sink *Tree
}

// Skip returns the offset after the value at text[at:], which white space may precede.
func Skip(text string, at int) (end int, err error) {
	s := scanner{text: text}
	return s.scanValue(skipSpace(text, at))
}

// A Span is a part of a text: text[Start:End].
type Span struct{ Start, End int }

// EachElement calls yield with the span of every element of the array at text[at:], which must begin with '['. It stops
// at the first error or when yield returns false.
func EachElement(text string, at int, yield func(i int, s Span) bool) error {
	return scanEach(text, at, ']', func(i int, _, value Span) bool { return yield(i, value) })
}

// EachMember calls yield with the spans of every name (with quotes) and value of the object at text[at:], which must
// begin with '{'. It stops like EachElement.
func EachMember(text string, at int, yield func(name, value Span) bool) error {
	return scanEach(text, at, '}', func(_ int, name, value Span) bool { return yield(name, value) })
}

func scanEach(text string, at int, closing byte, yield func(i int, name, value Span) bool) error {
	s := scanner{text: text}
	at = skipSpace(text, at+1)
	if at < len(text) && text[at] == closing {
		return nil
	}
	for i := 0; ; i++ {
		var name Span
		if closing == '}' {
			end, err := s.memberName(at)
			if err != nil {
				return err
			}
			name = Span{at, end}
			if at, err = s.colon(end); err != nil {
				return err
			}
		}
		end, err := s.scanValue(at)
		if err != nil {
			return err
		}
		if !yield(i, name, Span{at, end}) {
			return nil
		}
		at = skipSpace(text, end)
		switch {
		case at >= len(text):
			return s.eof()
		case text[at] == closing:
			return nil
		case text[at] != ',':
			return &SyntaxError{at, "expected a comma or " + string(closing)}
		}
		at = skipSpace(text, at+1)
	}
}

func (s *scanner) eof() error {
	return &SyntaxError{len(s.text), "unexpected end of the text"}
}

func (s *scanner) memberName(at int) (int, error) {
	if at >= len(s.text) {
		return 0, s.eof()
	}
	if s.text[at] != '"' {
		return 0, &SyntaxError{at, "expected a member name in double quotes"}
	}
	return s.scanString(at)
}

// colon returns the start of the member's value.
func (s *scanner) colon(at int) (int, error) {
	at = skipSpace(s.text, at)
	if at >= len(s.text) {
		return 0, s.eof()
	}
	if s.text[at] != ':' {
		return 0, &SyntaxError{at, "expected a colon after the member name"}
	}
	return skipSpace(s.text, at+1), nil
}

// scanValue scans the value at s.text[at:] and returns the offset after it. Open containers are a stack of closing
// bytes, so depth costs memory but no call stack.
func (s *scanner) scanValue(at int) (int, error) {
	text := s.text
	var open []byte
	var small [64]byte
	open = small[:0]
	for {
		// A value, or the closing bracket of an empty container.
		if at >= len(text) {
			return 0, s.eof()
		}
		var end int
		var err error
		switch c := text[at]; {
		case c == '"':
			end, err = s.scanString(at)
			s.leaf(String, at, end)
		case c == '{' || c == '[':
			closing, kind := byte('}'), Object
			if c == '[' {
				closing, kind = ']', Array
			}
			s.push(kind, at)
			at = skipSpace(text, at+1)
			if at < len(text) && text[at] == closing {
				end = at + 1
				s.pop(end)
				break
			}
			open = append(open, closing)
			if closing == '}' {
				if at, err = s.scanMember(at); err != nil {
					return 0, err
				}
			}
			continue
		case c == '-' || c >= '0' && c <= '9':
			end, err = s.scanNumber(at)
			s.leaf(Number, at, end)
		case c == 't':
			end, err = s.scanWord(at, "true")
			s.leaf(Bool, at, end)
		case c == 'f':
			end, err = s.scanWord(at, "false")
			s.leaf(Bool, at, end)
		case c == 'n':
			end, err = s.scanWord(at, "null")
			s.leaf(Null, at, end)
		default:
			return 0, &SyntaxError{at, "expected a value"}
		}
		if err != nil {
			return 0, err
		}
		// After a value: close containers until one continues.
		at = end
		for {
			if len(open) == 0 {
				return at, nil
			}
			closing := open[len(open)-1]
			at = skipSpace(text, at)
			if at >= len(text) {
				return 0, s.eof()
			}
			if text[at] == closing {
				at++
				open = open[:len(open)-1]
				s.pop(at)
				continue
			}
			if text[at] != ',' {
				return 0, &SyntaxError{at, "expected a comma or " + string(closing)}
			}
			at = skipSpace(text, at+1)
			if closing == '}' {
				if at, err = s.scanMember(at); err != nil {
					return 0, err
				}
			}
			break
		}
	}
}

// scanMember scans a name and its colon and returns the start of the value.
func (s *scanner) scanMember(at int) (int, error) {
	end, err := s.memberName(at)
	if err != nil {
		return 0, err
	}
	s.leaf(key, at, end)
	return s.colon(end)
}

func (s *scanner) leaf(kind Kind, start, end int) {
	if t := s.sink; t != nil {
		parent := int32(-1)
		if len(t.stack) > 0 {
			parent = t.stack[len(t.stack)-1]
		}
		t.nodes = append(t.nodes, node{uint32(start), uint32(end), int32(len(t.nodes) + 1), parent, kind})
	}
}

func (s *scanner) push(kind Kind, start int) {
	if t := s.sink; t != nil {
		s.leaf(kind, start, start)
		t.stack = append(t.stack, int32(len(t.nodes)-1))
		t.depth = max(t.depth, len(t.stack))
	}
}

func (s *scanner) pop(end int) {
	if t := s.sink; t != nil {
		n := &t.nodes[t.stack[len(t.stack)-1]]
		n.end, n.next = uint32(end), int32(len(t.nodes))
		t.stack = t.stack[:len(t.stack)-1]
	}
}

// scanString returns the offset after the string whose opening quote is at s.text[at].
func (s *scanner) scanString(at int) (int, error) {
	text := s.text
	i, quote := at+1, at
	for {
		// IndexByte uses vector instructions; most strings have neither escapes nor control characters, so the loop below checks
		// only that. The quote is searched again only once it was passed, or a string full of escapes would take quadratic time.
		if quote < i {
			j := strings.IndexByte(text[i:], '"')
			if j < 0 {
				return 0, s.eof()
			}
			quote = i + j
		}
		k := i
		for ; k < quote; k++ {
			if c := text[k]; c == '\\' || c < 0x20 {
				break
			}
		}
		if k == quote {
			return k + 1, nil
		}
		if text[k] != '\\' {
			return 0, &SyntaxError{k, "control character in a string; it must be escaped"}
		}
		if k+1 >= len(text) {
			return 0, s.eof()
		}
		switch text[k+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i = k + 2
		case 'u':
			for d := k + 2; d < k+6; d++ {
				if d >= len(text) {
					return 0, s.eof()
				}
				if unhex(text[d]) < 0 {
					return 0, &SyntaxError{d, `expected four hex digits after \u`}
				}
			}
			i = k + 6
		default:
			return 0, &SyntaxError{k + 1, "unknown escape in a string"}
		}
	}
}

func (s *scanner) scanNumber(at int) (int, error) {
	text, i := s.text, at
	digits := func() bool {
		from := i
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
		return i > from
	}
	if text[i] == '-' {
		i++
	}
	if i < len(text) && text[i] == '0' {
		i++
	} else if !digits() {
		return 0, &SyntaxError{i, "expected a digit"}
	}
	if i < len(text) && text[i] == '.' {
		i++
		if !digits() {
			return 0, &SyntaxError{i, "expected a digit after the decimal point"}
		}
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		if !digits() {
			return 0, &SyntaxError{i, "expected a digit in the exponent"}
		}
	}
	return i, nil
}

func (s *scanner) scanWord(at int, w string) (int, error) {
	if !strings.HasPrefix(s.text[at:], w) {
		return 0, &SyntaxError{at, "expected " + w}
	}
	return at + len(w), nil
}

func skipSpace(text string, at int) int {
	for at < len(text) {
		switch text[at] {
		case ' ', '\t', '\n', '\r':
			at++
		default:
			return at
		}
	}
	return at
}
