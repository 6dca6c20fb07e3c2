// Package diff describes the changes between two states of servers for a reviewer: which definitions were added,
// removed and changed, which words of texts, and whether schemas accept more or less than before.
//
// It compares by meaning, as [rawjson.Value.Canonical] does: member order, white space and spelling do not matter. It
// makes no judgement; checks do.
package diff

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/rawjson"
)

// SchemaVersion is the version of the JSON form, docs/schemas/diff.schema.json.
const SchemaVersion = "1.0"

// A State says what happened to something.
type State string

// The states.
const (
	Added   State = "added"
	Changed State = "changed"
	Removed State = "removed"
)

// A Diff is a set of changes. Lists are never nil.
type Diff struct {
	SchemaVersion string            `json:"schema_version"`
	Summary       Summary           `json:"summary"`
	Servers       []Server          `json:"servers"`  // changed servers only
	Problems      []finding.Problem `json:"problems"` // why this may be incomplete
}

// Summary counts items, including those of added and removed servers; a server's own words count as one.
type Summary struct {
	Added   int `json:"added"`
	Changed int `json:"changed"`
	Removed int `json:"removed"`
	Same    int `json:"same"`
	// Complete is false if there is a problem.
	Complete bool `json:"complete"`
}

// A Server is a changed server.
type Server struct {
	Entry string `json:"entry,omitempty"` // the user's name; see catalog.Server.Entries
	Name  string `json:"name"`
	Was   string `json:"was,omitempty"` // previous name, if different
	State State  `json:"state"`
	Items []Item `json:"items"` // by kind and name
}

// An Item is a changed definition, or the server's own words (kind "server").
type Item struct {
	Kind  finding.Kind `json:"kind"`
	Name  string       `json:"name"` // "" for a server
	State State        `json:"state"`
	Parts []Part       `json:"parts"` // all parts, of an added or removed item
}

// A Part is a changed member of an item. Texts set Text, tool schemas Schema, all others Values.
type Part struct {
	Member string        `json:"member"`
	State  State         `json:"state"`
	Class  string        `json:"class,omitempty"` // for a schema in both states; see schema.Class
	Text   []Edit        `json:"text,omitempty"`
	Schema []SchemaEdit  `json:"schema,omitempty"`
	Values []ValueChange `json:"values,omitempty"`
	More   int           `json:"more,omitempty"` // number of further changes of this part
}

// A SchemaEdit is a place where a schema differs.
type SchemaEdit struct {
	Pointer string `json:"pointer"` // relative to the schema
	Class   string `json:"class"`
	Words   string `json:"words"`
	Old     string `json:"old,omitempty"` // as JSON, "" if only the other side has it
	New     string `json:"new,omitempty"`
	Text    []Edit `json:"text,omitempty"` // instead of Old and New if both are texts
}

// A ValueChange is a place where a value differs.
type ValueChange struct {
	Pointer string `json:"pointer"` // relative to the member
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"`
	Text    []Edit `json:"text,omitempty"`
}

func (s *Server) displayName() string { return cmp.Or(s.Entry, s.Name) }

// entryOf returns the first entry of the first server that has one: an approved server has one, a current one may have more.
func entryOf(servers ...*catalog.Server) string {
	for _, s := range servers {
		if len(s.Entries) > 0 {
			return s.Entries[0]
		}
	}
	return ""
}

// Changed reports whether anything was changed or removed.
func (d *Diff) Changed() bool { return d.Summary.Changed+d.Summary.Removed > 0 }

// Catalogs compares two states. Servers are matched by catalog.Pairs, items by name. The problems of both become the result's.
func Catalogs(was, now *catalog.Catalog) *Diff {
	d := &Diff{SchemaVersion: SchemaVersion, Servers: []Server{}, Problems: []finding.Problem{}}
	paired := map[*catalog.Server]bool{}
	for _, p := range catalog.Pairs(was, now) {
		paired[p.Was], paired[p.Is] = true, true
		d.addServer(d.comparePair(p))
	}
	for _, side := range []struct {
		of    *catalog.Catalog
		state State
	}{{now, Added}, {was, Removed}} {
		for _, s := range side.of.Servers {
			if !paired[s] {
				d.addServer(d.wholeServer(s, side.state))
			}
		}
	}
	slices.SortStableFunc(d.Servers, func(a, b Server) int {
		return cmp.Or(strings.Compare(a.displayName(), b.displayName()), strings.Compare(string(a.State), string(b.State)))
	})
	for i, c := range []*catalog.Catalog{was, now} {
		for _, p := range c.Problems {
			p.Message = [2]string{"old: ", "new: "}[i] + p.Message
			d.Problems = append(d.Problems, p)
		}
	}
	d.Summary.Complete = len(d.Problems) == 0
	return d
}

func (d *Diff) addServer(s Server) {
	if s.State == Changed && s.Was == "" && len(s.Items) == 0 {
		return
	}
	for _, it := range s.Items {
		switch it.State {
		case Added:
			d.Summary.Added++
		case Changed:
			d.Summary.Changed++
		case Removed:
			d.Summary.Removed++
		}
	}
	slices.SortStableFunc(s.Items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(kindRank(a.Kind), kindRank(b.Kind)), strings.Compare(a.Name, b.Name), strings.Compare(string(a.State), string(b.State)))
	})
	d.Servers = append(d.Servers, s)
}

// kindRank sorts a server's own words before its lists.
func kindRank(k finding.Kind) int { return slices.Index(catalog.Kinds[:], k) }

