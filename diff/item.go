package diff

import (
	"slices"

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
