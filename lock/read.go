package lock

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// Is reports whether a text is meant to be a lockfile: an object with the member lockfileVersion.
func Is(text string) bool {
	if !strings.Contains(text, `"lockfileVersion"`) { // a fast path for snapshots of hundreds of megabytes
		return false
	}
	text = strings.TrimLeft(strings.TrimPrefix(text, "\ufeff"), " \t\r\n")
	found := false
	if strings.HasPrefix(text, "{") {
		_ = rawjson.EachMember(text, 0, func(name, _ rawjson.Span) bool {
			found = rawjson.Unquote(text[name.Start:name.End]) == "lockfileVersion"
			return !found
		})
	}
	return found
}

// A Read is a parsed lockfile.
type Read struct {
	File
	Catalog *catalog.Catalog // spans of the file, for comparison
	// Damage lists the hashes that do not match their content: the file was edited by hand. The catalog has these problems, too.
	Damage []finding.Problem
}

// Parse reads a lockfile. The error is a *catalog.Error: the text is not JSON or not a lockfile.
func Parse(name, text string, limits catalog.Limits) (*Read, error) {
	out := &Read{Catalog: new(catalog.Catalog)}
	return out, out.readFile(name, text, limits)
}

// Add reads a lockfile into a catalog as [catalog.Catalog.Add] reads a snapshot; damage becomes a problem. On an error
// the catalog is unchanged.
func Add(c *catalog.Catalog, name, text string, limits catalog.Limits) error {
	was := *c
	out := &Read{Catalog: c}
	err := out.readFile(name, text, limits)
	if err != nil {
		*c = was
	}
	return err
}

func (out *Read) readFile(name, text string, limits catalog.Limits) error {
	p := &parser{name: name, text: text, out: out, first: len(out.Catalog.Servers), named: map[string]bool{}}
	if err := out.Catalog.AddWrapped(name, text, "definition", limits); err != nil {
		return err
	}
	if err := p.file(); err != nil {
		return err
	}
	if err := p.joinServers(); err != nil {
		return err
	}
	out.Catalog.Problems = append(out.Catalog.Problems, out.Damage...)
	return nil
}

// parser walks a document whose syntax was checked.
type parser struct {
	name, text string
	out        *Read
	first      int // index in the catalog of the file's first server
	entries    []entry
	named      map[string]bool // addresses so far
}

// An entry holds the members of a server other than definitions.
type entry struct {
	Server
	at     int
	stated string   // the entry's hash
	self   []stated // in file order
	lists  [4][]stated
}

// stated is a hash as written in the file.
type stated struct {
	hash string
	at   int
}

type member struct {
	name  string
	value rawjson.Span
}

// parseObject returns the members of an object that may have only the given names, each once, except a server's statements about itself.
func (p *parser) parseObject(s rawjson.Span, what string, names ...string) ([]member, error) {
	if p.text[s.Start] != '{' {
		return nil, p.errorAt(s, "%s is not an object", what)
	}
	var ms []member
	var err error
	seen := 0 // a bit per name
	_ = rawjson.EachMember(p.text, s.Start, func(name, value rawjson.Span) bool {
		m := member{rawjson.Unquote(p.text[name.Start:name.End]), value}
		at := slices.Index(names, m.name)
		switch {
		case at < 0:
			err = p.errorAt(name, "%s has an unknown member %q", what, excerpt.Clip(m.name, 60))
		case seen>>at&1 == 1 && !slices.Contains(selfMembers, m.name):
			err = p.errorAt(name, "%s has the member %q twice", what, m.name)
		}
		if err == nil {
			seen |= 1 << at
		}
		ms = append(ms, m)
		return err == nil
	})
	return ms, err
}

func (p *parser) errorAt(s rawjson.Span, format string, args ...any) error {
	doc := catalog.Document{Name: p.name, Text: p.text}
	pos := doc.Positions([]int{s.Start})[0]
	return &catalog.Error{File: p.name, Line: pos.Line, Column: pos.Column, Msg: "not a lockfile that this program wrote: " + fmt.Sprintf(format, args...)}
}

func (p *parser) parseString(s rawjson.Span, what string) (string, error) {
	if p.text[s.Start] != '"' {
		return "", p.errorAt(s, "%s is not a string", what)
	}
	return rawjson.Unquote(p.text[s.Start:s.End]), nil
}

func (p *parser) file() error {
	at := strings.IndexByte(p.text, '{') // AddWrapped checked that it comes first
	ms, err := p.parseObject(rawjson.Span{Start: at, End: len(p.text)}, "the file", "lockfileVersion", "servers")
	if err != nil {
		return err
	}
	var servers *rawjson.Span
	for _, m := range ms {
		if m.name == "servers" {
			servers = &m.value
		} else if v := p.text[m.value.Start:m.value.End]; v != strconv.Itoa(Version) {
			return p.errorAt(m.value, "lockfileVersion is %s, this program reads %d", excerpt.Clip(v, 20), Version)
		}
	}
	if servers == nil || len(ms) < 2 || p.text[servers.Start] != '[' {
		return p.errorAt(rawjson.Span{Start: at}, "lockfileVersion or the list servers is missing")
	}
	_ = rawjson.EachElement(p.text, servers.Start, func(_ int, s rawjson.Span) bool {
		err = p.parseServer(s)
		return err == nil
	})
	return err
}

