package integrity

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// reportChange reports the changed members of a definition, if any, as one finding, at the first of them.
func (k kept) reportChange(p *check.Pass, severity finding.Severity, cs []change) {
	if len(cs) == 0 {
		return
	}
	var words []string
	var related []check.Place
	var content []string
	for _, c := range cs {
		words = append(words, c.String())
		content = append(content, c.member+"\x00"+c.new.Canonical())
		related = append(related, p.At(k.Was, k.wasItem, c.old))
	}
	slices.Sort(content) // member order has no meaning
	identity := append([]string{check.Identity(k.Is), string(k.isItem.Kind), k.isItem.Label()}, content...)
	at := cs[0].new
	r := check.Relation{
		At: p.At(k.Is, k.isItem, at), Related: related, Severity: severity, Identity: identity,
		Message: strings.Join(words, "; "),
	}
	if at.Kind() == rawjson.String {
		start, same := changed(cs[0].old.Text(), at.Text())
		r.Start, r.End = start, len(at.Text())-same
	}
	p.Report(r)
}

// String describes the change: old and new text around the first difference, or the places in a schema.
func (c change) String() string {
	switch {
	case !c.new.Exists():
		return fmt.Sprintf("%s was removed since the baseline: it was %s", c.member, shown(c.old))
	case !c.old.Exists():
		return fmt.Sprintf("%s is new since the baseline: %s", c.member, shown(c.new))
	case c.old.Kind() == rawjson.String && c.new.Kind() == rawjson.String:
		a, b := c.old.Text(), c.new.Text()
		start, same := changed(a, b)
		was, is := a[start:len(a)-same], b[start:len(b)-same]
		if was == "" {
			return fmt.Sprintf("%s changed since the baseline: added %s", c.member, excerpt.Quote(is, most))
		}
		return fmt.Sprintf("%s changed since the baseline: %s → %s", c.member, excerpt.Quote(was, most), excerpt.Quote(is, most))
	}
	const places = 4
	ds := rawjson.Differences(c.old, c.new, places+1)
	var words []string
	for i, d := range ds {
		if i == places {
			words = append(words, "and more")
			break
		}
		at := excerpt.Clip(strings.ReplaceAll(strings.TrimPrefix(d.Pointer, "/"), "/", "."), 120)
		switch {
		case !d.Old.Exists():
			words = append(words, fmt.Sprintf("%s added: %s", at, shown(d.New)))
		case !d.New.Exists():
			words = append(words, fmt.Sprintf("%s removed: %s", at, shown(d.Old)))
		default:
			words = append(words, strings.TrimSpace(fmt.Sprintf("%s %s → %s", at, shown(d.Old), shown(d.New))))
		}
	}
	return fmt.Sprintf("%s changed since the baseline (%s)", c.member, strings.Join(words, ", "))
}

// most limits the bytes of a value in a message.
const most = 90

func shown(v rawjson.Value) string {
	if v.Kind() == rawjson.String {
		return excerpt.Quote(v.Text(), most)
	}
	return excerpt.Clip(v.Canonical(), most)
}

// changed returns where two texts differ: they are equal up to start and in their last same bytes. The part of new in
// between is empty only if new is.
func changed(old, new string) (start, same int) {
	limit := min(len(old), len(new))
	for start < limit && old[start] == new[start] {
		start++
	}
	for same < limit-start && old[len(old)-1-same] == new[len(new)-1-same] {
		same++
	}
	// Do not cut words, let alone characters.
	for start > 0 && !isSpace(new[start-1]) {
		start--
	}
	for same > 0 && !isSpace(new[len(new)-same]) && !(between(old, len(old)-same) && between(new, len(new)-same)) {
		same--
	}
	// For a pure deletion, the word before or after it shows where.
	if start == len(new)-same && new != "" {
		start = strings.LastIndexAny(strings.TrimRight(new[:start], " \t\r\n"), " \t\r\n") + 1
		for start == len(new)-same && same > 0 || same > 0 && start == 0 && !isSpace(new[len(new)-same]) {
			same--
		}
	}
	return start, same
}

// between reports whether a word may begin at s[at].
func between(s string, at int) bool { return at == 0 || isSpace(s[at-1]) }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
