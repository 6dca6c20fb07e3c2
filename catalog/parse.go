package catalog

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"gauntlet/finding"
	"gauntlet/rawjson"
)

// An Error says why a document could not be read at all. Line and Column are 1-based,
// 0 where no place applies; columns count code points.
type Error struct {
	File         string
	Line, Column int
	Msg          string
}

func (e *Error) Error() string {
	where := e.File
	if e.Line > 0 {
		where += fmt.Sprintf(":%d:%d", e.Line, e.Column)
	}
	if where == "" {
		return e.Msg
	}
	return where + ": " + e.Msg
}

// Parse reads one document; see [Catalog.Add].
func Parse(name, text string, limits Limits) (*Catalog, error) {
	c := new(Catalog)
	return c, c.Add(name, text, limits)
}

// Add reads one document into the catalog. The text may be
//   - a snapshot: an object with any of tools, prompts, resources, resourceTemplates (also
//     resource_templates), instructions and server (also serverInfo),
//   - several: {"servers": [{"name": …, "tools": …}, …]},
//   - a tools/list result, or a JSON-RPC response with such a result.
//
// An error means that nothing could be read: the text is too long, not JSON (with line
// and column) or of another shape. Whatever is wrong below that becomes a Problem, and
// the rest is read as usual.
func (c *Catalog) Add(name, text string, limits Limits) error { return c.add(name, text, "", limits) }

// AddWrapped reads a document that is a list of several servers in which each item, be it of
// a list or what a server says about itself, is the member called inner of an object, as
// in a lockfile. Beside it may stand whatever the owner of that form puts there. Of a server's
// own members anonymous, if true, says that its name is not from itself, entry is one of its
// Entries, and target, an object with url or command, its Target.
func (c *Catalog) AddWrapped(name, text, inner string, limits Limits) error {
	return c.add(name, text, inner, limits)
}

func (c *Catalog) add(name, text, inner string, limits Limits) error {
	limits = limits.withDefaults()
	if len(text) > limits.Bytes {
		return &Error{File: name, Msg: fmt.Sprintf("the document has %d bytes, the limit is %d", len(text), limits.Bytes)}
	}
	doc := &Document{Name: name, Text: text, Number: len(c.Documents)}
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return &Error{File: name, Msg: "the document is UTF-16; save it as UTF-8"}
	}
	// A byte order mark is allowed for, as RFC 8259 section 8.1 suggests.
	at := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	end, err := rawjson.Skip(text, at)
	if err == nil && strings.Trim(text[end:], " \t\r\n") != "" {
		err = &rawjson.SyntaxError{Offset: end + len(text[end:]) - len(strings.TrimLeft(text[end:], " \t\r\n")), Msg: "text after the end of the document"}
	}
	if err != nil {
		return syntaxError(doc, err)
	}
	at += len(text[at:]) - len(strings.TrimLeft(text[at:], " \t\r\n"))
	if text[at] != '{' {
		return &Error{File: name, Line: 1, Column: 1, Msg: "the document is not a JSON object: want a snapshot, a tools/list result or a JSON-RPC response"}
	}
	r := reader{catalog: c, doc: doc, limits: limits, inner: inner}
	if err := r.document(at); err != nil {
		return err
	}
	c.Documents = append(c.Documents, doc)
	return nil
}

func syntaxError(doc *Document, err error) error {
	var syntax *rawjson.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	pos := doc.Positions([]int{syntax.Offset})[0]
	return &Error{File: doc.Name, Line: pos.Line, Column: pos.Column, Msg: "not JSON: " + syntax.Msg}
}

// reader fills a Catalog from one document whose syntax has been checked.
type reader struct {
	catalog *Catalog
	doc     *Document
	limits  Limits
	inner   string // see AddWrapped
	tree    rawjson.Tree
}

// member is one name and value of an object whose spans are in the document.
type member struct {
	name  string
	value rawjson.Span
}

// members reads one level of the object at text[at:].
func (r *reader) members(at int) []member {
	var ms []member
	_ = rawjson.EachMember(r.doc.Text, at, func(name, value rawjson.Span) bool {
		ms = append(ms, member{rawjson.Unquote(r.doc.Text[name.Start:name.End]), value})
		return true
	})
	return ms
}

func lookup(ms []member, name string) (rawjson.Span, bool) {
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].name == name {
			return ms[i].value, true
		}
	}
	return rawjson.Span{}, false
}

func (r *reader) first(s rawjson.Span) byte { return r.doc.Text[s.Start] }

