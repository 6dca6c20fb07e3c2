package cli

import (
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/wire"
	"gauntlet/result"
)

// A veil hides what was given to live servers for their eyes only.
type veil struct {
	whole *strings.Replacer
	// heads and tails hold the values by their first and last shortestSecret bytes.
	heads, tails map[string][]string
	longest      int
}

// newVeil makes a veil for values given as NAME=VALUE.
func newVeil(given []string) *veil {
	v := &veil{whole: wire.Redactor(given), heads: map[string][]string{}, tails: map[string][]string{}}
	for _, g := range given {
		_, value, _ := strings.Cut(g, "=")
		for _, value := range wire.Spellings(value) {
			head, tail := value[:shortestSecret], value[len(value)-shortestSecret:]
			v.heads[head] = append(v.heads[head], value)
			v.tails[tail] = append(v.tails[tail], value)
			v.longest = max(v.longest, len(value))
		}
	}
	return v
}

// shortestSecret is the length in bytes below which a value stands in every text.
const shortestSecret = 4

// redactReport hides the values wherever they stand in a report, which goes to logs and
// code hosts: a server may repeat its own, or have got hold of another's. An excerpt that
// loses a value keeps the offsets of the server's own text. Findings in configurations
// mask their secrets themselves, and what else stands there is what they are about.
func redactReport(r *result.Report, v *veil) {
	configurations := map[string]bool{}
	if c := r.Clients; c != nil {
		for _, f := range c.Files {
			configurations[f.File] = true
		}
		for i := range c.Entries {
			v.each(c.Entries[i].Servers)
			v.each(c.Entries[i].Tools)
			v.all(&c.Entries[i].Reason)
		}
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; !configurations[f.Location.File] {
			v.finding(f)
		}
	}
	for i := range r.Suppressed {
		if f := &r.Suppressed[i].Finding; !configurations[f.Location.File] {
			v.finding(f)
		}
	}
	for i := range r.Problems {
		v.message(&r.Problems[i].Message)
		v.location(&r.Problems[i].Location)
	}
	for i := range r.Coverage.Servers {
		v.all(&r.Coverage.Servers[i].Server, &r.Coverage.Servers[i].Origin)
	}
	if t := r.Coverage.Trace; t != nil {
		v.each(t.Servers)
	}
	for i := range r.Posture {
		v.all(&r.Posture[i].Detail)
	}
}

func (v *veil) finding(f *finding.Finding) {
	v.evidence(&f.Evidence)
	v.message(&f.Message)
	v.location(&f.Location)
	for i := range f.Related {
		v.location(&f.Related[i])
	}
}

// evidence hides values in an excerpt. Where a value stands only in what was read there,
// the text itself holds it in a form that we do not know; and the other way round.
func (v *veil) evidence(e *finding.Evidence) {
	raw, read := e.Raw, e.Normalized
	v.all(&e.Raw, &e.Normalized, &e.Before, &e.After)
	v.edges(&e.Raw, &e.Normalized, &e.Before, &e.After)
	switch {
	case read == "":
	case raw == e.Raw && read != e.Normalized:
		e.Raw = e.Normalized
	case raw != e.Raw && read == e.Normalized:
		e.Normalized = ""
	}
}

// message hides values in words of ours, which quote strangers' texts and cut them short
// with an ellipsis.
func (v *veil) message(t *string) {
	v.all(t)
	parts := strings.Split(*t, "…")
	for i := range parts {
		if i < len(parts)-1 {
			v.cutEnd(&parts[i])
		}
		if i > 0 {
			v.cutStart(&parts[i])
		}
	}
	*t = strings.ReplaceAll(strings.Join(parts, "…"), "……", "…")
}

// location leaves the file alone, which is the user's own word.
func (v *veil) location(l *finding.Location) { v.all(&l.Server, &l.Item, &l.Pointer, &l.Origin) }

func (v *veil) all(texts ...*string) {
	for _, t := range texts {
		*t = v.whole.Replace(*t)
	}
}

func (v *veil) each(texts []string) {
	for i := range texts {
		v.all(&texts[i])
	}
}

// edges removes a part of a value that an excerpt begins or ends with: where the text was
// cut in the middle of it, the whole value is not there to be found.
func (v *veil) edges(texts ...*string) {
	for _, t := range texts {
		v.cutEnd(t)
		v.cutStart(t)
	}
}

// cutEnd removes the longest beginning of a value that t ends with.
func (v *veil) cutEnd(t *string) {
	for at := max(0, len(*t)-v.longest); at+shortestSecret <= len(*t); at++ {
		for _, value := range v.heads[(*t)[at:at+shortestSecret]] {
			if strings.HasPrefix(value, (*t)[at:]) {
				*t = (*t)[:at] + "…"
				return
			}
		}
	}
}

// cutStart removes the longest end of a value that t begins with.
func (v *veil) cutStart(t *string) {
	for end := min(v.longest, len(*t)); end >= shortestSecret; end-- {
		for _, value := range v.tails[(*t)[end-shortestSecret:end]] {
			if strings.HasSuffix(value, (*t)[:end]) {
				*t = "…" + (*t)[end:]
				return
			}
		}
	}
}

// secretsIn returns the names of the values that stand in text.
func secretsIn(text string, given []string) []string {
	var names []string
	for _, e := range given {
		name, value, _ := strings.Cut(e, "=")
		if slices.ContainsFunc(wire.Spellings(value), func(s string) bool { return strings.Contains(text, s) }) {
			names = append(names, name)
		}
	}
	return names
}
