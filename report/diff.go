package report

import (
	"bufio"
	"cmp"
	"fmt"
	"html/template"
	"strings"

	"gauntlet/diff"
	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
)

var (
	_ = documentFormats(&diffFormats, "in docs/schemas/diff.schema.json", diffDocument)
	_ = diffFormats.register("markdown", "for pull requests", func(w *bufio.Writer, d *diff.Diff, opt Options) error { return writeMarkdown(w, diffDocument(d), opt) })
)

// diffDocument has a section per server, with a paragraph per definition.
func diffDocument(d *diff.Diff) *document {
	out := &document{Page: Page{Title: "What changed", Class: "ok", Verdict: diffSum(d)}, AtEnd: true, Complete: d.Summary.Complete, title: "gauntlet diff: " + diffSum(d)}
	switch {
	case d.Changed():
		out.Class = "bad"
	case !d.Summary.Complete:
		out.Class = "open"
	}
	for i := range d.Servers {
		out.sections = append(out.sections, changeSection(&d.Servers[i], i))
	}
	out.sections = append(out.sections, problemSection(d.Problems, ""))
	for i := range d.Problems {
		out.Missing = append(out.Missing, problemText(&d.Problems[i]))
	}
	if !d.Summary.Complete && out.Missing == nil {
		out.Missing = []string{"the comparison is incomplete"}
	}
	return out
}

func diffSum(d *diff.Diff) string {
	s := fmt.Sprintf("%d changed, %d removed, %d added, %d the same.", d.Summary.Changed, d.Summary.Removed, d.Summary.Added, d.Summary.Same)
	if !d.Summary.Complete {
		s += " The comparison is incomplete."
	}
	return s
}

// changeSection lists the changed definitions of a server, the n-th of a diff.
func changeSection(s *diff.Server, n int) section {
	out := section{ID: fmt.Sprintf("server-%d", n+1), Title: "Server", Name: cmp.Or(s.Entry, s.Name, "(unnamed)"), Noun: "definition"}
	if s.State != diff.Changed {
		out.Remark = string(s.State)
	}
	if s.Entry != "" && s.Entry != s.Name {
		out.Intro = append(out.Intro, "calls itself "+s.Name)
	}
	if s.Was != "" {
		out.Intro = append(out.Intro, "called itself "+s.Was+" before")
	}
	return withRows(out, s.Items, func(it *diff.Item) row {
		one := row{Badge: string(it.State), Tone: changeTones[it.State], Title: itemName(it), Open: true}
		for i := range it.Parts {
			one.Fields = append(one.Fields, partFields(&it.Parts[i], it.State)...)
		}
		return one
	})
}

var changeTones = map[diff.State]tone{diff.Added: toneGood, diff.Removed: "high", diff.Changed: "medium"}

func itemName(it *diff.Item) string {
	switch {
	case it.Kind == finding.Server:
		return "the server's own words"
	case it.Name == "":
		return kindWord(it.Kind) + " without a name"
	}
	return kindWord(it.Kind) + " " + it.Name
}

// partFields describes the changes of a part, the first below the part's name.
func partFields(p *diff.Part, of diff.State) []field {
	var out []field
	change := func(place, words string, edits []diff.Edit, old, new string) {
		if edits == nil {
			place = strings.TrimPrefix(place+"  "+strings.TrimPrefix(words+" "+oldAndNew(old, new), " "), "  ")
		}
		out = append(out, field{Text: place, Edits: edits, Below: true})
	}
	if p.Text != nil {
		change("", "", p.Text, "", "")
	}
	for _, e := range p.Schema {
		words := e.Words
		if words != "" {
			words += ":"
		}
		change(fmt.Sprintf("%-9s  %s", classWord(e.Class), cmp.Or(e.Pointer, "(the whole value)")), words, e.Text, e.Old, e.New)
	}
	for _, v := range p.Values {
		words := ""
		switch {
		case v.Pointer == "":
		case v.Old == "":
			words = "added"
		case v.New == "":
			words = "removed"
		}
		change(v.Pointer, words, v.Text, v.Old, v.New)
	}
	if p.More > 0 {
		out = append(out, field{Text: fmt.Sprintf("… and %d more", p.More), Below: true})
	}
	if out == nil {
		out = []field{{Below: true}}
	}
	out[0].Label = cmp.Or(p.Member, "definition")
	if p.State != of || p.Text == nil && p.Schema == nil && p.Values == nil {
		out[0].Label += "  " + string(p.State)
	}
	if p.Class != "" {
		out[0].Label += "  " + cmp.Or(map[string]string{"same": "accepts the same"}[p.Class], p.Class)
	}
	return out
}

// classWord returns the class of a change: "words" if the accepted values stay the same.
func classWord(c string) string {
	if c == "same" {
		return "words"
	}
	return c
}

// oldAndNew returns the values of a change as "a → b", or the only one there is.
func oldAndNew(old, new string) string {
	switch {
	case old == "":
		return clipped(new)
	case new == "":
		return clipped(old)
	}
	return clipped(old) + " → " + clipped(new)
}

// most is the number of bytes shown of one text or value; JSON has all of it.
const most = 4_000

// clipped makes a text Visible and cuts what is beyond most.
func clipped(s string) string {
	head, more := clipBytes(s)
	return Visible(head) + more
}

// clipBytes cuts a text to most bytes and says how much is missing.
func clipBytes(s string) (head, more string) {
	if len(s) <= most {
		return s, ""
	}
	head = excerpt.Head(s, most)
	return head, fmt.Sprintf(" … and %d bytes more, which --format json shows", len(s)-len(head))
}

// nextToChange cuts unchanged text to what is next to a change: its beginning if the text before it changed, its end if the
// text after it did.
func nextToChange(s string, before, after bool) string {
	const around = 60
	if len(s) <= 2*around+20 {
		return s
	}
	head, tail := "", ""
	if before {
		head = excerpt.Head(s, around)
	}
	if after {
		tail = excerpt.Tail(s, around)
	}
	return head + "…" + tail
}

// editsText marks removed and added text as [-so-] and {+so+}, each line in colours if p paints. Line breaks are kept, with
// bar before each new line, so that no text can pass for a line of ours.
func editsText(p palette, edits []diff.Edit, bar string) string {
	var b strings.Builder
	for i, e := range edits {
		text, more := clipBytes(e.Text)
		var look tone
		switch e.Op {
		case diff.Remove:
			text, look = "[-"+text+"-]", "high"
		case diff.Insert:
			text, look = "{+"+text+"+}", toneGood
		default:
			text, more = nextToChange(e.Text, i > 0, i+1 < len(edits)), ""
		}
		lines := strings.Split(text, "\n")
		for n := range lines {
			lines[n] = p.paint(look, Visible(lines[n]))
		}
		b.WriteString(strings.Join(lines, "\n"+bar) + more)
	}
	return b.String()
}

// editsHTML is the markup of a changed text.
func editsHTML(edits []diff.Edit) (out template.HTML) {
	tags := map[diff.Op][2]template.HTML{diff.Remove: {"<del>", "</del>"}, diff.Insert: {"<ins>", "</ins>"}}
	for _, e := range edits {
		text, more := clipBytes(e.Text)
		out += tags[e.Op][0] + visibleLinesHTML(text) + tags[e.Op][1] + template.HTML(more)
	}
	return out
}

// mdEdits shows a changed text in a code block, which it cannot end.
func mdEdits(edits []diff.Edit) string {
	text, longest := untick(editsText(false, edits, "  "))
	fence := strings.Repeat("`", max(3, longest+1))
	return "\n\n  " + fence + "\n  " + text + "\n  " + fence
}