// document reads the object that is the whole document. Whatever stands beside the part
// that was expected is read or reported too: a reader that takes the first of two answers
// would be shown the harmless one.
func (r *reader) document(at int) error {
	ms := r.members(at)
	_, rpc := lookup(ms, "jsonrpc")
	fail, failed := lookup(ms, "error")
	read := false
	for _, m := range ms {
		switch {
		case m.name == "result" && r.first(m.value) == '{':
			read = true
			r.server(r.members(m.value.Start), "/result", r.fileStem())
		case m.name == "servers" && r.first(m.value) == '[':
			read = true
			r.servers(m.value)
		case m.name == "servers":
			return &Error{File: r.doc.Name, Msg: "servers is not a list"}
		}
	}
	switch _, config := lookup(ms, "mcpServers"); {
	case !read && failed && rpc:
		return &Error{File: r.doc.Name, Msg: "the JSON-RPC response is an error: " + strconv.Quote(finding.Clip(r.doc.Text[fail.Start:fail.End], 200))}
	case !read && config:
		return &Error{File: r.doc.Name, Msg: "this is a client's configuration (mcpServers), not a snapshot of what servers say"}
	case read && failed && rpc:
		r.problem(finding.Malformed, finding.Location{Pointer: "/error"}, fail.Start, "the JSON-RPC response has a result and an error; clients differ in which one they take")
	}
	r.repeatedParts(ms)
	if !read || speaks(ms) {
		r.server(ms, "", r.fileStem())
	} else {
		r.unknown(ms, "", envelope)
	}
	return nil
}

// servers reads the list of several servers.
func (r *reader) servers(list rawjson.Span) {
	n := 0
	_ = rawjson.EachElement(r.doc.Text, list.Start, func(i int, s rawjson.Span) bool {
		n++
		pointer := "/servers/" + strconv.Itoa(i)
		if r.first(s) != '{' {
			r.problem(finding.Malformed, finding.Location{Pointer: pointer}, s.Start, "the server is not an object")
			return true
		}
		r.server(r.members(s.Start), pointer, "server "+strconv.Itoa(i))
		return true
	})
	if n == 0 {
		r.problem(finding.Unread, finding.Location{Pointer: "/servers"}, list.Start, "nothing to read: the list of servers is empty")
	}
}

// speaks reports whether members beside a result or a list of servers are a server's own.
func speaks(ms []member) bool {
	for _, m := range ms {
		if _, list := listNames[m.name]; list || m.name == "instructions" {
			return true
		}
	}
	return false
}

// repeatedParts reports members of the envelope that stand twice.
func (r *reader) repeatedParts(ms []member) {
	seen := map[string]bool{}
	for _, m := range ms {
		if _, list := listNames[m.name]; seen[m.name] && !list {
			r.problem(finding.Malformed, finding.Location{Pointer: "/" + rawjson.EscapePointer(m.name)}, m.value.Start,
				fmt.Sprintf("member %q appears more than once; clients differ in which one they take", finding.Clip(m.name, 60)))
		}
		seen[m.name] = true
	}
}

