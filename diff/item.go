package diff

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/leaf/schema"
	"gauntlet/rawjson"
)

// compareItems compares two states of an item; nil means added or removed.
func compareItems(p catalog.Pair, was, is *catalog.Item) Item {
	var before, now rawjson.Tree
	var old, new rawjson.Value
	var out Item
	if was != nil {
		old = was.Parse(p.Was, &before)
		out = Item{Kind: was.Kind, Name: was.Name(), State: Removed}
	}
	if is != nil {
		new = is.Parse(p.Is, &now)
		out = Item{Kind: is.Kind, Name: is.Name(), State: Added}
	}
	if was != nil && is != nil {
		out.State = Changed
	}
	out.Parts = compareParts(out.Kind, old, new)
	return out
}

// first are the members shown first.
var first = []string{"name", "title", "description", "uri", "uriTemplate", "mimeType", "inputSchema", "outputSchema", "arguments", "annotations"}

// compareParts compares two definitions member by member, without the name if only one exists. All duplicates of a member are compared.
func compareParts(kind finding.Kind, old, new rawjson.Value) []Part {
	out := []Part{}
	if old.Kind() != rawjson.Object && new.Kind() != rawjson.Object || old.Exists() && new.Exists() && old.Kind() != new.Kind() {
		if old.Canonical() != new.Canonical() {
			out = append(out, comparePart("", old, new)) // malformed: has no members
		}
		return out
	}
	was, is := memberLists(old), memberLists(new)
	names := slices.Clone(first)
	for _, v := range []rawjson.Value{new, old} {
		var more []string
		for m := range v.Members() {
			more = append(more, m.Key.Text())
		}
		slices.Sort(more) // member order has no meaning
		names = append(names, more...)
	}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] || name == "name" && !(old.Exists() && new.Exists()) {
			continue
		}
		seen[name] = true
		a, b := was[name], is[name]
		for i := range max(len(a), len(b)) {
			var x, y rawjson.Value
			if i < len(a) {
				x = a[i]
			}
			if i < len(b) {
				y = b[i]
			}
			if x.Exists() && y.Exists() && x.Raw() == y.Raw() || x.Canonical() == y.Canonical() { // the first test is cheap
				continue
			}
			if kind == finding.Tool && (name == "inputSchema" || name == "outputSchema") && x.Exists() && y.Exists() {
				out = append(out, compareSchema(name, x, y))
			} else {
				out = append(out, comparePart(name, x, y))
			}
		}
	}
	return out
}

func memberLists(v rawjson.Value) map[string][]rawjson.Value {
	out := map[string][]rawjson.Value{}
	for m := range v.Members() {
		out[m.Key.Text()] = append(out[m.Key.Text()], m.Value)
	}
	return out
}

// maxPlaces limits the places listed per part.
const maxPlaces = 1_000

// comparePart compares a member other than a tool's schema.
func comparePart(name string, old, new rawjson.Value) Part {
	p := Part{Member: name, State: stateBetween(old, new)}
	if showsAsText(old) && showsAsText(new) {
		p.Text = editTexts(old.Text(), new.Text())
		return p
	}
	if p.State != Changed {
		p.Values = []ValueChange{{Old: old.Canonical(), New: new.Canonical()}}
		return p
	}
	for _, d := range rawjson.Differences(old, new, maxPlaces) {
		c := ValueChange{Pointer: d.Pointer, Old: d.Old.Canonical(), New: d.New.Canonical()}
		if d.Old.Exists() && d.New.Exists() && showsAsText(d.Old) && showsAsText(d.New) {
			c.Old, c.New, c.Text = "", "", editTexts(d.Old.Text(), d.New.Text())
		}
		p.Values = append(p.Values, c)
	}
	return p
}

// showsAsText reports whether a value can be shown as text; an absent one counts as empty. Ill-formed text is shown as
// written, since decoding would hide a difference.
func showsAsText(v rawjson.Value) bool {
	return !v.Exists() || v.Kind() == rawjson.String && v.WellFormed()
}

func stateBetween(old, new rawjson.Value) State {
	switch {
	case !old.Exists():
		return Added
	case !new.Exists():
		return Removed
	}
	return Changed
}

