package lock

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A State says how something differs from the lockfile.
type State string

// The states.
const (
	Added   State = "added"
	Changed State = "changed"
	Removed State = "removed"
)

// A Change is a difference between a server and its lock entry. It is approved as a whole.
type Change struct {
	Address Address
	State   State
}

// An Address names a server or a part of it: SERVER, SERVER/KIND/NAME with the kinds tool, prompt, resource and
// template, or SERVER/WHAT for a server's statements about itself (name, server, serverInfo, instructions,
// capabilities), its target and protocolVersion, and for a list added or removed while empty (tools, prompts, …).
type Address struct {
	Server string
	What   string // "" for the whole server
	Name   string // of the item, if What is one of kinds
}

var kinds = [4]string{"tool", "prompt", "resource", "template"}

// String returns the address as typed by users.
func (a Address) String() string {
	switch {
	case a.What == "":
		return a.Server
	case slices.Contains(kinds[:], a.What):
		return a.Server + "/" + a.What + "/" + a.Name
	}
	return a.Server + "/" + a.What
}

// Changes returns how the servers now differ from the lockfile, in file order. A locked server missing from now was not
// queried, which is no change.
func (f *File) Changes(now []Server) []Change {
	var out []Change
	locked := f.byAddress()
	for i := range now {
		was := locked[now[i].Address()]
		if was == nil {
			out = append(out, Change{Address{Server: now[i].Address()}, Added})
			continue
		}
		out = append(out, was.changesFrom(&now[i])...)
	}
	slices.SortStableFunc(out, func(a, b Change) int { return strings.Compare(a.Address.Server, b.Address.Server) })
	return out
}

// Remove removes the server with this address and reports whether there was one.
func (f *File) Remove(address string) bool {
	n := len(f.Servers)
	f.Servers = slices.DeleteFunc(f.Servers, func(s Server) bool { return s.Address() == address })
	return len(f.Servers) < n
}

func (f *File) byAddress() map[string]*Server {
	out := map[string]*Server{}
	for i := range f.Servers {
		out[f.Servers[i].Address()] = &f.Servers[i]
	}
	return out
}

func (s *Server) changesFrom(now *Server) []Change {
	var out []Change
	add := func(what, name string, was, is bool) {
		state := Changed
		if !was {
			state = Added
		} else if !is {
			state = Removed
		}
		out = append(out, Change{Address{s.Address(), what, name}, state})
	}
	// A snapshot has no target, and some have no protocol revision.
	if s.Target != now.Target && s.Target != (Target{}) && now.Target != (Target{}) {
		add("target", "", true, true)
	}
	if s.Revision != now.Revision && s.Revision != "" && now.Revision != "" {
		add("protocolVersion", "", true, true)
	}
	for _, m := range selfMembers {
		was, is := s.partsNamed(m), now.partsNamed(m)
		if !slices.Equal(was, is) {
			add(m, "", was != nil, is != nil)
		}
	}
	if s.renamed(now) {
		add("name", "", true, true)
	}
	for l := range s.Lists {
		was, is := &s.Lists[l], &now.Lists[l]
		if len(was.Items) == 0 && len(is.Items) == 0 && was.Present != is.Present {
			add(members[l], "", was.Present, is.Present)
		}
		eachName(was.Items, is.Items, func(name string, was, is []Item) {
			for _, c := range itemChanges(name, was, is) {
				add(kinds[l], c.label, len(c.was) > 0, len(c.is) > 0)
			}
		})
	}
	return out
}

// renamed reports whether the server's name changed outside its statements about itself, as in a list of servers;
// inside, it would be a change of those.
func (s *Server) renamed(now *Server) bool {
	return s.Name != now.Name && !s.Anonymous && !now.Anonymous && s.sameIdentity(now)
}

func (s *Server) sameIdentity(now *Server) bool {
	return slices.Equal(s.partsNamed("server"), now.partsNamed("server")) && slices.Equal(s.partsNamed("serverInfo"), now.partsNamed("serverInfo"))
}

// partsNamed returns all parts with a member name, several if it repeats.
func (s *Server) partsNamed(m string) []Part {
	var out []Part
	for _, p := range s.Self {
		if p.Member == m {
			out = append(out, p)
		}
	}
	return out
}

// eachName calls show with the items of each name of two lists sorted by name.
func eachName(was, is []Item, show func(name string, was, is []Item)) {
	for len(was) > 0 || len(is) > 0 {
		name := ""
		switch {
		case len(was) == 0:
			name = is[0].Name
		case len(is) == 0:
			name = was[0].Name
		default:
			name = min(was[0].Name, is[0].Name)
		}
		a, b := countNamed(was, name), countNamed(is, name)
		show(name, was[:a], is[:b])
		was, is = was[a:], is[b:]
	}
}

// An itemChange is a change of the definitions of one name.
type itemChange struct {
	label   string // the name, or for one added beside others, with the start of its hash: "read#1f2e3d4c"
	was, is []Item
}

