// Package lock records what servers were approved to say: a lockfile holds every definition in full with its hash, so
// that a later change can be shown, not only detected.
//
// The file format, docs/schemas/lock.schema.json, is made for review: one item per block, sorted, every character
// visible. Writing a file that was read gives the same bytes.
package lock

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/rawjson"
)

// FileName is the default name of a lockfile.
const FileName = "gauntlet.lock.json"

// Version is the version of the file format.
const Version = 1

// A File is a lockfile: servers with unique addresses.
type File struct {
	Servers []Server
}

// A Server is one approved server.
type Server struct {
	// Entry is the user's name for the server: an entry of a client configuration. It depends neither on other servers
	// nor on what the server says. "" if there is none.
	Entry string
	Name  string // its own
	// Anonymous says that the name is not the server's own.
	Anonymous bool
	Target    Target
	Date      string  // last approval, as 2026-11-21
	Revision  string  // protocol revision, "" if unknown
	Self      []Part  // identity, instructions, capabilities
	Lists     [4]List // in the order of catalog.Kinds
}

// Address returns the server's address: its entry, or else its own name.
func (s *Server) Address() string { return cmp.Or(s.Entry, s.Name) }

// A Target says where a server was found. It has no arguments, variables, headers or queries, any of which may be
// secret. It is zero for a server read from a file.
type Target struct {
	Command string `json:"command,omitempty"` // program name
	URL     string `json:"url,omitempty"`     // without user, query and fragment
}

// URLTarget returns the target for a URL.
func URLTarget(raw string) Target {
	u, err := url.Parse(raw)
	if err != nil {
		return Target{}
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return Target{URL: u.String()}
}

// A Part is a statement of a server about itself.
type Part struct {
	Member string // server, serverInfo, instructions or capabilities
	Item
}

// A List is a list of a server, sorted by name; items with the same name stay in the server's order, since clients
// differ in which one they take.
type List struct {
	Present bool // false if the server has no such list
	Items   []Item
}

// An Item is a definition.
type Item struct {
	Name string
	Text string // canonical form of the definition
	Hash string // of Text: "sha256-" and 64 hexadecimal digits
}

func newItem(name, canonical string) Item { return Item{name, canonical, hashText(canonical)} }

func hashText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + hex.EncodeToString(sum[:])
}

// members are the members of a server's lists, in the order of catalog.Kinds.
var members = [4]string{"tools", "prompts", "resources", "resourceTemplates"}

// selfMembers are a server's statements about itself, in file order.
var selfMembers = []string{"server", "serverInfo", "instructions", "capabilities"}

// FromServer returns the lock entry of a server as it is now, under its first entry name.
func FromServer(s *catalog.Server, target Target, date string) Server {
	out, _ := fromServer(s, target, date)
	return out
}

// found holds the hashes of a server's definitions in catalog order.
type found struct {
	self  []string
	lists [4][]string
}

func fromServer(s *catalog.Server, target Target, date string) (Server, found) {
	var in found
	out := Server{Name: s.Name, Anonymous: s.Anonymous, Target: target, Date: date, Revision: s.Revision}
	if len(s.Entries) > 0 {
		out.Entry = s.Entries[0]
	}
	var tree rawjson.Tree
	for i := range s.Self {
		it := &s.Self[i]
		if m := it.Label(); slices.Contains(selfMembers, m) {
			p := Part{m, newItem("", it.Parse(s, &tree).Canonical())}
			out.Self = append(out.Self, p)
			in.self = append(in.self, p.Hash)
		}
	}
	slices.SortStableFunc(out.Self, func(a, b Part) int {
		return slices.Index(selfMembers, a.Member) - slices.Index(selfMembers, b.Member)
	})
	for l := range s.Lists {
		list := &out.Lists[l]
		list.Present = s.Lists[l].Present
		for i := range s.Lists[l].Items {
			it := &s.Lists[l].Items[i]
			locked := newItem(it.Name(), it.Parse(s, &tree).Canonical())
			list.Items = append(list.Items, locked)
			in.lists[l] = append(in.lists[l], locked.Hash)
		}
		list.sort()
	}
	return out, in
}

func (l *List) sort() {
	slices.SortStableFunc(l.Items, func(a, b Item) int { return strings.Compare(a.Name, b.Name) })
}

// digest is the hash of a whole entry, so that no item can be removed unnoticed: that of the entry in canonical form
// without the member hash, with each definition represented by its own hash.
func (s *Server) digest() string {
	w := &writer{short: true}
	w.writeServer(s, "")
	var tree rawjson.Tree
	if err := tree.Parse(string(w.b), 0); err != nil {
		panic("lock: an entry is not JSON: " + err.Error())
	}
	return hashText(tree.Root().Canonical())
}

func (f *File) sort() {
	slices.SortStableFunc(f.Servers, func(a, b Server) int { return strings.Compare(a.Address(), b.Address()) })
}
