package scanner

import (
	"cmp"
	"slices"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/result"
)

// locateFindings sets lines and columns of findings and problems in one pass per document.
func locateFindings(docs []*catalog.Document, r *result.Report) {
	type place struct {
		offset       int
		line, column *int
	}
	places := make([][]place, len(docs))
	add := func(input, offset int, line, column *int) {
		// A live server's answers have no lines that a user could look up.
		if input >= 0 && input < len(docs) && docs[input].Name != "" {
			places[input] = append(places[input], place{offset, line, column})
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		add(f.Input, f.Order, &f.Location.Line, &f.Location.Column)
		add(f.Input, f.OrderEnd, &f.Location.EndLine, &f.Location.EndColumn)
		for i, s := range f.RelatedSpans {
			l := &f.Related[i]
			add(s.Input, s.Start, &l.Line, &l.Column)
			add(s.Input, s.End, &l.EndLine, &l.EndColumn)
		}
	}
	for i := range r.Problems {
		p := &r.Problems[i]
		add(p.Input, p.Order, &p.Location.Line, &p.Location.Column)
	}
	for n, ps := range places {
		slices.SortFunc(ps, func(a, b place) int { return cmp.Compare(a.offset, b.offset) })
		offsets := make([]int, len(ps))
		for i := range ps {
			offsets[i] = ps[i].offset
		}
		for i, pos := range docs[n].Positions(offsets) {
			*ps[i].line, *ps[i].column = pos.Line, pos.Column
		}
	}
	slices.SortStableFunc(r.Problems, func(a, b finding.Problem) int {
		return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(a.Order, b.Order))
	})
}
