package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
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
// An error means that nothing could be read: the text is too long, not JSON (with line and column)
// or of another shape. Errors below that level become Problems, and the rest is read as usual.
func (c *Catalog) Add(name, text string, limits Limits) error {
	return c.addDocument(name, text, "", limits)
}

// AddWrapped reads a document that is a list of several servers in which each item, be it of
// a list or what a server says about itself, is the member called inner of an object, as
// in a lockfile. Beside it may stand whatever the owner of that form puts there. Of a server's
// own members anonymous, if true, says that its name is not from itself, entry is one of its
// Entries, and target, an object with url or command, its Target.
func (c *Catalog) AddWrapped(name, text, inner string, limits Limits) error {
	return c.addDocument(name, text, inner, limits)
}

func (c *Catalog) addDocument(name, text, inner string, limits Limits) error {
	limits = limits.orDefaults()
	if len(text) > limits.Bytes {
		return &Error{File: name, Msg: fmt.Sprintf("the document has %d bytes, the limit is %d", len(text), limits.Bytes)}
	}
	if len(text) > rawjson.MaxText {
		return &Error{File: name, Msg: "the document is longer than 4 GiB"}
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
	r := reader{catalog: c, doc: doc, limits: limits, inner: inner, counts: map[finding.ProblemKind]int{}}
	if err := r.document(at); err != nil {
		return err
	}
	r.countUnlisted()
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
	counts  map[finding.ProblemKind]int // problems met so far
	items   int                         // read of all lists
}

// member is one name and value of an object whose spans are in the document.
type member struct {
	name    string // what a reader that ignores case takes it for, if that is a name read here
	spelled string
	key     rawjson.Span
	value   rawjson.Span
}

// readMembers reads one level of the object at text[at:].
func (r *reader) readMembers(at int) []member {
	var ms []member
	left := 0
	_ = rawjson.EachMember(r.doc.Text, at, func(name, value rawjson.Span) bool {
		spelled := rawjson.Unquote(r.doc.Text[name.Start:name.End])
		meant := spelled
		if !knownMembers[spelled] {
			meant = cmp.Or(knownFolded[rawjson.FoldName(spelled)], spelled)
		}
		if len(ms) >= maxMembers {
			left++
			return true
		}
		ms = append(ms, member{meant, spelled, name, value})
		return true
	})
	if left > 0 {
		r.addProblem(finding.Limit, finding.Location{}, at, fmt.Sprintf("only the first %d members of an object were read: %d more are there", maxMembers, left))
	}
	return ms
}

// maxMembers is how many members of a snapshot, a server or an envelope are read.
const maxMembers = 10_000

// knownFolded are the names that are read here by their folded form.
var knownFolded = func() map[string]string {
	out := map[string]string{}
	for name := range knownMembers {
		out[rawjson.FoldName(name)] = name
	}
	for _, name := range []string{"nextCursor", "protocolVersion", "jsonrpc", "mcpServers"} {
		out[rawjson.FoldName(name)] = name
	}
	return out
}()

func lookUpMember(ms []member, name string) (rawjson.Span, bool) {
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].name == name {
			return ms[i].value, true
		}
	}
	return rawjson.Span{}, false
}

func (r *reader) firstByte(s rawjson.Span) byte { return r.doc.Text[s.Start] }

// document reads the object that is the whole document. Whatever stands beside the part
// that was expected is read or reported too: a reader that takes the first of two answers
// would be shown the harmless one.
func (r *reader) document(at int) error {
	ms := r.readMembers(at)
	_, rpc := lookUpMember(ms, "jsonrpc")
	fail, failed := lookUpMember(ms, "error")
	read := false
	for _, m := range ms {
		switch {
		case m.name == "result" && r.firstByte(m.value) == '{':
			read = true
			r.readServer(r.readMembers(m.value.Start), "/"+rawjson.EscapePointer(m.spelled), r.fileStem())
		case m.name == "servers" && r.firstByte(m.value) == '[':
			read = true
			r.readServers(m)
		case m.name == "servers":
			return &Error{File: r.doc.Name, Msg: "servers is not a list"}
		}
	}
	switch _, config := lookUpMember(ms, "mcpServers"); {
	case !read && failed && rpc:
		return &Error{File: r.doc.Name, Msg: "the JSON-RPC response is an error: " + excerpt.Quote(r.doc.Text[fail.Start:fail.End], 200)}
	case !read && config:
		return &Error{File: r.doc.Name, Msg: "this is a client's configuration (mcpServers), not a snapshot of what servers say; scan --config, lock --config and classify --config read it"}
	case read && failed && rpc:
		r.addProblem(finding.Malformed, finding.Location{Pointer: "/error"}, fail.Start, "the JSON-RPC response has a result and an error; clients differ in which one they take")
	}
	if !read || speaks(ms) {
		r.readServer(ms, "", r.fileStem())
	} else {
		r.reportAmbiguous("", ms, "")
		r.reportUnknown(ms, "", envelope)
	}
	return nil
}

