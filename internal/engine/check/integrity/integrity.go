// Package integrity holds the checks that compare a catalog with an approved baseline: SEC-014 to SEC-016 and GNT-014 to GNT-017.
// They ignore definitions that only one of the two has: a new one was never approved, and a removed one is no longer shown.
package integrity

import (
	"slices"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

// Checks lists the package's checks, which register adds.
var Checks, register = check.NewLane()

// toolPins is the public page that describes the attack, for checks of our own.
const toolPins = "https://invariantlabs.ai/blog/mcp-security-notification-tool-poisoning-attacks"

// Matched reports whether any server of the catalog has a counterpart in the baseline.
func Matched(c, baseline *catalog.Catalog) bool { return len(catalog.Pairs(baseline, c)) > 0 }

// A kept is a definition that both have. Its values are valid until the next one.
type kept struct {
	catalog.Pair
	wasItem, isItem *catalog.Item
	old, new        rawjson.Value
}

// eachKept calls show for each definition of a list that the baseline has, too. If a name repeats, a definition that
// equals any of that name in the baseline is unchanged; others are compared with the last, which most clients take.
func eachKept(p *check.Pass, list int, show func(kept)) {
	var before, now rawjson.Tree
	for _, pr := range catalog.Pairs(p.Baseline, p.Catalog) {
		was, forms := map[string][]*catalog.Item{}, map[string]map[string]bool{}
		for i := range pr.Was.Lists[list].Items {
			it := &pr.Was.Lists[list].Items[i]
			was[it.Name()] = append(was[it.Name()], it)
		}
		items := pr.Is.Lists[list].Items
		for i := range items {
			it := &items[i]
			same := was[it.Name()]
			if it.Name() == "" || len(same) == 0 {
				continue
			}
			p.Looked(1)
			if same[0].Text(pr.Was) == it.Text(pr.Is) {
				continue // the usual case, and cheap
			}
			k := kept{Pair: pr, isItem: it, new: it.Parse(pr.Is, &now)}
			if len(same) > 1 {
				// Once per name: a hostile list may repeat a name any number of times.
				if forms[it.Name()] == nil {
					forms[it.Name()] = map[string]bool{}
					for _, w := range same {
						forms[it.Name()][w.Parse(pr.Was, &before).Canonical()] = true
					}
				}
				if forms[it.Name()][k.new.Canonical()] {
					continue
				}
			}
			k.wasItem = same[len(same)-1]
			k.old = k.wasItem.Parse(pr.Was, &before)
			show(k)
		}
	}
}

// drift returns a check that reports the definitions of a list of which one of these members has changed.
func drift(list int, members ...string) func(*check.Pass) {
	return func(p *check.Pass) {
		eachKept(p, list, func(k kept) { k.reportChange(p, finding.None, changes(k.old, k.new, only(members...))) })
	}
}

// A change is a changed member.
type change struct {
	member   string
	old, new rawjson.Value // absent if only the other side has it
}

// changes returns the changed members that satisfy which, in the order of the new definition, then the removed ones. A
// null member counts as absent. All duplicates of a member are compared: parsers differ in which one they take.
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
				if c.old.Canonical() != c.new.Canonical() && !(isBlank(c.old) && isBlank(c.new)) {
					out = append(out, c)
					break
				}
			}
		}
	}
	return out
}

// isBlank reports whether v has no text: absent and empty text are equivalent.
func isBlank(v rawjson.Value) bool {
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

// only returns a predicate for member names.
func only(names ...string) func(string) bool {
	return func(member string) bool { return slices.Contains(names, member) }
}
