package discover

import (
	"strconv"
	"strings"

	"gauntlet/internal/engine/check/config"
	"gauntlet/rawjson"
)

// kind is a value's type, the same in all formats.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	list
	table
)

// String returns the kind in words for a configuration's author.
func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}[k]
}

// A node is one value of a configuration in any format, with its bytes in the file.
type node struct {
	kind       kind
	text       string // decoded scalar
	start, end int
	parent     *node
	key        string // name in a table
	index      int    // index in a list
	keyStart   int    // -1 if the value has no name
	keyEnd     int
	children   []*node
	unread     bool             // skipped as irrelevant
	byKey      map[string]*node // for tables with many members
}

// get returns a table's member, the last if the name repeats, or nil.
func (n *node) get(name string) *node {
	if n == nil || n.kind != table {
		return nil
	}
	if len(n.children) > 16 {
		if n.byKey == nil {
			n.byKey = make(map[string]*node, len(n.children))
			for _, c := range n.children {
				n.byKey[c.key] = c
			}
		}
		return n.byKey[name]
	}
	for i := len(n.children) - 1; i >= 0; i-- {
		if n.children[i].key == name {
			return n.children[i]
		}
	}
	return nil
}

// first returns the first of the named members that exists.
func (n *node) first(names ...string) *node {
	for _, name := range names {
		if m := n.get(name); m != nil {
			return m
		}
	}
	return nil
}

// scalar returns the text of a string, number or boolean.
func (n *node) scalar() (string, bool) {
	if n == nil || n.kind != text && n.kind != number && n.kind != boolean {
		return "", false
	}
	return n.text, true
}

// str returns the text of a string, "" for anything else.
func (n *node) str() string {
	if n == nil || n.kind != text {
		return ""
	}
	return n.text
}

func (n *node) isTrue() bool  { return n != nil && n.kind == boolean && n.text == "true" }
func (n *node) isFalse() bool { return n != nil && n.kind == boolean && n.text == "false" }

// pointer returns n's RFC 6901 pointer.
func (n *node) pointer() string {
	var parts []string
	for ; n != nil && n.parent != nil; n = n.parent {
		if n.parent.kind == list {
			parts = append(parts, strconv.Itoa(n.index))
		} else {
			parts = append(parts, rawjson.EscapePointer(n.key))
		}
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString("/" + parts[i])
	}
	return b.String()
}

func (n *node) addChild(child *node, key string, keyStart, keyEnd int) {
	child.parent, child.key, child.index, child.keyStart, child.keyEnd = n, key, len(n.children), keyStart, keyEnd
	n.children = append(n.children, child)
	if n.byKey != nil {
		n.byKey[key] = child
	}
}

// lines converts offsets in a text to lines and columns.
type lines struct {
	text   string
	starts []int
	runes  []int // characters that begin before each block of the text
}

const block = 4096

func newLines(s string) *lines {
	l := &lines{text: s, starts: []int{0}, runes: []int{0}}
	n := 0
	for i := range len(s) {
		if i > 0 && i%block == 0 {
			l.runes = append(l.runes, n)
		}
		if s[i]&0xC0 != 0x80 {
			n++
		}
		if s[i] == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// linesBefore returns the number of characters that begin before an offset.
func (l *lines) linesBefore(off int) int {
	b := min(off/block, len(l.runes)-1)
	n := l.runes[b]
	for i := b * block; i < off; i++ {
		if l.text[i]&0xC0 != 0x80 {
			n++
		}
	}
	return n
}

func (l *lines) lineAndColumn(off int) (line, column int) {
	off = max(0, min(off, len(l.text)))
	lo, hi := 0, len(l.starts)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; l.starts[mid] <= off {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + 1, l.linesBefore(off) - l.linesBefore(l.starts[lo]) + 1
}

// offset is the inverse of at: the byte offset of a line and column.
func (l *lines) offset(line, column int) int {
	if line < 1 || line > len(l.starts) {
		return len(l.text)
	}
	off := l.starts[line-1]
	for ; column > 1 && off < len(l.text) && l.text[off] != '\n'; column-- {
		off++
		for off < len(l.text) && l.text[off]&0xC0 == 0x80 {
			off++
		}
	}
	return off
}

func (l *lines) placeAt(pointer string, start, end int) config.Place {
	// Text added to close a broken file lies beyond its end.
	start, end = min(start, len(l.text)), min(end, len(l.text))
	p := config.Place{Pointer: pointer, Start: start, End: max(start, end)}
	p.Line, p.Column = l.lineAndColumn(start)
	p.EndLine, p.EndColumn = l.lineAndColumn(p.End)
	return p
}

func (l *lines) placeOfNode(n *node) config.Place { return l.placeAt(n.pointer(), n.start, n.end) }

// placeOfName returns the place of a value's name, or of the value if it has none.
func (l *lines) placeOfName(n *node) config.Place {
	if n.keyStart < 0 {
		return l.placeOfNode(n)
	}
	return l.placeAt(n.pointer(), n.keyStart, n.keyEnd)
}

// cut returns the text of a value as far as the file has it.
func (l *lines) cut(n *node) string {
	start := min(n.start, len(l.text))
	return l.text[start:max(start, min(n.end, len(l.text)))]
}