// readServers reads the list of several servers.
func (r *reader) readServers(m member) {
	list, at, n := m.value, "/"+rawjson.EscapePointer(m.spelled), 0
	_ = rawjson.EachElement(r.doc.Text, list.Start, func(i int, s rawjson.Span) bool {
		if n++; n > maxServers {
			r.addProblem(finding.Limit, finding.Location{Pointer: at}, list.Start, fmt.Sprintf("only the first %d servers were read", maxServers))
			return false
		}
		pointer := at + "/" + strconv.Itoa(i)
		if r.firstByte(s) != '{' {
			r.addProblem(finding.Malformed, finding.Location{Pointer: pointer}, s.Start, "the server is not an object")
			return true
		}
		r.readServer(r.readMembers(s.Start), pointer, "server "+strconv.Itoa(i))
		return true
	})
	if n == 0 {
		r.addProblem(finding.Unread, finding.Location{Pointer: at}, list.Start, "nothing to read: the list of servers is empty")
	}
}

// maxServers is how many servers of one document are read.
const maxServers = 10_000

// speaks reports whether members beside a result or a list of servers are a server's own.
func speaks(ms []member) bool {
	for _, m := range ms {
		if _, list := listNames[m.name]; list || m.name == "instructions" {
			return true
		}
	}
	return false
}

// reportAmbiguous reports members of one object that readers take differently: those that
// stand twice, in one spelling or in two, and those that only readers who ignore case take for
// one that MCP knows.
func (r *reader) reportAmbiguous(server string, ms []member, pointer string) {
	groups := map[string][]member{} // only names that are read here have two readings
	for _, m := range ms {
		if folded := rawjson.FoldName(m.name); knownFolded[folded] != "" {
			groups[folded] = append(groups[folded], m)
		}
	}
	for _, m := range ms {
		group := groups[rawjson.FoldName(m.name)]
		if group == nil {
			continue
		}
		if n := len(group); m.key != group[n-1].key || n == 1 && m.spelled == m.name {
			continue // it is told of at the last of them
		}
		loc := finding.Location{Server: server, Pointer: pointer + "/" + rawjson.EscapePointer(m.spelled)}
		r.addAmbiguity(loc, m, group)
		if _, list := listNames[m.name]; !list && len(group) > 1 { // lists say so by themselves
			r.addProblem(finding.Malformed, loc, m.value.Start,
				fmt.Sprintf("member %q appears more than once; clients differ in which one they take", excerpt.Clip(m.spelled, 60)))
		}
	}
}

// addAmbiguity records that readers take the members of a group differently, at one of them.
func (r *reader) addAmbiguity(loc finding.Location, at member, group []member) {
	if len(r.catalog.Ambiguities) >= maxAmbiguities {
		return
	}
	loc.File, loc.IsKey = r.doc.Name, true
	a := Ambiguity{Location: loc, Document: r.doc, Span: at.key, Meant: at.name, Twice: len(group) > 1}
	for _, m := range group[:min(len(group), 10)] {
		a.Names = append(a.Names, m.spelled)
	}
	slices.Sort(a.Names)
	a.Names = slices.Compact(a.Names)
	r.catalog.Ambiguities = append(r.catalog.Ambiguities, a)
}

// An Ambiguity is a member that parsers interpret differently: some take the first of several with
// the same name, some the last, and some ignore case. All of them are read.
type Ambiguity struct {
	Location finding.Location
	Document *Document
	Span     rawjson.Span // of the name in the document
	Names    []string     // as they are spelled, sorted
	Meant    string       // what a reader that ignores case takes them for; "" for what a capture has noted
	Twice    bool         // there is more than one
}

// maxAmbiguities is how many a catalog keeps: one is enough to distrust a server.
const maxAmbiguities = 1_000

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
	"stdout_noise": true, "capture_errors": true, "ambiguous_members": true, "supportedVersions": true, "result": true, "servers": true, "error": true,
	"execution": true, "annotations": true,
}

// envelope are the members that may stand beside a result or a list of servers.
var envelope = map[string]bool{"result": true, "servers": true, "error": true, "_meta": true, "id": true, "server": true, "serverInfo": true, "capabilities": true}

