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

// An Error says why a document could not be read at all. Line and Column are 1-based, 0 if there is no position;
// columns count code points.
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
// An error means that nothing could be read: the text is too long, not JSON (with line and column) or of another shape.
// Smaller errors become Problems, and the rest is read.
func (c *Catalog) Add(name, text string, limits Limits) error {
	return c.addDocument(name, text, "", limits)
}

// AddWrapped reads a list of servers in which every item, listed or about the server itself, is the member inner of an
// object, as in a lockfile; other members of that object are ignored. Of a server's own members, anonymous (true) says
// that its name is not its own, entry is one of its Entries, and target, an object with url or command, its Target.
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
	// RFC 8259 section 8.1 suggests ignoring a byte order mark.
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

// reader fills a Catalog from a document whose syntax was checked.
type reader struct {
	catalog *Catalog
	doc     *Document
	limits  Limits
	inner   string // see AddWrapped
	tree    rawjson.Tree
	counts  map[finding.ProblemKind]int // problems so far
	items   int                         // of all lists
}

// member is a name and value of an object, as spans of the document.
type member struct {
	name    string // canonical spelling of a name known here, for readers that ignore case
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

// maxMembers limits the members read of a snapshot, server or envelope.
const maxMembers = 10_000

// knownFolded maps the folded form of known names to the names.
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

// document reads the top-level object. Members beside the expected part are read or reported too: otherwise a client
// that takes the first of two answers would be shown the harmless one.
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

// maxServers limits the servers read of one document.
const maxServers = 10_000

// speaks reports whether members beside a result or list of servers describe a server.
func speaks(ms []member) bool {
	for _, m := range ms {
		if _, list := listNames[m.name]; list || m.name == "instructions" {
			return true
		}
	}
	return false
}

// reportAmbiguous reports members of an object that parsers interpret differently: duplicates, also with different
// case, and names that only parsers which ignore case take for one that MCP defines.
func (r *reader) reportAmbiguous(server string, ms []member, pointer string) {
	groups := map[string][]member{} // only for names read here
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
			continue // reported at the last one
		}
		loc := finding.Location{Server: server, Pointer: pointer + "/" + rawjson.EscapePointer(m.spelled)}
		r.addAmbiguity(loc, m, group)
		if _, list := listNames[m.name]; !list && len(group) > 1 { // lists report this themselves
			r.addProblem(finding.Malformed, loc, m.value.Start,
				fmt.Sprintf("member %q appears more than once; clients differ in which one they take", excerpt.Clip(m.spelled, 60)))
		}
	}
}

// addAmbiguity records an ambiguous group of members, at one of them.
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

// An Ambiguity is a member that parsers interpret differently: some take the first of several with the same name, some
// the last, and some ignore case. We read all of them.
type Ambiguity struct {
	Location finding.Location
	Document *Document
	Span     rawjson.Span // of the name in the document
	Names    []string     // sorted spellings
	Meant    string       // name for a parser that ignores case; "" if a capture noted it
	Twice    bool         // duplicate
}

// maxAmbiguities limits those kept per catalog: one is enough to distrust a server.
const maxAmbiguities = 1_000

// fileStem names a server that has no name of its own.
func (r *reader) fileStem() string {
	if r.doc.Name == "" || r.doc.Name == "-" {
		return "server"
	}
	base := filepath.Base(r.doc.Name)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// listNames maps list members to their index in Kinds. Several capture tools write resource_templates.
var listNames = map[string]int{
	"tools": 0, "prompts": 1, "resources": 2, "resourceTemplates": 3, "resource_templates": 3,
}

// knownMembers are the other members of a snapshot: identity, capture notes, cache hints, the envelope.
var knownMembers = map[string]bool{
	"tools": true, "prompts": true, "resources": true, "resourceTemplates": true, "resource_templates": true,
	"instructions": true, "server": true, "serverInfo": true, "name": true, "capabilities": true, "_meta": true,
	"stdout_noise": true, "capture_errors": true, "ambiguous_members": true, "supportedVersions": true, "result": true, "servers": true, "error": true,
	"execution": true, "annotations": true,
}

// envelope are the members allowed beside a result or a list of servers.
var envelope = map[string]bool{"result": true, "servers": true, "error": true, "_meta": true, "id": true, "server": true, "serverInfo": true, "capabilities": true}

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
				r.readSelf(s, m) // a client that shows everything to its model shows this
			}
		}
	}
	r.reportUnknown(ms, pointer, knownMembers)
	if !read && !r.toldWhy(s) {
		r.addProblem(finding.Unread, r.locationIn(s, ""), 0, "nothing was read: none of tools, prompts, resources, resourceTemplates and instructions is there")
	}
}

// isProse reports whether a value is a text of several words, not a date, name or version.
func (r *reader) isProse(v rawjson.Span) bool {
	text := r.doc.Text[v.Start:v.End]
	return text[0] == '"' && len(text) > 20 && strings.Contains(text, " ")
}

// readName takes the server's name from its entry or from the identity it sent.
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

// toldWhy reports whether a problem already explains why a list of the server is missing, so that only the cause is reported.
func (r *reader) toldWhy(s *Server) bool {
	return slices.ContainsFunc(r.catalog.Problems, func(p finding.Problem) bool {
		return p.Kind == finding.Unread && p.Input == r.doc.Number && p.Location.Server == s.Name && strings.Contains(p.Message, couldNotBeCaptured)
	})
}

const couldNotBeCaptured = " could not be captured: "

// captureErrors reads what a capture could not get. A method that the server lacks (-32601) is an answer, not a gap.
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

// reportUnknown reports unread members that could hold definitions.
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

// readList reads a list of items and reports whether it was present.
func (r *reader) readList(s *Server, l int, m member) bool {
	if r.firstByte(m.value) == 'n' { // null: no answer for this list
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
		if rawjson.MostValues(r.doc.Text[span.Start:span.End]) > maxValues {
			r.addProblem(finding.Limit, r.locationIn(s, "/"+rawjson.EscapePointer(m.spelled)+"/"+strconv.Itoa(i)), span.Start,
				fmt.Sprintf("a definition of more than %d values was not read", maxValues))
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

// maxProblems limits the problems of one kind listed per document: a problem needs a hundred times the memory of the bytes that cause it.
const maxProblems = 1_000

// roomFor counts a problem and reports whether to list it.
func (r *reader) roomFor(kind finding.ProblemKind) bool {
	r.counts[kind]++
	return r.counts[kind] <= maxProblems
}

// countUnlisted reports the number of unlisted problems of each kind.
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
