package report

import (
	"fmt"
	"slices"
	"strings"
)

// A table is shown by a page and by text. Its texts may be a stranger's, as they came.
type table struct {
	Head  []string
	Rows  [][]cell
	None  string // what a page says in a cell without marks
	Least []int  // columns that text needs at least for each column, leastColumn where it is shorter
	Whole bool   // text does not clip columns: a terminal's lines are folded
	Most  int    // rows that text shows, 0 for all
	Rest  string // where the other rows are
}

// A cell has any number of marks.
type cell []mark

// A mark is a text of a cell with a style, a tone in text, and an address, each "" for none.
type mark struct{ Class, Link, Text string }

// tableSection returns a section with columns of its own.
func tableSection(id, title string, t table, intro ...string) section {
	intro = slices.DeleteFunc(intro, func(text string) bool { return text == "" })
	return section{ID: id, Title: title, Intro: intro, Table: &t}
}

// addRow adds a row of plain texts.
func (t *table) addRow(texts ...string) {
	row := make([]cell, len(texts))
	for i, text := range texts {
		row[i] = cell{{Text: text}}
	}
	t.Rows = append(t.Rows, row)
}

// rowOf returns the index of the row that begins with that text, which is added with more if it is new.
func (t *table) rowOf(first string, more ...string) int {
	for i := range t.Rows {
		if t.Rows[i][0][0].Text == first {
			return i
		}
	}
	t.addRow(append([]string{first}, more...)...)
	return len(t.Rows) - 1
}

// addMark adds a mark to a row, in the column of that head, which is added to the table if it is new.
func (t *table) addMark(row int, head string, m mark) {
	column := slices.Index(t.Head, head)
	if column < 0 {
		column = len(t.Head)
		t.Head = append(t.Head, head)
	}
	for len(t.Rows[row]) <= column {
		t.Rows[row] = append(t.Rows[row], nil)
	}
	t.Rows[row][column] = append(t.Rows[row][column], m)
}

// visible returns the marks in one line.
func (c cell) visible() string {
	var texts []string
	for _, m := range c {
		texts = append(texts, Visible(m.Text))
	}
	return strings.Join(texts, ", ")
}

// leastColumn is the width to which columns of a table are clipped on a narrow terminal, unless it says otherwise.
const leastColumn = 12

// writeTable aligns the columns of t. On a terminal those that are widest beyond their least give way.
func (p *page) writeTable(indent int, t table) {
	var head []cell
	for _, text := range t.Head {
		head = append(head, cell{{Class: "soft", Text: text}})
	}
	rows := t.Rows
	if head != nil {
		rows = slices.Concat([][]cell{head}, rows)
	}
	more := 0
	if most := t.Most + len(rows) - len(t.Rows); t.Most > 0 && len(rows) > most+1 {
		rows, more = rows[:most], len(rows)-most
	}
	widths := columnWidths(rows)
	if !p.whole && !t.Whole {
		p.shrink(indent, widths, t.Least)
	}
	for _, row := range rows {
		p.writeTableRow(indent, row, widths)
	}
	if more > 0 {
		p.writeIndented(indent, p.dim(fmt.Sprintf("… and %s more: %s", groupDigits(more), t.Rest)))
	}
}

// columnWidths returns the natural widths of columns.
func columnWidths(rows [][]cell) (widths []int) {
	for _, row := range rows {
		widths = append(widths, make([]int, max(len(row)-len(widths), 0))...)
		for i, c := range row {
			widths[i] = max(widths[i], columns(c.visible()))
		}
	}
	return widths
}

// shrink narrows columns until they fit a line: first down to what each needs, then however narrow it must be.
func (p *page) shrink(indent int, widths, least []int) {
	over := indent - 2 - p.width
	for _, w := range widths {
		over += w + 2
	}
	for _, floor := range []int{leastColumn, 1} {
		for over > 0 {
			widest, most := 0, 0
			for i, w := range widths {
				spare := w - floor
				if floor > 1 && i < len(least) {
					spare = w - least[i]
				}
				if spare > most {
					widest, most = i, spare
				}
			}
			if most == 0 {
				break
			}
			widths[widest]--
			over--
		}
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
			painted = p.paint(tone(c[0].Class), shown)
		case shown == text:
			var marks []string
			for _, m := range c {
				marks = append(marks, p.paint(tone(m.Class), Visible(m.Text)))
			}
			painted = strings.Join(marks, ", ")
		}
		if shown != "" && widths[i] > 2 {
			line += strings.Repeat(" ", gap) + painted
			gap = 0
		}
		gap += widths[i] - columns(shown) + 2
	}
	p.writeIndented(indent, line)
}

// padTo pads s with spaces to n columns.
func padTo(s string, n int) string { return s + strings.Repeat(" ", max(n-columns(s), 0)) }
