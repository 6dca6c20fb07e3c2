package report

import (
	"bufio"
	"slices"
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/result"
)

// samples has every text of a row in a place of its own, and rows that ask for nothing.
func samples(lines bool) section {
	rows := []row{
		{Badge: "failed", Title: "one", Where: "a.json:1", Text: "it broke", Fields: []field{{Label: "do", Text: "mend it"}}},
		{Badge: "held", Title: "two"},
		{Badge: "failed", Title: "three", Group: "outer", Fields: []field{{Label: "at", Text: "here", Aside: true}}},
	}
	s := withRows(section{ID: "s", Title: "Samples", Remark: "of rows", Lines: lines, Heads: []string{"Result", "Sample"}, Noun: "sample"}, rows, func(r *row) row { return *r })
	s.quiet = func(i int) bool { return rows[i].Badge == "held" }
	return s
}

func prettyOf(s section, opt Options) string {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	newPage(w, opt).writeSection(s)
	_ = w.Flush()
	return b.String()
}

func TestPrettySections(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines bool
		want  string
	}{
		{"blocks", false, `Samples  of rows
  FAILED    one  a.json:1
    why:      it broke
    do:       mend it
  outer
    FAILED    three
      at:       here

`},
		{"lines", true, `Samples  of rows
  failed    one: it broke; do: mend it
            a.json:1
  outer
    failed    three; at: here

`},
	} {
		if got := prettyOf(samples(tt.lines), Options{}); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
	s := samples(true)
	s.Remark, s.quiet = "", func(int) bool { return true }
	if got := prettyOf(s, Options{}); got != "" {
		t.Errorf("a section whose rows ask for nothing says %q", got)
	}
	s.Remark = "all held"
	if got := prettyOf(s, Options{}); got != "Samples  all held\n\n" {
		t.Errorf("with a remark it says %q", got)
	}
}

// A place that does not fit beside the title is not cut short.
func TestLongPlacesHaveALine(t *testing.T) {
	s := samples(false)
	where := strings.Repeat("folder/", 20) + "the-end.json"
	one := s.row(0)
	one.Where = where
	got := prettyOf(withRows(section{Title: "S"}, []row{one}, func(r *row) row { return *r }), Options{Width: 80})
	if joined := strings.ReplaceAll(strings.ReplaceAll(got, "\n", ""), " ", ""); !strings.Contains(joined, "in:"+where) {
		t.Errorf("the place is not whole in\n%s", got)
	}
}

func TestSectionTables(t *testing.T) {
	s := samples(true)
	got := s.table()
	if want := []string{"Part of", "Result", "Sample", "Where", "Why", "Do", "At"}; !slices.Equal(got.Head, want) {
		t.Errorf("head %q, want %q", got.Head, want)
	}
	var rows []string
	for _, r := range got.Rows {
		var texts []string
		for _, c := range r {
			texts = append(texts, c.visible())
		}
		rows = append(rows, strings.Join(texts, "|"))
	}
	if want := []string{"|failed|one|a.json:1|it broke|mend it|", "|held|two||||", "outer|failed|three||||here"}; !slices.Equal(rows, want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
}

func TestMarkdownRows(t *testing.T) {
	for _, tt := range []struct {
		name   string
		row    row
		inline bool
		want   string
	}{
		{"a block", samples(false).row(0), false, "- **failed** `one` in `a.json:1`  \n  why: `it broke`  \n  do: `mend it`\n"},
		{"a line", samples(true).row(0), true, "- **failed** `one` in `a.json:1`: `it broke`  \n  do: `mend it`\n"},
		{"a rule goes before the title", row{Rule: "SEC-001", Title: "n"}, false, "- `SEC-001 n`\n"},
		{"a badge that is not our own word", row{Badge: "[a](b)"}, false, "- `[a](b)`\n"},
		{"evidence", row{Title: "t", Evidence: finding.Evidence{Raw: "`"}}, false, "- `t`  \n  evidence: `` ` ``\n"},
	} {
		if got := mdRow(tt.row, tt.inline); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Fields of one label are counted beyond a number, one too many is shown, and what stands below its label is all shown.
func TestFewer(t *testing.T) {
	of := func(label string, n int) []field { return slices.Repeat([]field{{Label: label, Text: "x"}}, n) }
	for _, tt := range []struct {
		name   string
		fields []field
		want   int
		last   string
	}{
		{"few", of("a", 3), 3, "x"},
		{"one more", of("a", 4), 4, "x"},
		{"many", of("a", 9), 4, "… and 6 more"},
		{"other labels between", slices.Concat(of("a", 4), of("b", 1), of("a", 4)), 9, "x"},
		{"changes", slices.Repeat([]field{{Text: "x", Below: true}}, 9), 9, "x"},
	} {
		got := fewer(tt.fields, 3)
		if len(got) != tt.want || got[len(got)-1].Text != tt.last {
			t.Errorf("%s: %d fields, the last %q; want %d, %q", tt.name, len(got), got[len(got)-1].Text, tt.want, tt.last)
		}
	}
}

func TestTablesFitATerminal(t *testing.T) {
	long := strings.Repeat("word ", 30)
	rows := listRows(section{Heads: []string{"", "Name", "Found", "Where"}, Aligned: &aligned{}}, []row{{Title: long, Where: long, Fields: []field{{Label: "Found", Text: "2 high", Tone: "high"}, {Label: "Found", Text: "1 low", Tone: "low"}}}})
	for _, width := range []int{50, 80, 200, 0} {
		var b strings.Builder
		w := bufio.NewWriter(&b)
		newPage(w, Options{Width: width, Color: true}).writeTable(2, &rows)
		_ = w.Flush()
		plain := colours.ReplaceAllString(b.String(), "")
		for line := range strings.Lines(plain) {
			if n := columns(strings.TrimSuffix(line, "\n")); width > 0 && n > width {
				t.Errorf("%d columns of %d: %q", n, width, line)
			}
		}
		if !strings.Contains(plain, "2 high, 1 low") {
			t.Errorf("at %d columns a column is cut below what it needs:\n%s", width, plain)
		}
		if !strings.Contains(b.String(), "\x1b[31m2 high\x1b[0m, ") {
			t.Errorf("the marks are not painted: %q", b.String())
		}
	}
}

// A trial of a tool as a whole names the tool alone.
func TestTrialsWithoutParameter(t *testing.T) {
	r := &result.Report{Probing: &result.Probing{Trials: []result.ProbeTrial{{Class: "error hygiene", Tool: "create_scene", Planned: true, Outcome: result.NotDelivered, Reason: "no call"}}}}
	one := probeSection(r).row(0)
	if got, want := one.line(), "error hygiene in create_scene: no call"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
