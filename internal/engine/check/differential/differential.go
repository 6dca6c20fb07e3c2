// Package differential holds the checks that compare what a server says when asked several times: as another client,
// repeatedly, and after it announced a changed list (GNT-001 and GNT-002).
package differential

import (
	"crypto/sha256"
	"iter"
	"slices"

	"gauntlet/catalog"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

// Checks lists the package's checks, which register adds.
var Checks, register = check.NewLane()

// source describes the attack, for both checks.
const source = "https://invariantlabs.ai/blog/mcp-security-notification-tool-poisoning-attacks"

// An account is what a server said at one time.
type account struct {
	server *catalog.Server
	as     string // name that the client used; "" for the catalog itself
	whole  bool   // everything requested was read
	said   map[key]*said
	order  []key
}

// A key identifies a definition in every account. list is an index in catalog.Kinds, -1 for statements of a server
// about itself. An unnamed definition is identified by its content.
type key struct {
	list int
	name string
}

// said is a definition, or all of one name in any order. Members are compared separately, so that one that always
// changes does not hide the others.
type said struct {
	items []*catalog.Item
	parts map[string][]string // member name to sorted hashes of its values
}

// whole is the part that stands for the presence of the definition. No real member has this name.
const whole = "\x00whole"

// differs returns the sorted parts in which two definitions differ, nil if they do not.
func differs(a, b *said) (parts []string) {
	switch {
	case a == nil && b == nil:
		return nil
	case a == nil || b == nil:
		return []string{whole}
	}
	for name, sums := range a.parts {
		if !slices.Equal(sums, b.parts[name]) {
			parts = append(parts, name)
		}
	}
	for name := range b.parts {
		if a.parts[name] == nil {
			parts = append(parts, name)
		}
	}
	slices.Sort(parts)
	return parts
}

func readAsking(s *catalog.Server, as string, whole bool) *account {
	a := &account{server: s, as: as, whole: whole, said: map[key]*said{}}
	var tree rawjson.Tree
	add := func(list int, it *catalog.Item) {
		v := it.Parse(s, &tree)
		k := key{list, it.Name()}
		if list < 0 {
			k.name = it.Label()
		} else if k.name == "" {
			k.name = "\x00" + hashCanonical(v)
		}
		d := a.said[k]
		if d == nil {
			d = &said{parts: map[string][]string{}}
			a.said[k] = d
			a.order = append(a.order, k)
		}
		d.items = append(d.items, it)
		d.addItem(list, v)
	}
	for i := range s.Self {
		add(-1, &s.Self[i])
	}
	for list := range s.Lists {
		for i := range s.Lists[list].Items {
			add(list, &s.Lists[list].Items[i])
		}
	}
	for _, d := range a.said {
		for _, sums := range d.parts {
			slices.Sort(sums)
		}
	}
	return a
}

// resources is the index of that list in catalog.Kinds.
const resources = 2

// addItem adds a definition. The size and modification date of a resource change by design and are omitted.
func (d *said) addItem(list int, v rawjson.Value) {
	put := func(name, sum string) { d.parts[name] = append(d.parts[name], sum) }
	if v.Kind() != rawjson.Object {
		put("", hashCanonical(v))
		return
	}
	for m := range v.Members() {
		switch name := m.Key.Text(); {
		case list == resources && name == "size":
		case list == resources && name == "annotations":
			for a := range m.Value.Members() {
				if a.Key.Text() != "lastModified" {
					put(name, a.Key.Text()+hashCanonical(a.Value))
				}
			}
		default:
			put(name, hashCanonical(m.Value))
		}
	}
}

// hashCanonical hashes the meaning of a value, not its spelling.
func hashCanonical(v rawjson.Value) string {
	sum := sha256.Sum256([]byte(v.Canonical()))
	return string(sum[:])
}

// asked is everything that a server of the catalog said.
type asked struct {
	server *catalog.Server
	self   []*account // to the catalog's client; the catalog itself comes first
	other  []*account // to another client
	before []*account // to the first client, in the conversations in which it was asked again
	later  []*account // after a change, which after names
	after  []string
}

// askedServers yields the servers asked more than once.
func askedServers(p *check.Pass) iter.Seq[*asked] {
	return func(yield func(*asked) bool) {
		for _, s := range p.Catalog.Servers {
			a := &asked{server: s}
			for i := range p.Askings {
				q := &p.Askings[i]
				if q.Of != s {
					continue
				}
				if a.self == nil {
					a.self = []*account{readAsking(s, "", p.Whole(s))}
				}
				now := readAsking(q.Server(), q.As, q.Whole())
				switch {
				case q.After != "":
					before := a.self[0]
					if q.Before != nil {
						before = readAsking(q.Before.Servers[0], q.As, check.IsWhole(q.Before))
					}
					a.before, a.later, a.after = append(a.before, before), append(a.later, now), append(a.after, q.After)
				case q.Self:
					a.self[0].as = q.As
					a.self = append(a.self, now)
				default:
					a.other = append(a.other, now)
				}
			}
			if a.self != nil {
				p.Looked(len(a.self[0].order))
				if !yield(a) {
					return
				}
			}
		}
	}
}

// keys yields every definition in either account, in the order of the first.
func keys(a, b *account) iter.Seq[key] {
	return func(yield func(key) bool) {
		for _, k := range a.order {
			if !yield(k) {
				return
			}
		}
		for _, k := range b.order {
			if a.said[k] == nil && !yield(k) {
				return
			}
		}
	}
}

// judged reports whether both accounts are known for a definition: its absence from a truncated account means nothing.
func judged(k key, a, b *account) bool {
	return (a.said[k] != nil || a.whole) && (b.said[k] != nil || b.whole)
}

// moves returns the parts of a definition that differ between answers to the same client.
func moves(k key, same []*account) (parts []string) {
	for _, a := range same[min(1, len(same)):] {
		if judged(k, same[0], a) {
			parts = append(parts, differs(same[0].said[k], a.said[k])...)
		}
	}
	return parts
}

// between returns the parts in which two accounts differ, without those that vary anyway. The presence of a definition
// that comes and goes means nothing.
func between(k key, a, b *account, moving ...string) []string {
	if !judged(k, a, b) || slices.Contains(moving, whole) {
		return nil
	}
	return slices.DeleteFunc(differs(a.said[k], b.said[k]), func(part string) bool { return slices.Contains(moving, part) })
}
