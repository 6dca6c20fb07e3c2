// Package catalog holds what MCP servers say about themselves: tools, prompts, resources, resource templates, instructions.
//
// The bytes as received are the evidence; all types are views of them. A Catalog keeps each document whole and records
// where its items begin and end, so that nothing is lost (key order, repeated and unknown keys, digits of large
// numbers) and a million tools cost little more than their text.
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
	// Ambiguities are members that parsers interpret differently, in order of occurrence.
	Ambiguities []Ambiguity
}

// A Document is a text as received: a snapshot file, or the answers of a live server.
type Document struct {
	Name string // path as given by the user, "-" for standard input, "" for a live server
	// Origin says how a live server was reached, for display; see finding.Location.
	Origin string
	Text   string
	// Number is the index in Documents.
	Number int
}

// A Server is one server's self-description.
type Server struct {
	Name string
	// Anonymous says that Name is ours, since the document gives none.
	Anonymous bool
	Document  *Document
	Pointer   string // in Document, of the object that holds the lists
	Revision  string // protocol revision as in the document; "" if absent
	// Entries are the user's names for the server: its entries in client configurations, or a name from the command
	// line. None for a snapshot.
	Entries []string
	// Target is where the server was found, without secrets: a URL or a program name; "" if unknown.
	Target string
	// Self is what the server says about itself as a whole: identity, instructions and capabilities, each an item of kind finding.Server.
	Self  []Item
	Lists [4]List // in the order of Kinds

	inner string // member of a list element that is the item, "" if the element is
}

// Kinds are the kinds of items that a server lists.
var Kinds = [4]finding.Kind{finding.Tool, finding.Prompt, finding.Resource, finding.ResourceTemplate}

// A List is one of a server's lists. Present distinguishes an empty list from one that the document does not contain.
type List struct {
	Present bool
	Items   []Item
}

// Tools returns the server's tools.
func (s *Server) Tools() []Item { return s.Lists[0].Items }

// Items yields the server's items: Self, then tools, prompts, resources and resource templates, each in document order.
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

// An Item is a definition: a span of its document.
type Item struct {
	Kind       finding.Kind
	list       string // member that contains it: "tools", "resourceTemplates"…
	name       string // "" if missing or not a string
	start, end uint32
	index      int32 // index in its list; -1 for an item outside a list
}

// Name returns the item's name as sent, "" if it has none. Without a name, a resource template is identified by its
// uriTemplate, a resource by its uri.
func (it *Item) Name() string { return it.name }

// Label returns the name, or "#3" for an unnamed fourth item of a list.
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

// Offset returns the start of the definition in its document, in bytes.
func (it *Item) Offset() int { return int(it.start) }

// Pointer returns the RFC 6901 pointer from the root of the document.
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

// Parse parses the definition into tree, reusing its memory. It cannot fail: parsing the document has read the same bytes.
func (it *Item) Parse(s *Server, tree *rawjson.Tree) rawjson.Value {
	if err := tree.Parse(it.Text(s), int(it.start)); err != nil {
		panic("catalog: an item of a parsed document is not JSON: " + err.Error())
	}
	return tree.Root()
}

// Location returns the location of v, a value inside the item.
func (it *Item) Location(s *Server, v rawjson.Value, isKey bool) finding.Location {
	return finding.Location{
		Server: s.Name, Kind: it.Kind, Item: it.Label(),
		Pointer: it.Pointer(s) + v.Pointer(), IsKey: isKey, File: s.Document.Name, Origin: s.Document.Origin,
	}
}