// itemChanges returns how the definitions of one name differ. If a server now offers a name more often than approved,
// each addition is a change of its own: approving a name approves what it became, not what was added beside it.
func itemChanges(name string, was, is []Item) (out []itemChange) {
	if len(is) <= max(len(was), 1) {
		if !slices.Equal(was, is) {
			out = append(out, itemChange{name, was, is})
		}
		return out
	}
	left, right := without(was, is), without(is, was)
	if n := len(left); n > 0 {
		out = append(out, itemChange{name, left, right[:n]})
		right = right[n:]
	}
	for i := range right {
		out = append(out, itemChange{name + "#" + strings.TrimPrefix(right[i].Hash, "sha256-")[:8], nil, right[i : i+1]})
	}
	return out
}

// without returns the items that other lacks, counting duplicates.
func without(items, other []Item) (out []Item) {
	rest := slices.Clone(other)
	for _, it := range items {
		if at := slices.Index(rest, it); at >= 0 {
			rest = slices.Delete(rest, at, at+1)
		} else {
			out = append(out, it)
		}
	}
	return out
}

func countNamed(items []Item, name string) int {
	n := 0
	for n < len(items) && items[n].Name == name {
		n++
	}
	return n
}

// Approve applies the approved changes from now and dates the changed servers. A server's address approves all its
// changes. Approving changes separately, in any order, is the same as together.
func (f *File) Approve(now []Server, approved []Address, date string) {
	yes := map[Address]bool{}
	for _, a := range approved {
		yes[a] = true
	}
	locked := f.byAddress()
	var added []Server
	for i := range now {
		fresh := now[i]
		fresh.Date = date
		whole := yes[Address{Server: fresh.Address()}]
		was := locked[fresh.Address()]
		if was == nil {
			if whole {
				added = append(added, fresh)
			}
			continue
		}
		of := map[Address]bool{}
		for _, c := range was.changesFrom(&fresh) {
			if whole || yes[c.Address] {
				of[c.Address] = true
			}
		}
		if len(of) > 0 {
			was.approve(&fresh, of)
		}
	}
	f.Servers = append(f.Servers, added...)
	f.sort()
}

func (s *Server) approve(now *Server, of map[Address]bool) {
	address := s.Address()
	has := func(what, name string) bool { return of[Address{address, what, name}] }
	if has("target", "") || s.Target == (Target{}) {
		s.Target = now.Target
	}
	if has("protocolVersion", "") || s.Revision == "" {
		s.Revision = now.Revision
	}
	renamed := s.renamed(now)
	var self []Part
	for _, m := range selfMembers {
		if has(m, "") {
			self = append(self, now.partsNamed(m)...)
		} else {
			self = append(self, s.partsNamed(m)...)
		}
	}
	s.Self = self
	if s.sameIdentity(now) && (has("name", "") || !renamed) {
		s.Name, s.Anonymous = now.Name, now.Anonymous
	}
	s.Entry = cmp.Or(s.Entry, now.Entry)
	for l := range s.Lists {
		var items []Item
		list := &s.Lists[l]
		eachName(list.Items, now.Lists[l].Items, func(name string, was, is []Item) {
			for _, c := range itemChanges(name, was, is) {
				if has(kinds[l], c.label) {
					was = append(without(was, c.was), c.is...)
				}
			}
			slices.SortStableFunc(was, func(a, b Item) int { return slices.Index(is, a) - slices.Index(is, b) }) // in the server's order
			items = append(items, was...)
		})
		switch {
		case len(items) > 0:
			list.Present = true
		case len(list.Items) > 0 || has(members[l], ""): // the last one was removed
			list.Present = now.Lists[l].Present
		}
		list.Items = items
	}
	s.Date = now.Date
}

// Find returns the changes that a typed address means: one, or all changes of a server. If there are none, known
// reports whether the address exists but is unchanged. An ambiguous address is an error.
func (f *File) Find(typed string, now []Server, changes []Change) (found []Change, known bool, err error) {
	var targets []Address
	for _, c := range changes {
		for _, a := range []Address{c.Address, {Server: c.Address.Server}} {
			if a.String() == typed && !slices.Contains(targets, a) {
				targets = append(targets, a)
			}
		}
	}
	switch len(targets) {
	case 0:
		return nil, f.namesServer(typed, now), nil
	case 1:
	default:
		// Servers choose their names, and one could take another's address.
		return nil, true, fmt.Errorf("%q is ambiguous: approve without --only, or lock the servers in separate files", typed)
	}
	for _, c := range changes {
		if c.Address == targets[0] || targets[0].What == "" && c.Address.Server == targets[0].Server {
			found = append(found, c)
		}
	}
	return found, true, nil
}

// namesServer reports whether an address exists in the lockfile or in now.
func (f *File) namesServer(typed string, now []Server) bool {
	for _, servers := range [][]Server{f.Servers, now} {
		for i := range servers {
			rest, ok := strings.CutPrefix(typed, servers[i].Address())
			if !ok || rest != "" && rest[0] != '/' {
				continue
			}
			if rest == "" || servers[i].hasAddress(rest[1:]) {
				return true
			}
		}
	}
	return false
}

func (s *Server) hasAddress(rest string) bool {
	if rest == "target" || rest == "name" || rest == "protocolVersion" || s.partsNamed(rest) != nil || slices.Contains(members[:], rest) {
		return true
	}
	kind, name, _ := strings.Cut(rest, "/")
	l := slices.Index(kinds[:], kind)
	return l >= 0 && slices.ContainsFunc(s.Lists[l].Items, func(it Item) bool { return it.Name == name })
}