// readServer reads one server's object.
func (r *reader) readServer(ms []member, pointer, fallback string) {
	s := &Server{Name: fallback, Anonymous: true, Document: r.doc, Pointer: pointer, inner: r.inner}
	r.catalog.Servers = append(r.catalog.Servers, s)
	r.readName(s, ms)
	r.reportAmbiguous(s.Name, ms, pointer)
	if r.inner != "" {
		ms = r.unwrapped(s, ms)
	}
	read := false
	for _, m := range ms {
		if l, ok := listNames[m.name]; ok {
			read = r.readList(s, l, m) || read
			continue
		}
		switch m.name {
		case "instructions":
			if r.firstByte(m.value) == 'n' { // null
				continue
			}
			read = true
			r.readSelf(s, m)
			if r.firstByte(m.value) != '"' {
				r.addProblem(finding.Malformed, r.locationIn(s, "/"+rawjson.EscapePointer(m.spelled)), m.value.Start, "instructions is not a string")
			}
		case "server", "serverInfo", "capabilities", "name":
			if r.firstByte(m.value) == '{' || r.firstByte(m.value) == '"' && m.name != "capabilities" {
				r.readSelf(s, m)
			}
		case "protocolVersion":
			if r.firstByte(m.value) == '"' {
				s.Revision = rawjson.Unquote(r.doc.Text[m.value.Start:m.value.End])
			}
		case "nextCursor":
			if text := r.doc.Text[m.value.Start:m.value.End]; text != "null" {
				r.addProblem(finding.Unread, r.locationIn(s, "/"+rawjson.EscapePointer(m.spelled)), m.value.Start, "the list goes on: nextCursor says that further pages were not captured")
			}
		case "capture_errors":
			r.captureErrors(s, m)
		case "ambiguous_members":
			r.capturedAmbiguities(s, m)
		default:
			if !knownMembers[m.name] && r.isProse(m.value) {
				r.readSelf(s, m) // a client that shows its model whatever there is shows this
			}
		}
	}
	r.reportUnknown(ms, pointer, knownMembers)
	if !read && !r.toldWhy(s) {
		r.addProblem(finding.Unread, r.locationIn(s, ""), 0, "nothing was read: none of tools, prompts, resources, resourceTemplates and instructions is there")
	}
}

// isProse reports whether a value is a text of several words, and no date, name or version.
func (r *reader) isProse(v rawjson.Span) bool {
	text := r.doc.Text[v.Start:v.End]
	return text[0] == '"' && len(text) > 20 && strings.Contains(text, " ")
}

// readName takes the server's name from the entry itself or from the identity it sent.
func (r *reader) readName(s *Server, ms []member) {
	if n := r.readText(ms, "name"); n != "" {
		s.Name, s.Anonymous = n, false
		return
	}
	for _, id := range []string{"server", "serverInfo"} {
		if v, ok := lookUpMember(ms, id); ok && r.firstByte(v) == '{' {
			if n := r.readText(r.readMembers(v.Start), "name"); n != "" {
				s.Name, s.Anonymous = n, false
				return
			}
		}
	}
}

func (r *reader) readSelf(s *Server, m member) {
	it := Item{Kind: finding.Server, start: uint32(m.value.Start), end: uint32(m.value.End), list: m.spelled, index: -1}
	r.form(s, &it, it.Parse(s, &r.tree))
	s.Self = append(s.Self, it)
}

// toldWhy reports whether a problem of the server says already why a list of it is not there: the cause is told, and not
// what follows from it.
func (r *reader) toldWhy(s *Server) bool {
	return slices.ContainsFunc(r.catalog.Problems, func(p finding.Problem) bool {
		return p.Kind == finding.Unread && p.Input == r.doc.Number && p.Location.Server == s.Name && strings.Contains(p.Message, couldNotBeCaptured)
	})
}

const couldNotBeCaptured = " could not be captured: "

// captureErrors reads what a capture could not get. A method that the server does not
// have (-32601) is an answer, not a gap.
func (r *reader) captureErrors(s *Server, m member) {
	if r.firstByte(m.value) != '{' {
		if text := r.doc.Text[m.value.Start:m.value.End]; text != "null" && text != "[]" {
			r.addProblem(finding.Unread, r.locationIn(s, "/capture_errors"), m.value.Start, "the capture had errors: "+excerpt.Clip(text, 200))
		}
		return
	}
	for _, e := range r.readMembers(m.value.Start) {
		text := r.doc.Text[e.value.Start:e.value.End]
		if strings.Contains(text, "-32601") && (strings.Contains(text, `code"`) || strings.Contains(strings.ToLower(text), "method not found")) {
			continue
		}
		r.addProblem(finding.Unread, r.locationIn(s, "/capture_errors/"+rawjson.EscapePointer(e.name)), e.value.Start,
			fmt.Sprintf("%s"+couldNotBeCaptured+"%s", excerpt.Clip(e.name, 60), excerpt.Clip(text, 200)))
	}
}

