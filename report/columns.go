package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

const ellipsis = " … "

// columns returns the number of terminal columns of s, which must be Visible except for colours: two for East Asian wide characters and
// most emoji, none for combining marks.
func columns(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if colour := colourLength(s[i:]); colour > 0 {
			i += colour
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		n += runeColumns(r)
		i += size
	}
	return n
}

// colourLength returns the length in bytes of the colour sequence of ours that s begins with, 0 for none. It takes no column.
func colourLength(s string) int {
	rest, ok := strings.CutPrefix(s, "\x1b[")
	if !ok {
		return 0
	}
	end := strings.IndexByte(rest, 'm')
	if end < 0 || strings.Trim(rest[:end], ";0123456789") != "" {
		return 0
	}
	return len("\x1b[") + end + 1
}

func runeColumns(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// clipText shortens s to at most n columns. It keeps the head and a shorter tail: text appended to an honest
// description tells as much as its beginning.
func clipText(s string, n int) string {
	if len(s) <= n || len(clipHead(s, n)) == len(s) {
		return s
	}
	room := n - columns(ellipsis)
	last := tail(s, room/3)
	return clipHead(s, room-columns(last)) + ellipsis + last
}

// marks is the number of characters per column that head and tail accept, so that a pile of zero-width combining marks
// cannot evade clipping.
const marks = 4

// clipHead returns the longest prefix of s that fits n columns.
func clipHead(s string, n int) string {
	taken, runes := 0, 0
	for i := 0; i < len(s); {
		if colour := colourLength(s[i:]); colour > 0 {
			i += colour
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		taken += runeColumns(r)
		runes++
		if taken > n || runes > marks*n {
			return s[:i]
		}
		i += size
	}
	return s
}

// tail returns the longest suffix of s that fits n columns.
func tail(s string, n int) string {
	taken, runes, i := 0, 0, len(s)
	for i > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		taken += runeColumns(r)
		runes++
		if taken > n || runes > marks*n {
			break
		}
		i -= size
	}
	return s[i:]
}

// Wrap breaks s, which must be Visible except for colours, at spaces into lines of at most n columns, and splits longer words: a
// terminal would continue them in the first column, where only our own words may begin. It returns at least one line.
func Wrap(s string, n int) []string { return wrap(s, n, n) }

// wrap is Wrap with another width of the first line.
func wrap(s string, first, n int) []string {
	var lines []string
	line, used, room := "", 0, first
	end := func() {
		lines = append(lines, strings.TrimRight(line, " "))
		line, used, room = "", 0, n
	}
	for _, word := range strings.Split(s, " ") {
		if line != "" && columns(word) > room {
			end()
		}
		for part := clipHead(word, room); part != "" && len(part) < len(word); part = clipHead(word, room) {
			lines = append(lines, part)
			word, room = word[len(part):], n
		}
		w := columns(word)
		if line != "" && used+1+w > room {
			end()
		}
		if line != "" {
			line += " "
			used++
		}
		line += word
		used += w
	}
	return append(lines, line)
}

// aligned says how a text shows a table.
type aligned struct {
	Most   int    // number of rows, 0 for all
	Rest   string // where the other rows are
	Whole  bool   // columns are not clipped: a terminal's lines are folded
	NoHead bool
	Below  func(row int) // writes what stands below a row; nil for nothing
}

// A table has a cell for each head in each row.
type table struct {
	Head []string
	Rows [][]cell
}

// A cell has any number of texts.
type cell []field

// table returns the rows with a column for whatever they have.
func (s *section) table() table {
	heads := []string{"Part of", "State", "What"}
	for i, head := range s.Heads {
		switch {
		case i+1 >= len(heads):
			heads = append(heads, head)
		case head != "":
			heads[i+1] = head
		}
	}
	named := len(heads)
	heads = append(heads, "Where", "Why")
	var rows [][]cell
	for i := range s.n {
		var cells []cell
		put := func(head string, f field) {
			at := slices.Index(heads, head)
			if f.Text == "" {
				return
			}
			if at < 0 {
				at, heads = len(heads), append(heads, head)
			}
			cells = append(cells, make([]cell, max(at+1-len(cells), 0))...)
			cells[at] = append(cells[at], f)
		}
		r := s.row(i)
		put(heads[0], field{Text: r.Group})
		put(heads[1], field{Text: r.Badge, Tone: r.Tone})
		put(heads[2], field{Text: r.Title, Link: r.Link})
		put("Where", field{Text: r.Where})
		put("Why", field{Text: r.Text})
		for _, f := range r.Fields {
			if !slices.Contains(s.Heads, f.Label) {
				f.Label = capitalised(f.Label)
			}
			put(f.Label, f)
		}
		rows = append(rows, cells)
	}
	return keptColumns(heads, rows, func(column int) bool {
		return column > 2 && column < named || slices.ContainsFunc(rows, func(row []cell) bool { return column < len(row) && row[column] != nil })
	})
}

func keptColumns(heads []string, rows [][]cell, keep func(int) bool) table {
	t := table{Rows: make([][]cell, len(rows))}
	for column, head := range heads {
		if !keep(column) {
			continue
		}
		t.Head = append(t.Head, head)
		for i, row := range rows {
			var c cell
			if column < len(row) {
				c = row[column]
			}
			t.Rows[i] = append(t.Rows[i], c)
		}
	}
	return t
}

// overview returns s without what makes its rows long.
func (s section) overview() section {
	one := s.row
	s.row = func(i int) row {
		r := one(i)
		return row{Tone: r.Tone, Badge: r.Badge, Title: r.Title, Text: r.Text}
	}
	return s
}

// rowOf returns the row of that title, which is added if it is new.
func rowOf(rows *[]row, title string) *row {
	at := slices.IndexFunc(*rows, func(r row) bool { return r.Title == title })
	if at < 0 {
		at, *rows = len(*rows), append(*rows, row{Title: title})
	}
	return &(*rows)[at]
}

func (c cell) visible() string {
	var texts []string
	for _, f := range c {
		texts = append(texts, Visible(f.Text))
	}
	return strings.Join(texts, ", ")
}

// writeTable aligns the columns of s. On a terminal the widest give way.
func (p *page) writeTable(indent int, s *section) {
	t, how := s.table(), s.Aligned
	rows := t.Rows
	more := 0
	if how.Most > 0 && len(rows) > how.Most+1 {
		rows, more = rows[:how.Most], len(rows)-how.Most
	}
	if !how.NoHead {
		var head []cell
		for _, text := range t.Head {
			head = append(head, cell{{Text: text, Tone: toneSoft}})
		}
		rows = slices.Concat([][]cell{head}, rows)
	}
	widths := make([]int, len(t.Head))
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], columns(c.visible()))
		}
	}
	if !p.whole && !how.Whole {
		p.shrink(indent, widths)
	}
	for i, row := range rows {
		p.writeTableRow(indent, row, widths)
		if how.Below != nil {
			how.Below(i)
		}
	}
	if more > 0 {
		p.writeIndented(indent, p.dim(fmt.Sprintf("… and %s more: %s", groupDigits(more), how.Rest)))
	}
}

// shrink narrows the widest columns until all fit a line.
func (p *page) shrink(indent int, widths []int) {
	over := indent - 2 - p.width
	for _, w := range widths {
		over += w + 2
	}
	for ; over > 0; over-- {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= 1 {
			return
		}
		widths[widest]--
	}
}

func (p *page) writeTableRow(indent int, row []cell, widths []int) {
	line, gap := "", 0
	for i, c := range row {
		text := c.visible()
		shown := clipText(text, widths[i])
		if i == len(widths)-1 {
			shown = clipEnd(text, widths[i])
		}
		painted := shown
		switch {
		case len(c) == 1:
			painted = p.paint(c[0].Tone, shown)
		case shown == text:
			var texts []string
			for _, f := range c {
				texts = append(texts, p.paint(f.Tone, Visible(f.Text)))
			}
			painted = strings.Join(texts, ", ")
		}
		if shown != "" && (widths[i] > 2 || shown == text) {
			line += strings.Repeat(" ", gap) + painted
			gap = 0
		}
		gap += widths[i] - columns(shown) + 2
	}
	p.writeIndented(indent, line)
}

func padTo(s string, n int) string { return s + strings.Repeat(" ", max(n-columns(s), 0)) }
