package scanner

import (
	"gauntlet/catalog"
	"gauntlet/rawjson"
)

// unchanged returns the items that equal the baseline's under the same name of the same server; none if the baseline
// has a problem, since then not all of it was approved.
func unchanged(c, baseline *catalog.Catalog) map[*catalog.Item]bool {
	out := map[*catalog.Item]bool{}
	if baseline == nil || len(baseline.Problems) > 0 {
		return out
	}
	for _, p := range catalog.Pairs(baseline, c) {
		k := known{server: p.Was}
		for i := range p.Was.Self {
			k.addItem(&p.Was.Self[i], p.Was.Self[i].Label())
		}
		k.markUnchanged(out, p.Is, p.Is.Self, (*catalog.Item).Label)
		for l := range p.Is.Lists {
			k = known{server: p.Was}
			for i := range p.Was.Lists[l].Items {
				k.addItem(&p.Was.Lists[l].Items[i], p.Was.Lists[l].Items[i].Name())
			}
			k.markUnchanged(out, p.Is, p.Is.Lists[l].Items, (*catalog.Item).Name)
		}
	}
	return out
}

// known holds the items of a baseline list by name.
type known struct {
	server *catalog.Server
	items  map[string][]*catalog.Item
	forms  map[string]map[string]bool // canonical, for names that were looked up
	tree   rawjson.Tree
}

func (k *known) addItem(it *catalog.Item, name string) {
	if k.items == nil {
		k.items, k.forms = map[string][]*catalog.Item{}, map[string]map[string]bool{}
	}
	k.items[name] = append(k.items[name], it)
}

func (k *known) markUnchanged(out map[*catalog.Item]bool, s *catalog.Server, items []catalog.Item, name func(*catalog.Item) string) {
	var tree rawjson.Tree
	for i := range items {
		it := &items[i]
		same := k.items[name(it)]
		switch {
		case len(same) == 0:
		case same[0].Text(k.server) == it.Text(s): // the usual case for snapshots, and cheap
			out[it] = true
		case k.hasItem(name(it), it.Parse(s, &tree).Canonical()):
			out[it] = true
		}
	}
}

// hasItem reports whether an item with this name has this form. The forms of a name are computed once.
func (k *known) hasItem(name, canonical string) bool {
	forms := k.forms[name]
	if forms == nil {
		forms = map[string]bool{}
		for _, it := range k.items[name] {
			forms[it.Parse(k.server, &k.tree).Canonical()] = true
		}
		if len(k.items[name]) > 1 {
			k.forms[name] = forms
		}
	}
	return forms[canonical]
}