func (p *parser) parseServer(s rawjson.Span) error {
	names := append([]string{"entry", "name", "anonymous", "target", "date", "protocolVersion", "hash"}, selfMembers...)
	ms, err := p.parseObject(s, "a server", append(names, members[:]...)...)
	if err != nil {
		return err
	}
	e := entry{at: s.Start}
	for _, m := range ms {
		if err := p.serverMember(&e, m); err != nil {
			return err
		}
	}
	switch {
	case e.Name == "" || e.stated == "":
		return p.errorAt(s, "a server has no name or no hash")
	case p.named[e.Address()]:
		return p.errorAt(s, "two servers are called %q", excerpt.Clip(e.Address(), 60))
	}
	p.named[e.Address()] = true
	p.entries = append(p.entries, e)
	return nil
}

func (p *parser) serverMember(e *entry, m member) (err error) {
	switch m.name {
	case "entry":
		e.Entry, err = p.parseString(m.value, "the entry of a server")
	case "name":
		e.Name, err = p.parseString(m.value, "the name of a server")
	case "date":
		e.Date, err = p.parseString(m.value, "the date of a server")
	case "protocolVersion":
		e.Revision, err = p.parseString(m.value, "the protocolVersion of a server")
	case "hash":
		e.stated, err = p.parseString(m.value, "the hash of a server")
	case "anonymous":
		if p.text[m.value.Start] != 't' {
			return p.errorAt(m.value, "anonymous is not true")
		}
		e.Anonymous = true
	case "target":
		e.Target, err = p.parseTarget(m.value)
	default:
		if l := slices.Index(members[:], m.name); l >= 0 {
			return p.parseList(e, l, m)
		}
		var h stated
		h, err = p.parseBlock(m.value, m.name)
		e.self = append(e.self, h)
	}
	return err
}

func (p *parser) parseTarget(s rawjson.Span) (t Target, err error) {
	ms, err := p.parseObject(s, "target", "command", "url")
	for _, m := range ms {
		if err != nil {
			break
		}
		var v string
		v, err = p.parseString(m.value, "the target")
		if m.name == "command" {
			t.Command = v
		} else {
			t.URL = v
		}
	}
	return t, err
}

func (p *parser) parseList(e *entry, l int, m member) (err error) {
	if p.text[m.value.Start] != '[' {
		return p.errorAt(m.value, "%s is not a list", m.name)
	}
	e.Lists[l].Present = true
	_ = rawjson.EachElement(p.text, m.value.Start, func(_ int, s rawjson.Span) bool {
		var h stated
		if h, err = p.parseBlock(s, "an entry of "+m.name); err == nil {
			e.lists[l] = append(e.lists[l], h)
		}
		return err == nil
	})
	return err
}

func (p *parser) parseBlock(s rawjson.Span, what string) (h stated, err error) {
	ms, err := p.parseObject(s, what, "hash", "definition")
	if err != nil {
		return h, err
	}
	if len(ms) != 2 {
		return h, p.errorAt(s, "%s has not both a hash and a definition", what)
	}
	for _, m := range ms {
		if m.name == "hash" {
			h.at = m.value.Start
			h.hash, err = p.parseString(m.value, "the hash of "+what)
		}
	}
	return h, err
}

// joinServers combines the entries with the catalog's definitions and compares hashes.
func (p *parser) joinServers() error {
	for i, s := range p.out.Catalog.Servers[p.first:] {
		e := &p.entries[i]
		now, in := fromServer(s, e.Target, e.Date)
		if err := p.compareEntry(s, e, &now, in); err != nil {
			return err
		}
		p.out.Servers = append(p.out.Servers, now)
	}
	return nil
}

func (p *parser) compareEntry(s *catalog.Server, e *entry, now *Server, in found) error {
	before := len(p.out.Damage)
	check := func(items []*catalog.Item, are []string, hashes []stated) error {
		if len(items) != len(hashes) {
			return p.errorAt(rawjson.Span{Start: e.at}, "the server %q could not be read as a whole; more items than --max-items, or a part that is no definition", excerpt.Clip(e.Address(), 60))
		}
		for i, it := range items {
			if are[i] != hashes[i].hash {
				loc := it.Location(s, rawjson.Value{}, false)
				loc.Pointer = strings.TrimSuffix(loc.Pointer, "/definition") + "/hash"
				p.addProblem(loc, hashes[i].at, "the hash is not that of the definition beside it: the lockfile was edited by hand or damaged")
			}
		}
		return nil
	}
	var items []*catalog.Item
	for i := range s.Self {
		if s.Self[i].Label() != "name" {
			items = append(items, &s.Self[i])
		}
	}
	if err := check(items, in.self, e.self); err != nil {
		return err
	}
	for l := range s.Lists {
		items = items[:0]
		for i := range s.Lists[l].Items {
			items = append(items, &s.Lists[l].Items[i])
		}
		if err := check(items, in.lists[l], e.lists[l]); err != nil {
			return err
		}
	}
	if len(p.out.Damage) == before && now.digest() != e.stated {
		p.addProblem(finding.Location{Server: s.Name, Pointer: s.Pointer + "/hash", File: p.name}, e.at,
			fmt.Sprintf("the hash of the server %q does not match its entry: the lockfile was edited by hand, merged or damaged", excerpt.Clip(e.Address(), 60)))
	}
	return nil
}

func (p *parser) addProblem(loc finding.Location, at int, msg string) {
	number := len(p.out.Catalog.Documents) - 1
	p.out.Damage = append(p.out.Damage, finding.Problem{Kind: finding.Malformed, Message: msg, Location: loc, Input: number, Order: at})
}
