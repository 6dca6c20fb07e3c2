package discover

import (
	"errors"
	"sort"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/rawjson"
)

// maxDepth bounds the nesting that is read. No client nests its servers deeper than 5.
const maxDepth = 64

// parseJSON parses JSON with comments and trailing commas, which VS Code, Zed, OpenCode and others allow. If the text is broken,
// the part before is returned with the error, and cut is the offset from which nothing was read. skip selects values to leave
// unread. json5 allows what else JSON5 has, in texts of a length that third-party parsers get, too.
func parseJSON(s string, json5 bool, skip func(*node) bool) (root *node, cut int, err error) {
	plain, shifts := plainJSON(s, json5 && len(s) <= maxFlat)
	var tree rawjson.Tree
	cut = len(s)
	if err = tree.Parse(plain, 0); err != nil {
		var syntax *rawjson.SyntaxError
		if !errors.As(err, &syntax) {
			return nil, 0, err
		}
		var whole string
		whole, cut = closed(plain, syntax.Offset)
		if tree.Parse(whole, 0) != nil {
			return nil, 0, err
		}
		cut, syntax.Offset = original(shifts, cut), original(shifts, syntax.Offset)
	}
	root = &node{keyStart: -1}
	fill(root, tree.Root(), 0, skip)
	if len(shifts) > 0 {
		root.moved(shifts)
	}
	return root, cut, err
}

// A shift says by how much a text is longer, from an offset in it on, than the one that it was made from.
type shift struct{ at, by int }

func original(shifts []shift, offset int) int {
	if n := sort.Search(len(shifts), func(i int) bool { return shifts[i].at > offset }); n > 0 {
		return offset - shifts[n-1].by
	}
	return offset
}

// moved replaces the offsets of a value and of everything below it.
func (n *node) moved(shifts []shift) {
	for _, offset := range []*int{&n.start, &n.end, &n.keyStart, &n.keyEnd} {
		*offset = original(shifts, *offset)
	}
	for _, c := range n.children {
		c.moved(shifts)
	}
}

var jsonLiteral = lazyregexp.New(`^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$`)

// plainJSON replaces comments and trailing commas by spaces. What else JSON5 has and JSON has not, such as names without quotes, becomes
// a string.
func plainJSON(s string, json5 bool) (plain string, shifts []shift) {
	out, comma, by := make([]byte, 0, len(s)), -1, 0 // comma is the last one, if only white space follows it
	put := func(text string, longer int) {
		if out = append(out, text...); longer != 0 {
			by += longer
			shifts = append(shifts, shift{len(out), by})
		}
	}
	for i := 0; i < len(s); {
		rest, n := s[i:], 1
		switch c := s[i]; {
		case c == '"' || json5 && c == '\'':
			comma = -1
			put(`"`, 0)
			for ; n < len(rest) && rest[n] != c && (json5 || rest[n] != '\n'); n++ {
				switch escapes := rest[n] == '\\' && n+1 < len(rest); {
				case escapes && json5 && rest[n+1] == '\'':
					n++
					put("'", -1)
				case escapes && json5 && rest[n+1] == '\n':
					n++
					put("", -2)
				case escapes:
					n++
					put(rest[n-1:n+1], 0)
				case rest[n] == '"':
					put(`\`, 1)
					put(`"`, 0)
				default:
					end := strings.IndexAny(rest[n+1:], "\"'\\\n")
					if end < 0 {
						end = len(rest) - n - 1
					}
					put(rest[n:n+1+end], 0)
					n += end
				}
			}
			if n < len(rest) {
				put(strings.Replace(rest[n:n+1], "'", `"`, 1), 0)
			}
			n++
		case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"):
			if end := map[byte]string{'/': "\n", '*': "*/"}[rest[1]]; !strings.Contains(rest[2:], end) {
				n = len(rest)
			} else if n = strings.Index(rest[2:], end) + 2; end == "*/" {
				n += len(end)
			}
			for j := range n {
				if out = append(out, ' '); rest[j] == '\n' {
					out[len(out)-1] = '\n'
				}
			}
		case c == ',':
			comma = len(out)
			put(",", 0)
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
			put(rest[:1], 0)
		case strings.IndexByte(" \t\n\r", c) >= 0:
			put(rest[:1], 0)
		case json5 && strings.IndexByte("{[:/\\", c) < 0:
			comma = -1
			if n = strings.IndexAny(rest, "{}[]:, \t\r\n/\"'\\"); n < 0 {
				n = len(rest)
			}
			word := rest[:n]
			if jsonLiteral.MatchString(word) && !strings.HasPrefix(strings.TrimLeft(rest[n:], " \t\r\n"), ":") {
				put(word, 0)
				break
			}
			put(`"`, 1)
			put(word, 0)
			put(`"`, 1)
		default:
			comma = -1
			put(rest[:1], 0)
		}
		i += n
	}
	return string(out), shifts
}

// closed truncates a text that is valid JSON up to an offset after its last complete value, and closes what is open. cut is where
// the text stops being the file's.
func closed(s string, broken int) (whole string, cut int) {
	var open []byte
	for i := 0; i < broken && i < len(s); i++ {
		switch s[i] {
		case '"':
			for i++; i < broken && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			open = append(open, s[i]+2) // '{'+2 is '}', '['+2 is ']'
			cut = i + 1
		case '}', ']':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
			cut = i + 1
		case ',':
			cut = i
		}
	}
	b := []byte(s[:cut])
	for i := len(open) - 1; i >= 0; i-- {
		b = append(b, open[i])
	}
	return string(b), cut
}

// fill copies a value and everything below it.
func fill(n *node, v rawjson.Value, depth int, skip func(*node) bool) {
	n.start = v.Offset()
	n.end = n.start + len(v.Raw())
	switch v.Kind() {
	case rawjson.Bool:
		n.kind, n.text = boolean, v.Raw()
	case rawjson.Number:
		n.kind, n.text = number, v.Raw()
	case rawjson.String:
		n.kind, n.text = text, v.Text()
	case rawjson.Array:
		n.kind = list
		if n.unread = depth >= maxDepth || skip(n); n.unread {
			return
		}
		for _, e := range v.Elements() {
			child := &node{}
			n.addChild(child, "", -1, -1)
			fill(child, e, depth+1, skip)
		}
	case rawjson.Object:
		n.kind = table
		if n.unread = depth >= maxDepth || skip(n); n.unread {
			return
		}
		for m := range v.Members() {
			child := &node{}
			n.addChild(child, m.Key.Text(), m.Key.Offset(), m.Key.Offset()+len(m.Key.Raw()))
			fill(child, m.Value, depth+1, skip)
		}
	}
}