// capturedAmbiguities reads what a capture says of answers that clients read differently.
func (r *reader) capturedAmbiguities(s *Server, m member) {
	if r.firstByte(m.value) != '[' {
		return
	}
	_ = rawjson.EachElement(r.doc.Text, m.value.Start, func(i int, span rawjson.Span) bool {
		if r.firstByte(span) == '"' {
			said := rawjson.Unquote(r.doc.Text[span.Start:span.End])
			loc := r.locationIn(s, "/"+rawjson.EscapePointer(m.spelled)+"/"+strconv.Itoa(i))
			loc.File = r.doc.Name
			r.catalog.Ambiguities = append(r.catalog.Ambiguities, Ambiguity{Location: loc, Document: r.doc, Span: span, Names: []string{said}, Twice: true})
		}
		return i+1 < maxAmbiguities
	})
}

// reportUnknown reports members that could hold definitions and that nothing here reads.
func (r *reader) reportUnknown(ms []member, pointer string, known map[string]bool) {
	for _, m := range ms {
		if c := r.firstByte(m.value); (c == '[' || c == '{') && !known[m.name] {
			what := "list"
			if c == '{' {
				what = "object"
			}
			r.addProblem(finding.Unread, finding.Location{Pointer: pointer + "/" + rawjson.EscapePointer(m.spelled)}, m.value.Start,
				fmt.Sprintf("unknown %s %q was not read", what, excerpt.Clip(m.spelled, 60)))
		}
	}
}

// readList reads one list of items and reports whether it was there.
func (r *reader) readList(s *Server, l int, m member) bool {
	if r.firstByte(m.value) == 'n' { // null: the server did not answer for this list
		return false
	}
	list := &s.Lists[l]
	if list.Present {
		r.addProblem(finding.Malformed, r.locationIn(s, "/"+rawjson.EscapePointer(m.spelled)), m.value.Start, "the list appears more than once; clients differ in which one they take")
	}
	list.Present = true
	if r.firstByte(m.value) != '[' {
		r.addProblem(finding.Malformed, r.locationIn(s, "/"+rawjson.EscapePointer(m.spelled)), m.value.Start, m.name+" is not a list")
		it := Item{Kind: Kinds[l], start: uint32(m.value.Start), end: uint32(m.value.End), list: m.spelled, index: -1}
		r.form(s, &it, it.Parse(s, &r.tree))
		list.Items = append(list.Items, it)
		return true
	}
	_ = rawjson.EachElement(r.doc.Text, m.value.Start, func(i int, span rawjson.Span) bool {
		dense := r.limits.Items <= DefaultItems && r.items >= minItems+len(r.doc.Text)/bytesPerItem
		if r.items++; dense || i >= r.limits.Items {
			r.addProblem(finding.Limit, r.locationIn(s, "/"+rawjson.EscapePointer(m.spelled)), m.value.Start,
				fmt.Sprintf("only the first %d of the %s were read: the limit on items", i, m.name))
			return false
		}
		span, ok := r.unwrap(span)
		if !ok {
			r.addProblem(finding.Malformed, r.locationIn(s, "/"+rawjson.EscapePointer(m.spelled)+"/"+strconv.Itoa(i)), span.Start, "the entry has no "+r.inner)
			return true
		}
		it := Item{Kind: Kinds[l], start: uint32(span.Start), end: uint32(span.End), list: m.spelled, index: int32(i)}
		r.checkItem(s, &it)
		list.Items = append(list.Items, it)
		return true
	})
	return true
}

func (r *reader) locationIn(s *Server, below string) finding.Location {
	return finding.Location{Server: s.Name, Pointer: s.Pointer + below}
}

func (r *reader) addProblem(kind finding.ProblemKind, loc finding.Location, offset int, msg string) {
	if !r.roomFor(kind) {
		return
	}
	loc.File = r.doc.Name
	r.catalog.Problems = append(r.catalog.Problems, finding.Problem{
		Kind: kind, Message: msg, Location: loc, Input: r.doc.Number, Order: offset,
	})
}

// maxProblems is how many problems of one kind a document is told of one by one: a problem takes
// a hundred times the memory of the bytes that make one.
const maxProblems = 1_000

// roomFor counts one problem and reports whether it is to be listed.
func (r *reader) roomFor(kind finding.ProblemKind) bool {
	r.counts[kind]++
	return r.counts[kind] <= maxProblems
}

// countUnlisted says how many problems of each kind are not listed.
func (r *reader) countUnlisted() {
	for _, kind := range slices.Sorted(maps.Keys(r.counts)) {
		if n := r.counts[kind] - maxProblems; n > 0 {
			r.catalog.Problems = append(r.catalog.Problems, finding.Problem{
				Kind: kind, Message: fmt.Sprintf("%d more problems of this kind are not listed", n),
				Location: finding.Location{File: r.doc.Name}, Input: r.doc.Number, Order: len(r.doc.Text),
			})
		}
	}
}
