package differential

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// A side is what one client was told, or what was said at one time; told describes it.
type side struct {
	accounts []*account
	told     string
}

// inNoise reports a part of a definition that always varies but still tells one side something: a server must not escape comparison by
// adding a clock. The clients are asked in turn, so that time alone never shows a word to one of them every time and to the other never.
func inNoise(p *check.Pass, k key, moving []string, a, b side) {
	first, other := a.accounts[0], b.accounts[0]
	if first.said[k] == nil || other.said[k] == nil || slices.Contains(moving, whole) {
		return
	}
	slices.Sort(moving)
	for _, part := range slices.Compact(moving) {
		for _, sides := range [][2]side{{a, b}, {b, a}} {
			words := steady(k, part, sides[0].accounts, sides[1].accounts)
			if len(words) == 0 || len(words) == 1 && len(sides[0].accounts) == 1 { // one may be random
				continue
			}
			d := compare(first, other, k, []string{part})
			d.where, d.steady = part, strings.Join(words, " ")
			if part == "" { // not an object
				d.where = d.was.Label()
			}
			d.reportDifference(p, fmt.Sprintf("%s varies from one request to the next, and only %s does it contain %s",
				excerpt.Clip(d.where, 120), sides[0].told, excerpt.Quote(d.steady, most)), finding.None)
			return
		}
	}
}

// steady returns the words of a part that all of these accounts have and none of the others, in order. Words with
// digits are omitted: counters and random numbers coincide by chance.
func steady(k key, part string, these, others []*account) []string {
	words := slices.DeleteFunc(these[0].words(k, part), func(w string) bool { return strings.ContainsAny(w, "0123456789") })
	for i, a := range slices.Concat(these[1:], others) {
		has := map[string]bool{}
		for _, w := range a.words(k, part) {
			has[w] = true
		}
		words = slices.DeleteFunc(words, func(w string) bool { return has[w] != (i < len(these)-1) })
	}
	return words
}

// words returns the words of a part of a definition, as JSON if it is not a string.
func (a *account) words(k key, part string) []string {
	d := a.said[k]
	if d == nil {
		return nil
	}
	var out []string
	var tree rawjson.Tree
	for _, it := range d.items {
		v := it.Parse(a.server, &tree)
		if v.Kind() == rawjson.Object {
			v = v.Get(part)
		}
		text := v.Canonical()
		if v.Kind() == rawjson.String {
			text = v.Text()
		}
		for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"{}[],`, r) }) {
			if w = strings.TrimRight(w, ".;:!?"); w != "" {
				out = append(out, w)
			}
		}
	}
	return out
}