func (d *Diff) comparePair(p catalog.Pair) Server {
	s := Server{Entry: entryOf(p.Was, p.Is), Name: p.Is.Name, State: Changed, Items: []Item{}}
	if p.Was.Name != p.Is.Name && !p.Was.Anonymous && !p.Is.Anonymous {
		s.Was = p.Was.Name
	}
	switch own, there := compareWords(p); {
	case len(own.Parts) > 0:
		s.Items = append(s.Items, own)
	case there:
		d.Summary.Same++
	}
	for l := range p.Is.Lists {
		eachName(p, l, func(was, is []*catalog.Item) {
			items := sameName(p, was, is)
			d.Summary.Same += max(0, max(len(was), len(is))-len(items))
			s.Items = append(s.Items, items...)
		})
	}
	return s
}

// wholeServer lists everything of an added or removed server.
func (d *Diff) wholeServer(s *catalog.Server, state State) Server {
	nobody := &catalog.Server{Document: s.Document}
	p := catalog.Pair{Was: nobody, Is: s}
	if state == Removed {
		p = catalog.Pair{Was: s, Is: nobody}
	}
	out := Server{Entry: entryOf(s), Name: s.Name, State: state, Items: []Item{}}
	own, _ := compareWords(p)
	own.State = state
	if own.Parts == nil {
		own.Parts = []Part{} // also for a server that says nothing about itself
	}
	out.Items = append(out.Items, own)
	for l := range s.Lists {
		eachName(p, l, func(was, is []*catalog.Item) { out.Items = append(out.Items, sameName(p, was, is)...) })
	}
	return out
}

// compareWords compares a server's statements about itself and reports whether the old state had any: a bare list of tools has none.
func compareWords(p catalog.Pair) (it Item, there bool) {
	it = Item{Kind: finding.Server, State: Changed}
	there = len(p.Was.Self) > 0
	if !there {
		it.State = Added
	}
	var before, now rawjson.Tree
	for _, labels := range [][]string{{"server", "serverInfo"}, {"instructions"}, {"capabilities"}} {
		old, new := ownItems(p.Was, labels), ownItems(p.Is, labels)
		for i := range max(len(old), len(new)) {
			var a, b rawjson.Value
			if i < len(old) {
				a = old[i].Parse(p.Was, &before)
			}
			if i < len(new) {
				b = new[i].Parse(p.Is, &now)
			}
			if a.Canonical() != b.Canonical() {
				it.Parts = append(it.Parts, comparePart(labels[0], a, b))
			}
		}
	}
	if a, b := p.Was.Revision, p.Is.Revision; a != b && a != "" && b != "" {
		it.Parts = append(it.Parts, Part{Member: "protocolVersion", State: Changed, Text: editTexts(a, b)})
	}
	return it, there
}

// ownItems returns a server's statements about itself with the given names.
func ownItems(s *catalog.Server, labels []string) []*catalog.Item {
	var out []*catalog.Item
	for i := range s.Self {
		if slices.Contains(labels, s.Self[i].Label()) {
			out = append(out, &s.Self[i])
		}
	}
	return out
}

// eachName calls show with the items of each name in a list, sorted by name.
func eachName(p catalog.Pair, l int, show func(was, is []*catalog.Item)) {
	type both struct{ was, is []*catalog.Item }
	named := map[string]*both{}
	var names []string
	get := func(it *catalog.Item) *both {
		b := named[it.Name()]
		if b == nil {
			b = new(both)
			named[it.Name()] = b
			names = append(names, it.Name())
		}
		return b
	}
	for i := range p.Was.Lists[l].Items {
		it := &p.Was.Lists[l].Items[i]
		b := get(it)
		b.was = append(b.was, it)
	}
	for i := range p.Is.Lists[l].Items {
		it := &p.Is.Lists[l].Items[i]
		b := get(it)
		b.is = append(b.is, it)
	}
	slices.Sort(names)
	for _, name := range names {
		show(named[name].was, named[name].is)
	}
}

// sameName compares the items of one name, usually one per side. Of several, equal ones are paired first, the rest in order.
func sameName(p catalog.Pair, was, is []*catalog.Item) []Item {
	if len(was) == 1 && len(is) == 1 {
		if was[0].Text(p.Was) == is[0].Text(p.Is) {
			return nil
		}
		if it := compareItems(p, was[0], is[0]); len(it.Parts) > 0 {
			return []Item{it}
		}
		return nil
	}
	old, new := canonicalItems(p.Was, was), canonicalItems(p.Is, is)
	restOld, restNew := without(old, new), without(new, old)
	if len(restOld) == 0 && len(restNew) == 0 {
		if slices.Equal(old, new) {
			return nil
		}
		return []Item{{Kind: is[0].Kind, Name: is[0].Name(), State: Changed,
			Parts: []Part{{Member: "order of the definitions of this name", State: Changed}}}}
	}
	var out []Item
	for i := range max(len(restOld), len(restNew)) {
		var a, b *catalog.Item
		if i < len(restOld) {
			a = was[restOld[i]]
		}
		if i < len(restNew) {
			b = is[restNew[i]]
		}
		out = append(out, compareItems(p, a, b))
	}
	return out
}

func canonicalItems(s *catalog.Server, items []*catalog.Item) []string {
	var tree rawjson.Tree
	var out []string
	for _, it := range items {
		out = append(out, it.Parse(s, &tree).Canonical())
	}
	return out
}

// without returns the indexes of the texts that others lacks, counting duplicates.
func without(texts, others []string) []int {
	n := map[string]int{}
	for _, t := range others {
		n[t]++
	}
	var out []int
	for i, t := range texts {
		if n[t]--; n[t] < 0 {
			out = append(out, i)
		}
	}
	return out
}
