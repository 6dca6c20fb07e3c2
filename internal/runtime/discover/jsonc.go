package discover

import (
	"errors"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/rawjson"
)

// maxDepth bounds the nesting that is read. No client nests its servers deeper than 5.
const maxDepth = 64

// parseJSON parses JSON with comments and trailing commas, which VS Code, Zed, OpenCode and others allow. If the text is broken,
// the part before is returned with the error, and cut is the offset from which nothing was read. skip selects values to leave
// unread.
func parseJSON(s string, skip func(*node) bool) (root *node, cut int, err error) {
	plain := withoutComments(s)
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
	}
	root = &node{keyStart: -1}
	fill(root, tree.Root(), 0, skip)
	return root, cut, err
}

// parseJSON5 parses JSON5 as parseJSON does JSON.
func parseJSON5(s string, skip func(*node) bool) (root *node, cut int, err error) {
	if len(s) > maxFlat {
		return parseJSON(s, skip)
	}
	plain, at := asJSON(s)
	root, cut, err = parseJSON(plain, skip)
	if root != nil {
		root.moved(at)
	}
	return root, at[cut], err
}

// moved replaces the offsets of a value and of everything below it.
func (n *node) moved(at []int) {
	for _, offset := range []*int{&n.start, &n.end, &n.keyStart, &n.keyEnd} {
		if *offset >= 0 {
			*offset = at[min(*offset, len(at)-1)] // a broken text is closed behind its end
		}
	}
	for _, c := range n.children {
		c.moved(at)
	}
}

var jsonLiteral = lazyregexp.New(`^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$`)

// asJSON writes JSON5 as JSON with comments and trailing commas: what JSON does not have, such as names without quotes, becomes a string.
// at holds the offset in s of every byte, and of the end.
func asJSON(s string) (plain string, at []int) {
	var b strings.Builder
	put := func(text string, from int) {
		b.WriteString(text)
		for i := range len(text) {
			at = append(at, min(from+i, len(s)))
		}
	}
	for i := 0; i < len(s); {
		rest, n := s[i:], 0
		switch c := rest[0]; {
		case strings.HasPrefix(rest, "//"):
			if n = strings.IndexByte(rest, '\n'); n < 0 {
				n = len(rest)
			}
			put(rest[:n], i)
		case strings.HasPrefix(rest, "/*"):
			if n = strings.Index(rest[2:], "*/") + 4; n < 4 {
				n = len(rest)
			}
			put(rest[:n], i)
		case c == '"' || c == '\'':
			put(`"`, i)
			for n = 1; n < len(rest) && rest[n] != c; n++ {
				switch {
				case rest[n] == '\\' && n+1 < len(rest):
					n++
					if rest[n] == '\'' {
						put("'", i+n)
					} else if rest[n] != '\n' {
						put(rest[n-1:n+1], i+n-1)
					}
				case rest[n] == '"':
					put(`\"`, i+n)
				default:
					put(rest[n:n+1], i+n)
				}
			}
			if n < len(rest) {
				put(`"`, i+n)
			}
			n++
		case strings.IndexByte("{}[]:, \t\r\n/", c) >= 0:
			n = 1
			put(rest[:1], i)
		default:
			if n = strings.IndexAny(rest, "{}[]:, \t\r\n/\"'\\"); n < 0 {
				n = len(rest)
			}
			n = max(n, 1)
			word := rest[:n]
			if !jsonLiteral.MatchString(word) || strings.HasPrefix(strings.TrimLeft(rest[n:], " \t\r\n"), ":") {
				put(`"`, i)
				put(word, i)
				put(`"`, i+n)
			} else {
				put(word, i)
			}
		}
		i += n
	}
	return b.String(), append(at, len(s))
}

// withoutComments replaces comments and trailing commas by spaces, keeping offsets.
func withoutComments(s string) string {
	out := []byte(s)
	comma := -1 // the last comma, if only white space follows it
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			for i++; i < len(out) && out[i] != '"' && out[i] != '\n'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
			comma = -1
		case c == '/' && i+1 < len(out) && out[i+1] == '/':
			for ; i < len(out) && out[i] != '\n'; i++ {
				out[i] = ' '
			}
		case c == '/' && i+1 < len(out) && out[i+1] == '*':
			out[i], out[i+1] = ' ', ' '
			for i += 2; i < len(out); i++ {
				if out[i] == '*' && i+1 < len(out) && out[i+1] == '/' {
					out[i], out[i+1] = ' ', ' '
					i++
					break
				}
				if out[i] != '\n' {
					out[i] = ' '
				}
			}
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return string(out)
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
