package report

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"

	"gauntlet/diff"
	"gauntlet/finding"
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

// diffSum returns the closing summary line.
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
