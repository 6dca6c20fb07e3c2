// Package integrity holds the checks that compare a catalog with a baseline that the user
// approved: SEC-014 to SEC-016 and GNT-014 to GNT-017. What stands in one of the two only
// is no matter of theirs: nobody approved it, or nobody is shown it any more.
package integrity

import (
	"slices"

	"gauntlet/catalog"
	"gauntlet/check"
	"gauntlet/rawjson"
)

var lane check.Lane

// register adds a check to the lane.
var register = lane.Register

// Checks returns the lane's checks by id.
func Checks() []*check.Check { return lane.Checks() }

// toolPins is the public page that describes the attack, for the checks of our own.
const toolPins = "https://invariantlabs.ai/blog/mcp-security-notification-tool-poisoning-attacks"

// A pair is one server then and now.
type pair struct{ was, is *catalog.Server }

// Matched reports whether any server of the catalog has a counterpart in the baseline.
func Matched(c, baseline *catalog.Catalog) bool { return len(pairs(c, baseline)) > 0 }

// pairs matches servers by name, several of one name by their order. Where both sides have
// one server it is the same, whatever it is called: a new name is one of the changes.
func pairs(c, baseline *catalog.Catalog) []pair {
	if len(c.Servers) == 1 && len(baseline.Servers) == 1 {
		return []pair{{baseline.Servers[0], c.Servers[0]}}
	}
	was := map[string][]*catalog.Server{}
	for _, s := range baseline.Servers {
		was[s.Name] = append(was[s.Name], s)
	}
	var out []pair
	for _, s := range c.Servers {
		if same := was[s.Name]; len(same) > 0 {
			out = append(out, pair{same[0], s})
			was[s.Name] = same[1:]
		}
	}
	return out
}

// A kept is a definition that stands in both. Its values are good until the next one.
type kept struct {
	pair
	wasItem, isItem *catalog.Item
	old, new        rawjson.Value
}

// eachKept shows each definition of one list that stands in the baseline as well. Where a
// name repeats, a definition that equals any of that name in the baseline is unchanged;
// another one is compared with the last of them, which most clients take.
func eachKept(p *check.Pass, list int, show func(kept)) {
	var before, now rawjson.Tree
	for _, pr := range pairs(p.Catalog, p.Baseline) {
		was := map[string][]*catalog.Item{}
		for i := range pr.was.Lists[list].Items {
			it := &pr.was.Lists[list].Items[i]
			was[it.Name()] = append(was[it.Name()], it)
		}
		items := pr.is.Lists[list].Items
		for i := range items {
			it := &items[i]
			same := was[it.Name()]
			if it.Name() == "" || len(same) == 0 {
				continue
			}
			p.Looked(1)
			if slices.ContainsFunc(same, func(w *catalog.Item) bool { return w.Text(pr.was) == it.Text(pr.is) }) {
				continue // the usual case, and cheap
			}
			k := kept{pair: pr, isItem: it, new: it.Parse(pr.is, &now)}
			if len(same) > 1 {
				c := k.new.Canonical()
				if slices.ContainsFunc(same, func(w *catalog.Item) bool { return w.Parse(pr.was, &before).Canonical() == c }) {
					continue
				}
			}
			k.wasItem = same[len(same)-1]
			k.old = k.wasItem.Parse(pr.was, &before)
			show(k)
		}
	}
}

// A change is a member that is not what it was.
type change struct {
	member   string
	old, new rawjson.Value // absent where only the other side has it
}

// changes returns the members that satisfy which and have changed, in the order of the
// new definition and then what is gone. A member that is null is not there. Of one that
// repeats each is compared: parsers differ in which one they take.
func changes(old, new rawjson.Value, which func(member string) bool) []change {
	was, is := members(old), members(new)
	var out []change
	seen := map[string]bool{}
	for _, v := range []rawjson.Value{new, old} {
		for m := range v.Members() {
			name := m.Key.Text()
			if seen[name] || !which(name) {
				continue
			}
			seen[name] = true
			a, b := was[name], is[name]
			for i := range max(len(a), len(b)) {
				c := change{member: name}
				if i < len(a) {
					c.old = a[i]
				}
				if i < len(b) {
					c.new = b[i]
				}
				if c.old.Canonical() != c.new.Canonical() && !(blank(c.old) && blank(c.new)) {
					out = append(out, c)
					break
				}
			}
		}
	}
	return out
}

// blank reports whether there is nothing to read: absent and empty text say the same.
func blank(v rawjson.Value) bool {
	return !v.Exists() || v.Kind() == rawjson.String && v.Text() == ""
}

func members(v rawjson.Value) map[string][]rawjson.Value {
	out := map[string][]rawjson.Value{}
	for m := range v.Members() {
		if m.Value.Kind() != rawjson.Null {
			out[m.Key.Text()] = append(out[m.Key.Text()], m.Value)
		}
	}
	return out
}

// only returns a test for members by name.
func only(names ...string) func(string) bool {
	return func(member string) bool { return slices.Contains(names, member) }
}
