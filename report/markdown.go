package report

import (
	"bufio"
	"fmt"
	"strings"
)

// markdownLimit is the longest page in bytes: GitHub limits a comment to 65,536 characters, and no text has more characters than bytes.
const markdownLimit = 65_536

// writeMarkdown writes a page for a comment or a job summary: the verdict first, then what is missing, which limits what the
// rest means, then the sections. One with a share of the page goes before those that may take all. A page that is too long is
// cut, and says so.
//
// Server text appears only in code spans, where no host interprets markup, links, mentions or images.
func writeMarkdown(w *bufio.Writer, d *document, _ Options) error {
	p := &mdPage{w: w, left: markdownLimit}
	p.must("### " + strings.TrimSpace(d.title) + "\n")
	if d.Read != "" {
		p.must("\n" + codeSpan(d.Read, mdWide) + "\n")
	}
	p.writeSection(d.missing())
	for _, s := range d.sections {
		if !s.InHead && !s.Counted && !s.PageOnly {
			p.writeSection(s)
		}
	}
	return nil // the writer keeps its first error for Flush
}

// mdWide is the number of columns shown of a text.
const mdWide = 300

// mdAlike is the number of fields of one label that a row shows.
const mdAlike = 4

// mdReserve is kept for the sentences that say what was omitted.
const mdReserve = 2_000

// An mdPage is a page with a limit in bytes.
type mdPage struct {
	w    *bufio.Writer
	left int
}

func (p *mdPage) must(s string) {
	p.left -= len(s)
	_, _ = p.w.WriteString(s)
}

// writeSection writes as many rows with something to act on as fit on the page and in the share of s.
func (p *mdPage) writeSection(s section) {
	listed := s.listed()
	if !s.says(len(listed)) || p.left < mdReserve/8 {
		return
	}
	title := s.Title
	if s.Name != "" {
		title += " " + codeSpan(s.Name, mdWide)
	}
	if s.Remark != "" {
		title += " (" + s.Remark + ")"
	}
	p.must("\n#### " + title + "\n\n")
	room := p.left - mdReserve
	if s.Share > 0 {
		room = min(room, s.Share)
	}
	for _, text := range s.Intro {
		text = "- " + codeSpan(text, mdWide) + "\n"
		if room -= len(text); room >= 0 {
			p.must(text)
		}
	}
	for n, i := range listed {
		text := mdRow(s.row(i), s.Lines)
		if room -= len(text); room < 0 {
			p.must(fmt.Sprintf("- %s not shown: a comment has at most 65,536 characters. The other formats have all.\n", countNoun(len(listed)-n, s.Noun)))
			return
		}
		p.must(text)
	}
}

// mdRow writes a row as an item of a list; inline keeps the text beside the title.
func mdRow(r row, inline bool) string {
	var parts []string
	if r.Badge != "" {
		parts = append(parts, mdBadge(r.Badge))
	}
	if title := strings.TrimSpace(r.Rule + " " + r.Title); title != "" {
		parts = append(parts, codeSpan(title, mdWide))
	}
	if r.Where != "" {
		parts = append(parts, "in "+codeSpan(r.Where, mdWide))
	}
	b := &strings.Builder{}
	b.WriteString("- " + strings.Join(parts, " "))
	if inline && r.Text != "" {
		b.WriteString(strings.Repeat(": ", min(len(parts), 1)) + codeSpan(r.Text, mdWide))
		r.Text = ""
	}
	br := "  \n  "
	line := func(label, text string) {
		if text != "" {
			b.WriteString(br + strings.TrimPrefix(label+": ", ": ") + codeSpan(text, mdWide))
			br = "  \n  "
		}
	}
	line("why", r.Text)
	line("evidence", r.Evidence.Raw)
	for _, f := range fewer(r.Fields, mdAlike) {
		if f.Below {
			line("", f.Label)
			f.Label = ""
		}
		line(f.Label, f.Text)
		if f.Edits != nil {
			b.WriteString(mdEdits(f.Edits))
			br = "\n\n  "
		}
	}
	return b.String() + "\n"
}

// mdBadge returns a badge as markup if it can be only a word of ours.
func mdBadge(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyz ") == "" {
		return "**" + s + "**"
	}
	return codeSpan(s, mdWide)
}

// maxTicks is the longest run of backticks kept in a code span. Readers give up on longer fences, and the code would become markup.
const maxTicks = 3

// untick returns text whose runs of backticks a reader takes for text inside of longer fences, and the length of the longest.
func untick(s string) (string, int) {
	longest, run := 0, 0
	for i := range len(s) {
		if run++; s[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	if longest > maxTicks {
		return strings.ReplaceAll(s, "`", "<U+0060>"), 0
	}
	return s, longest
}

// codeSpan returns untrusted text as a Markdown code span that it cannot leave: Visible and therefore one line of at
// most wide columns, fenced by more backticks than it has in a row.
func codeSpan(s string, wide int) string {
	s = clipText(Visible(s), wide)
	s, longest := untick(s)
	fence := strings.Repeat("`", longest+1)
	if strings.Trim(s, " ") == "" {
		return fence + " " + s + " " + fence
	}
	// Readers strip one space off both ends, so add two; otherwise a text that begins with a backtick would lengthen the fence.
	if s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' && s[len(s)-1] == ' ' {
		s = " " + s + " "
	}
	return fence + s + fence
}
