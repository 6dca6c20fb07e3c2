package report

import (
	"fmt"
	"slices"
	"strings"
)

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

// keptColumns returns a table of the columns that keep chooses.
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

// visible returns the texts in one line.
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

// padTo pads s with spaces to n columns.
func padTo(s string, n int) string { return s + strings.Repeat(" ", max(n-columns(s), 0)) }
