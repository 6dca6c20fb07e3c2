package report

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"

	"gauntlet/diff"
)

var _ = diffFormats.register("html", "for a browser: one file with removals and additions marked", writeDiffHTML)

// A changeView is one changed place.
type changeView struct {
	Where string
	Edits []editView
}

// An editView is a stretch of text that was kept, added or removed.
type editView struct {
	Came, Went bool
	Text       string
}

// A partView is a changed member of a definition.
type partView struct {
	Title   string
	Changes []changeView
	More    int
}

// An itemView is a changed definition.
type itemView struct {
	Title, State string
	Parts        []partView
}

// A serverView is a changed server.
type serverView struct {
	ID, Title, State string
	Items            []itemView
}

// writeDiffHTML writes a page in the style of a report.
func writeDiffHTML(w *bufio.Writer, d *diff.Diff, _ Options) error {
	class := "ok"
	switch {
	case d.Changed():
		class = "bad"
	case !d.Summary.Complete:
		class = "open"
	}
	head := &htmlHead{Title: "What changed", Class: class, Verdict: diffSum(d), Complete: d.Summary.Complete, title: "gauntlet diff: " + diffSum(d)}
	for i := range d.Problems {
		head.Missing = append(head.Missing, problemText(&d.Problems[i]))
	}
	if !d.Summary.Complete && head.Missing == nil {
		head.Missing = []string{"the comparison is incomplete"}
	}
	var parts []htmlPart
	for i := range d.Servers {
		v := viewServer(&d.Servers[i], i)
		parts = append(parts, executed(v.ID, v.Title, "changes", v))
	}
	return writeHTMLPage(w, head, parts)
}

func viewServer(s *diff.Server, n int) serverView {
	out := serverView{ID: fmt.Sprintf("server-%d", n+1), Title: cmp.Or(s.Entry, s.Name, "(unnamed)")}
	if s.State != diff.Changed {
		out.State = "The server was " + string(s.State) + "."
	}
	if s.Was != "" {
		out.State += " It was called " + s.Was + " before."
	}
	for i := range s.Items {
		it := &s.Items[i]
		v := itemView{Title: itemName(it), State: string(it.State)}
		for k := range it.Parts {
			v.Parts = append(v.Parts, viewPart(&it.Parts[k]))
		}
		out.Items = append(out.Items, v)
	}
	return out
}

func viewPart(p *diff.Part) partView {
	v := partView{Title: strings.TrimSpace(cmp.Or(p.Member, "definition") + " " + string(p.State)), More: p.More}
	if p.Class != "" {
		v.Title += ", " + classWord(p.Class)
	}
	if p.Text != nil {
		v.Changes = append(v.Changes, changeView{"", viewEdits(p.Text)})
	}
	for _, e := range p.Schema {
		where := classWord(e.Class) + "  " + visiblePointer(e.Pointer) + "  " + Visible(e.Words)
		v.Changes = append(v.Changes, changeView{strings.TrimSpace(where), viewSides(e.Text, e.Old, e.New)})
	}
	for _, c := range p.Values {
		v.Changes = append(v.Changes, changeView{Visible(c.Pointer), viewSides(c.Text, c.Old, c.New)})
	}
	return v
}

func viewSides(text []diff.Edit, old, new string) []editView {
	if text != nil {
		return viewEdits(text)
	}
	var out []editView
	if old != "" {
		out = append(out, editView{Went: true, Text: shorten(old)})
	}
	if new != "" {
		out = append(out, editView{Came: true, Text: shorten(new)})
	}
	return out
}

func viewEdits(edits []diff.Edit) []editView {
	out := make([]editView, len(edits))
	for i, e := range edits {
		out[i] = editView{Came: e.Op == diff.Insert, Went: e.Op == diff.Remove, Text: shorten(e.Text)}
	}
	return out
}

// shorten cuts a text to the length shown to a person. The result is not Visible yet.
func shorten(s string) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + fmt.Sprintf("… %s more bytes", groupDigits(len(s)-most))
}
