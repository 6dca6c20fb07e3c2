// Package catalog holds what MCP servers say about themselves: tools, prompts,
// resources, resource templates, instructions.
//
// The bytes as received are the evidence; all types are views of them. A Catalog keeps each
// document whole and remembers where its items begin and end, so nothing is lost (key order,
// repeated keys, unknown keys, digits of big numbers) and a million tools cost little more than
// their text.
package catalog

import (
	"iter"
	"strconv"

	"gauntlet/finding"
	"gauntlet/rawjson"
)

// A Catalog is the content of one or more documents, in the order read.
type Catalog struct {
	Documents []*Document
	Servers   []*Server
	Problems  []finding.Problem
	// Ambiguities are members that readers take differently, in the order met.
	Ambiguities []Ambiguity
}

// A Document is one text as received: a snapshot file, or what a live server answered.
type Document struct {
	Name string // the path as the user gave it, "-" for standard input, "" for a live server
	// Origin is how a live server was reached, for a reader's eyes; see finding.Location.
	Origin string
	Text   string
	// Number is the document's place among Documents.
	Number int
}

// A Server is one server's self-description.
type Server struct {
	Name string
	// Anonymous tells that Name is ours, since the document gives none.
	Anonymous bool
	Document  *Document
	Pointer   string // of the object that holds the lists, in Document
	Revision  string // of the protocol, as the document has it; "" if it does not say
	// Entries are what the user calls the server, whatever it calls itself: the entries of
	// clients' configurations that stand for it, or a name given on the command line. None
	// for a snapshot.
	Entries []string
	// Target is where the server was found, without anything secret: a URL, or the name of a
	// program. "" if that is not known.
	Target string
	// Self is what the server says about itself as a whole: its identity, its
	// instructions and its capabilities, each an item with the kind finding.Server.
	Self  []Item
	Lists [4]List // in the order of Kinds

	inner string // the member of a list's element that is the item, "" where it is the element
}

// Kinds lists the kinds of item that a server offers in lists.
var Kinds = [4]finding.Kind{finding.Tool, finding.Prompt, finding.Resource, finding.ResourceTemplate}

// A List is one of a server's lists. Present tells an empty list, which was answered,
// from one that the document does not hold.
type List struct {
	Present bool
	Items   []Item
}

// Tools returns the server's tools.
func (s *Server) Tools() []Item { return s.Lists[0].Items }

// Items yields everything the server says in document order within each list: first
// itself, then tools, prompts, resources and resource templates.
func (s *Server) Items() iter.Seq[*Item] {
	return func(yield func(*Item) bool) {
		for i := range s.Self {
			if !yield(&s.Self[i]) {
				return
			}
		}
		for l := range s.Lists {
			for i := range s.Lists[l].Items {
				if !yield(&s.Lists[l].Items[i]) {
					return
				}
			}
		}
	}
}

// An Item is one definition: a span of its document.
type Item struct {
	Kind       finding.Kind
	list       string // the member that holds it: "tools", "resourceTemplates"…
	name       string // "" if missing or not a string
	start, end uint32
	index      int32 // place in its list; -1 for an item that stands alone
}

// Name returns the item's name as sent, "" if it has none. A resource template without
// a name is known by its uriTemplate, a resource by its uri.
func (it *Item) Name() string { return it.name }

// Label returns the name, or "#3" for the nameless fourth item of a list.
func (it *Item) Label() string {
	if it.name != "" {
		return it.name
	}
	if it.index < 0 {
		return it.list
	}
	return "#" + strconv.Itoa(int(it.index))
}

// Size returns the length of the definition as received, in bytes.
func (it *Item) Size() int { return int(it.end - it.start) }

// Offset returns where the definition begins in its document, in bytes.
func (it *Item) Offset() int { return int(it.start) }

// Pointer returns the RFC 6901 pointer from the root of the server's document.
func (it *Item) Pointer(s *Server) string {
	p := s.Pointer
	if it.list != "" {
		p += "/" + it.list
	}
	if it.index >= 0 {
		p += "/" + strconv.Itoa(int(it.index))
	}
	if s.inner != "" && it.list != "name" {
		p += "/" + s.inner
	}
	return p
}

// Text returns the definition as received.
func (it *Item) Text(s *Server) string { return s.Document.Text[it.start:it.end] }

// Parse reads the definition into tree, whose memory it reuses. It cannot fail: Parse
// of the document has read the same bytes before.
func (it *Item) Parse(s *Server, tree *rawjson.Tree) rawjson.Value {
	if err := tree.Parse(it.Text(s), int(it.start)); err != nil {
		panic("catalog: an item of a parsed document is not JSON: " + err.Error())
	}
	return tree.Root()
}

// Location returns where v, a value inside the item, stands.
func (it *Item) Location(s *Server, v rawjson.Value, isKey bool) finding.Location {
	return finding.Location{
		Server: s.Name, Kind: it.Kind, Item: it.Label(),
		Pointer: it.Pointer(s) + v.Pointer(), IsKey: isKey, File: s.Document.Name, Origin: s.Document.Origin,
	}
}