func compareSchema(name string, old, new rawjson.Value) Part {
	r := schema.Compare(old, new)
	p := Part{Member: name, State: Changed, Class: string(r.Class), More: r.More}
	for _, c := range r.Changes {
		e := SchemaEdit{Pointer: c.Pointer, Class: string(c.Class), Words: c.Words, Old: c.Old.Canonical(), New: c.New.Canonical()}
		if c.Words == schema.WordsOnly && c.Old.Kind() == rawjson.String && c.New.Kind() == rawjson.String && showsAsText(c.Old) && showsAsText(c.New) {
			e.Old, e.New, e.Text = "", "", editTexts(c.Old.Text(), c.New.Text())
		}
		p.Schema = append(p.Schema, e)
	}
	return p
}

// An Edit is a stretch of text that was kept, removed or added. Edits without additions give the old text, without removals the new one.
type Edit struct {
	Op   Op     `json:"op"`
	Text string `json:"text"`
}

// An Op is the kind of an Edit.
type Op string

// The operations.
const (
	Keep   Op = "keep"
	Remove Op = "remove"
	Insert Op = "add"
)

// longestCompared bounds the texts that are compared word by word, in bytes: a word takes many times its bytes in memory.
const longestCompared = 1 << 20

// editTexts compares two texts word by word in linear time: after some hundred edits the search ends, and the rest
// becomes one removal and one addition, as a text that nobody reads does at once.
func editTexts(old, new string) []Edit {
	a, b := []string{old}, []string{new}
	if len(old)+len(new) <= longestCompared {
		a, b = tokens(old), tokens(new)
	}
	var out []Edit
	add := func(op Op, some []string) {
		if len(some) == 0 {
			return
		}
		out = append(out, Edit{op, strings.Join(some, "")})
	}
	at := 0
	for _, d := range joinEdits(slid(lcs.DiffLines(a, b), a, b), a) {
		add(Keep, a[at:d.Start])
		add(Remove, a[d.Start:d.End])
		add(Insert, b[d.ReplStart:d.ReplEnd])
		at = d.End
	}
	add(Keep, a[at:])
	return out
}

// slid moves pure insertions and deletions as far back as they fit, so that an added sentence shows as one, not as the
// previous full stop and most of the sentence.
func slid(ds []lcs.Diff, a, b []string) []lcs.Diff {
	for i := range ds {
		d := &ds[i]
		endA, endB := len(a), len(b)
		if i+1 < len(ds) {
			endA, endB = ds[i+1].Start, ds[i+1].ReplStart
		}
		for d.Start == d.End && d.ReplEnd < endB && b[d.ReplStart] == b[d.ReplEnd] ||
			d.ReplStart == d.ReplEnd && d.End < endA && a[d.Start] == a[d.End] {
			d.Start, d.End, d.ReplStart, d.ReplEnd = d.Start+1, d.End+1, d.ReplStart+1, d.ReplEnd+1
		}
	}
	return ds
}

// joinEdits merges edits separated by little more than white space: a rewritten sentence should not read as ten edits.
func joinEdits(ds []lcs.Diff, a []string) []lcs.Diff {
	var out []lcs.Diff
	for _, d := range ds {
		if n := len(out); n > 0 {
			last := &out[n-1]
			if slight(a[last.End:d.Start]) {
				last.End, last.ReplEnd = d.End, d.ReplEnd
				continue
			}
		}
		out = append(out, d)
	}
	return out
}

// slight reports whether tokens kept between edits are few and have no long word.
func slight(some []string) bool {
	if len(some) > 3 {
		return false
	}
	for _, t := range some {
		if r, _ := utf8.DecodeRuneInString(t); isWordRune(r) && utf8.RuneCountInString(t) > 2 {
			return false
		}
	}
	return true
}

// tokens splits a text into words, runs of white space and single characters. Invisible characters and those of scripts
// without spaces are separate.
func tokens(s string) []string {
	out := make([]string, 0, len(s)/3+1) // words and spaces
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		for class := classOf(r); class != alone && n < len(s); {
			next, size := utf8.DecodeRuneInString(s[n:])
			if classOf(next) != class {
				break
			}
			n += size
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

const (
	alone = iota
	letter
	blank
)

func classOf(r rune) int {
	switch {
	case r == ' ' || r == '\n' || r == '\t' || r == '\r':
		return blank
	case r < utf8.RuneSelf: // fast path
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' {
			return letter
		}
		return alone
	case rawjson.Hidden(r):
		return alone
	case isWordRune(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return letter
	}
	return alone
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || r == '_'
}
