package differential

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// A difference is a definition in two accounts.
type difference struct {
	a, b         *account
	was, is      *catalog.Item // nil if the account has none
	old, new     rawjson.Value // first differing values inside the items
	where        string        // name of that place, "" for the whole item
	more         bool          // there are further places
	unstable     bool
	steady       string // what only one client is told in a varying part; "" for a stable part
	list         int
	treeA, treeB rawjson.Tree
}

func (a *account) clientName() string {
	if a.as == "" {
		return "gauntlet"
	}
	return a.as
}

// compare finds where a definition differs in the given parts.
func compare(a, b *account, k key, parts []string) *difference {
	d := &difference{a: a, b: b, list: k.list}
	was, is := a.said[k], b.said[k]
	if was != nil {
		d.was = was.items[0]
		d.old = d.was.Parse(a.server, &d.treeA)
	}
	if is != nil {
		d.is = is.items[0]
		d.new = d.is.Parse(b.server, &d.treeB)
	}
	if d.was == nil || d.is == nil {
		return d
	}
	for _, at := range rawjson.Differences(d.old, d.new, maxPlaces) {
		switch {
		case !slices.Contains(parts, partOf(at.Pointer)):
		case d.list == resources && (at.Pointer == "/size" || at.Pointer == "/annotations/lastModified"):
		case d.where == "":
			d.where = strings.ReplaceAll(strings.TrimPrefix(at.Pointer, "/"), "/", ".")
			d.old, d.new = at.Old, at.New
			if d.where == "" {
				d.where = d.was.Label()
			}
		default:
			d.more = true
		}
	}
	return d
}

func partOf(pointer string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(first)
}

const (
	// maxPlaces limits the search for the first relevant place.
	maxPlaces = 200
	// most limits the bytes of a value in a message, lead those of equal text before a difference.
	most = 200
	lead = 20
)

// words describes the difference; first and second say when or for whom the accounts hold, as in "for the client x" or "the second time".
func (d *difference) words(first, second string) string {
	switch {
	case d.was == nil:
		return fmt.Sprintf("%s %s appears only %s: %s", kind(d.is), labelItem(d.is), second, shown(d.new, ""))
	case d.is == nil:
		return fmt.Sprintf("%s %s appears only %s: %s", kind(d.was), labelItem(d.was), first, shown(d.old, ""))
	}
	more := ""
	if d.more {
		more = "; more differs"
	}
	where := d.where
	if where == "" { // several of one name, of which the first are equal
		where = "a definition of that name"
	}
	return fmt.Sprintf("%s differs: %s it is %s, %s it is %s%s", excerpt.Clip(where, 120),
		first, against(d.old, d.new), second, against(d.new, d.old), more)
}

func kind(it *catalog.Item) string {
	if it.Kind == finding.Server {
		return "the server's"
	}
	return "the " + string(it.Kind)
}

func labelItem(it *catalog.Item) string { return excerpt.Quote(it.Label(), 80) }

// against shows a value from where it differs from another.
func against(v, other rawjson.Value) string {
	if !v.Exists() {
		return "nothing"
	}
	text := ""
	if other.Kind() == rawjson.String {
		text = other.Text()
	}
	return shown(v, text)
}

func shown(v rawjson.Value, other string) string {
	if v.Kind() != rawjson.String {
		return excerpt.Clip(v.Canonical(), most)
	}
	s := v.Text()
	at := 0
	for at < min(len(s), len(other)) && s[at] == other[at] {
		at++
	}
	// Whole words, and a few before, to show where.
	if at = strings.LastIndexAny(s[:max(0, at-lead)], " \t\r\n") + 1; at > 0 {
		return "…" + excerpt.Quote(s[at:], most)
	}
	return excerpt.Quote(s, most)
}

// reportDifference reports the finding at the catalog's definition.
func (d *difference) reportDifference(p *check.Pass, message string, severity finding.Severity) {
	r := check.Relation{Message: message, Severity: severity, At: p.At(d.a.server, nil, rawjson.Value{})}
	it, by, content := d.was, d.a, ""
	if d.was != nil {
		r.At = p.At(d.a.server, d.was, d.old)
	}
	if d.is != nil {
		r.Related = []check.Place{p.At(d.b.server, d.is, d.new)}
		it, by, content = d.is, d.b, d.new.Canonical()
	}
	if d.unstable || d.steady != "" {
		content = d.steady // otherwise the fingerprint would vary with the text
	}
	r.Identity = []string{check.Identity(d.a.server), string(it.Kind), it.Label(), d.where, content}
	if !d.unstable {
		r.Identity = append(r.Identity, by.as)
	}
	p.Report(r)
}