// fileStem names a server that does not name itself.
func (r *reader) fileStem() string {
	if r.doc.Name == "" || r.doc.Name == "-" {
		return "server"
	}
	base := filepath.Base(r.doc.Name)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// listNames maps the members that hold lists to their place in Kinds. resource_templates
// is what several capture tools write.
var listNames = map[string]int{
	"tools": 0, "prompts": 1, "resources": 2, "resourceTemplates": 3, "resource_templates": 3,
}

// knownMembers are the members of a snapshot beside the lists: identity, capture notes,
// cache hints, the envelope.
var knownMembers = map[string]bool{
	"tools": true, "prompts": true, "resources": true, "resourceTemplates": true, "resource_templates": true,
	"instructions": true, "server": true, "serverInfo": true, "name": true, "capabilities": true, "_meta": true,
	"stdout_noise": true, "capture_errors": true, "supportedVersions": true, "result": true, "servers": true, "error": true,
	"execution": true, "annotations": true,
}

// envelope are the members that may stand beside a result or a list of servers.
var envelope = map[string]bool{"result": true, "servers": true, "error": true, "_meta": true, "id": true, "server": true, "serverInfo": true, "capabilities": true}

// server reads one server's object.
func (r *reader) server(ms []member, pointer, fallback string) {
	s := &Server{Name: fallback, Anonymous: true, Document: r.doc, Pointer: pointer, inner: r.inner}
	r.catalog.Servers = append(r.catalog.Servers, s)
	r.name(s, ms)
	if r.inner != "" {
		ms = r.unwrapped(s, ms)
	}
	read := false
	for _, m := range ms {
		if l, ok := listNames[m.name]; ok {
			read = r.list(s, l, m) || read
			continue
		}
		switch m.name {
		case "instructions":
			if r.first(m.value) == 'n' { // null
				continue
			}
			read = true
			r.self(s, m)
			if r.first(m.value) != '"' {
				r.problem(finding.Malformed, r.at(s, "/instructions"), m.value.Start, "instructions is not a string")
			}
		case "server", "serverInfo", "capabilities", "name":
			if r.first(m.value) == '{' || r.first(m.value) == '"' && m.name != "capabilities" {
				r.self(s, m)
			}
		case "protocolVersion":
			if r.first(m.value) == '"' {
				s.Revision = rawjson.Unquote(r.doc.Text[m.value.Start:m.value.End])
			}
		case "nextCursor":
			if text := r.doc.Text[m.value.Start:m.value.End]; text != "null" && text != `""` {
				r.problem(finding.Unread, r.at(s, "/nextCursor"), m.value.Start, "the list goes on: nextCursor says that further pages were not captured")
			}
		case "capture_errors":
			r.captureErrors(s, m)
		}
	}
	r.unknown(ms, pointer, knownMembers)
	if !read {
		r.problem(finding.Unread, r.at(s, ""), 0, "nothing was read: none of tools, prompts, resources, resourceTemplates and instructions is there")
	}
}

// name takes the server's name from the entry itself or from the identity it sent.
func (r *reader) name(s *Server, ms []member) {
	if n := r.text(ms, "name"); n != "" {
		s.Name, s.Anonymous = n, false
		return
	}
	for _, id := range []string{"server", "serverInfo"} {
		if v, ok := lookup(ms, id); ok && r.first(v) == '{' {
			if n := r.text(r.members(v.Start), "name"); n != "" {
				s.Name, s.Anonymous = n, false
				return
			}
		}
	}
}

func (r *reader) self(s *Server, m member) {
	it := Item{Kind: finding.Server, start: m.value.Start, end: m.value.End, list: m.name, index: -1}
	r.form(s, &it, it.Parse(s, &r.tree))
	s.Self = append(s.Self, it)
}

// captureErrors reads what a capture could not get. A method that the server does not
// have (-32601) is an answer, not a gap.
func (r *reader) captureErrors(s *Server, m member) {
	if r.first(m.value) != '{' {
		if text := r.doc.Text[m.value.Start:m.value.End]; text != "null" && text != "[]" {
			r.problem(finding.Unread, r.at(s, "/capture_errors"), m.value.Start, "the capture had errors: "+finding.Clip(text, 200))
		}
		return
	}
	for _, e := range r.members(m.value.Start) {
		text := r.doc.Text[e.value.Start:e.value.End]
		if strings.Contains(text, "-32601") && (strings.Contains(text, `code"`) || strings.Contains(strings.ToLower(text), "method not found")) {
			continue
		}
		r.problem(finding.Unread, r.at(s, "/capture_errors/"+rawjson.EscapePointer(e.name)), e.value.Start,
			fmt.Sprintf("%s could not be captured: %s", finding.Clip(e.name, 60), finding.Clip(text, 200)))
	}
}

// unknown reports members that could hold definitions and that nothing here reads.
func (r *reader) unknown(ms []member, pointer string, known map[string]bool) {
	for _, m := range ms {
		if c := r.first(m.value); (c == '[' || c == '{') && !known[m.name] {
			what := "list"
			if c == '{' {
				what = "object"
			}
			r.problem(finding.Unread, finding.Location{Pointer: pointer + "/" + rawjson.EscapePointer(m.name)}, m.value.Start,
				fmt.Sprintf("unknown %s %q was not read", what, finding.Clip(m.name, 60)))
		}
	}
}

// list reads one list of items and reports whether it was there.
func (r *reader) list(s *Server, l int, m member) bool {
	if r.first(m.value) == 'n' { // null: the server did not answer for this list
		return false
	}
	list := &s.Lists[l]
	if list.Present {
		r.problem(finding.Malformed, r.at(s, "/"+m.name), m.value.Start, "the list appears more than once; clients differ in which one they take")
	}
	list.Present = true
	if r.first(m.value) != '[' {
		r.problem(finding.Malformed, r.at(s, "/"+m.name), m.value.Start, m.name+" is not a list")
		it := Item{Kind: Kinds[l], start: m.value.Start, end: m.value.End, list: m.name, index: -1}
		r.form(s, &it, it.Parse(s, &r.tree))
		list.Items = append(list.Items, it)
		return true
	}
	_ = rawjson.EachElement(r.doc.Text, m.value.Start, func(i int, span rawjson.Span) bool {
		if i >= r.limits.Items {
			r.problem(finding.Limit, r.at(s, "/"+m.name), m.value.Start,
				fmt.Sprintf("only the first %d of the %s were read: the limit on items", r.limits.Items, m.name))
			return false
		}
		span, ok := r.unwrap(span)
		if !ok {
			r.problem(finding.Malformed, r.at(s, "/"+m.name+"/"+strconv.Itoa(i)), span.Start, "the entry has no "+r.inner)
			return true
		}
		it := Item{Kind: Kinds[l], start: span.Start, end: span.End, list: m.name, index: i}
		r.item(s, &it)
		list.Items = append(list.Items, it)
		return true
	})
	return true
}

func (r *reader) at(s *Server, below string) finding.Location {
	return finding.Location{Server: s.Name, Pointer: s.Pointer + below}
}

func (r *reader) problem(kind finding.ProblemKind, loc finding.Location, offset int, msg string) {
	loc.File = r.doc.Name
	r.catalog.Problems = append(r.catalog.Problems, finding.Problem{
		Kind: kind, Message: msg, Location: loc, Input: r.doc.Number, Order: offset,
	})
}
