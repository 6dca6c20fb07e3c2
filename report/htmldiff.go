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

// writeDiffHTML writes a page in the style of a report.
func writeDiffHTML(w *bufio.Writer, d *diff.Diff, _ Options) error {
	class := "ok"
	switch {
	case d.Changed():
		class = "bad"
	case !d.Summary.Complete:
		class = "open"
	}
	var missing []string
	for i := range d.Problems {
		missing = append(missing, problemText(&d.Problems[i]))
	}
	if !d.Summary.Complete && missing == nil {
		missing = append(missing, "the comparison is incomplete")
	}
	nav := []navLink{}
	for i := range d.Servers {
		nav = append(nav, navLink{fmt.Sprintf("server-%d", i+1), Visible(cmp.Or(d.Servers[i].Entry, d.Servers[i].Name, "(unnamed)"))})
	}
	writeHTMLHead(w, "gauntlet diff: "+diffSum(d))
	if err := htmlPage().ExecuteTemplate(w, "verdict", map[string]any{"Title": "What changed", "Class": class, "Verdict": diffSum(d), "Exit": "", "Counts": nil, "Missing": missing, "Complete": d.Summary.Complete, "Read": "", "Nav": nav}); err != nil {
		return err
	}
	_, _ = w.WriteString("<main id=\"main\">\n")
	for i := range d.Servers {
		if err := htmlPage().ExecuteTemplate(w, "changes", viewServerChange(&d.Servers[i], i)); err != nil {
			return err
		}
	}
	writeHTMLEnd(w, "gauntlet", false)
	return nil
}

func viewServerChange(s *diff.Server, n int) map[string]any {
	title := cmp.Or(s.Entry, s.Name, "(unnamed)")
	state := ""
	if s.State != diff.Changed {
		state = "The server was " + string(s.State) + "."
	}
	if s.Was != "" {
		state += " It was called " + s.Was + " before."
	}
	var items []itemView
	for i := range s.Items {
		it := &s.Items[i]
		v := itemView{Title: itemName(it), State: string(it.State)}
		for k := range it.Parts {
			v.Parts = append(v.Parts, viewPart(&it.Parts[k]))
		}
		items = append(items, v)
	}
	return map[string]any{"ID": fmt.Sprintf("server-%d", n+1), "Title": title, "State": strings.TrimSpace(state), "Items": items}
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
