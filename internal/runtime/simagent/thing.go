package simagent

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// A thing is a tool, a prompt or a resource as an agent reads it in a server's list.
type thing struct {
	server     *serverSession
	method     string // that calls, gets or reads it
	name       string // of a resource its URI
	about      string
	params     []param
	says       []string        // in the definition outside of these
	nameStems  map[string]bool // stems of the words of the name
	aboutStems map[string]bool // stems of the first sentence, the title and the names of parameters
}

func (t *thing) isTool() bool { return t.method == mcp.ToolsCall }

// A param is one parameter of a tool or a prompt.
type param struct {
	name     string
	texts    []string // all that its schema says, the description first
	want     want
	typ      string // of JSON Schema, "" if it names none or several
	required bool
	options  []string // raw values of an enum
}

// want is what a parameter takes, by its name.
type want uint8

const (
	wantName want = iota // what tells one thing from others
	wantNumber
	wantMailbox
	wantURL
	wantPath
	wantSecret
	wantContent
	wantSubject // what it is about
)

// wants are the words by which a parameter says what it takes. The first that fits counts.
var wants = []struct {
	want  want
	words map[string]bool
}{
	{wantURL, setOf("endpoint href link uri url webhook website")},
	{wantMailbox, setOf("bcc cc email emails mailbox recipient recipients sender")},
	{wantPath, setOf("dir directory file filename filepath folder path paths")},
	{wantSecret, setOf("apikey auth authentication authorization credential credentials cvv otp passphrase passwd password pin secret secrets token")},
	{wantContent, setOf("body comment content contents context data description details document input log manifest message note notes output payload summary text")},
	{wantSubject, setOf("expression headline keyword keywords pattern prompt q query question search subject term title")},
}

const (
	// mostThings is how many entries of one list are read, mostParams how many parameters of one.
	mostThings = 2_000
	mostParams = 100
)

// readThing reads an entry of a list; nil if it has no name.
func readThing(at *serverSession, raw, id, method string) *thing {
	var tree rawjson.Tree
	if tree.Parse(raw, 0) != nil || tree.Root().Get(id).Text() == "" {
		return nil
	}
	root := tree.Root()
	t := &thing{server: at, method: method, name: strings.Clone(root.Get(id).Text()), about: strings.Clone(root.Get("description").Text())}
	schema := root.Get("inputSchema")
	var required []string
	for _, v := range schema.Get("required").Elements() {
		required = append(required, v.Text())
	}
	for m := range schema.Get("properties").Members() {
		if len(t.params) < mostParams {
			t.params = append(t.params, readParam(m, slices.Contains(required, m.Key.Text())))
		}
	}
	for _, a := range root.Get("arguments").Elements() { // of a prompt
		required, _ := a.Get("required").Bool()
		name := strings.Clone(a.Get("name").Text())
		t.params = append(t.params, param{name: name, typ: "string", required: required, want: wantedValue(name, "string", a.Get("description").Text())})
	}
	for m := range root.Members() {
		if name := m.Key.Text(); name != "description" && name != "inputSchema" {
			t.says = append(t.says, sentencesOf(m.Value)...)
		}
	}
	t.nameStems = stemSet(identifierWords(t.name))
	first, _, _ := strings.Cut(t.about, ".")
	about := identifierWords(root.Get("title").Text() + " " + root.Get("name").Text() + " " + first)
	for _, p := range t.params {
		about = append(about, identifierWords(p.name)...)
	}
	t.aboutStems = stemSet(about)
	return t
}

func readParam(m rawjson.Member, required bool) param {
	p := param{name: strings.Clone(m.Key.Text()), typ: m.Value.Get("type").Text(), required: required}
	for s := range m.Value.Strings() {
		if !s.IsKey && !s.Value.Is(p.typ) {
			p.texts = append(p.texts, strings.Clone(s.Value.Text()))
		}
	}
	for _, v := range m.Value.Get("enum").Elements() {
		p.options = append(p.options, strings.Clone(v.Raw()))
	}
	p.want = wantedValue(p.name, p.typ, m.Value.Get("description").Text())
	return p
}

// wantedValue reads the name first: a description may speak of anything.
func wantedValue(name, typ, about string) want {
	if typ == "number" || typ == "integer" {
		return wantNumber
	}
	words := identifierWords(name)
	if name == "to" || name == "from" || name == "address" { // of a mail, a route or a machine
		about, _, _ = strings.Cut(about, ".")
		words = slices.DeleteFunc(identifierWords(about), func(w string) bool { return !wants[1].words[w] })
	}
	for _, k := range wants {
		if slices.ContainsFunc(words, func(w string) bool { return k.words[w] }) {
			return k.want
		}
	}
	return wantName
}

// sentencesOf returns the strings of a definition that could be more than a word, wherever they are: hosts show all of it to a
// model.
func sentencesOf(v rawjson.Value) (out []string) {
	for s := range v.Strings() {
		if text := s.Value.Text(); !s.IsKey && strings.IndexByte(text, ' ') >= 0 {
			out = append(out, strings.Clone(text))
		}
	}
	return out
}

// key tells the tools of all servers apart.
func (t *thing) key() string { return t.server.name + "\x00" + t.name }

// accepts reports whether a parameter is made for such a value. A quoted word by itself (type="interactive") is no command.
func (p *param) accepts(t token) bool {
	return p.want == wantMailbox && t.kind == mailbox || p.want == wantURL && t.kind == address || p.want == wantPath && t.kind == path ||
		p.name == "command" && t.kind == quoted && strings.Contains(t.text, " ")
}

// takes reports whether a parameter is made for a value.
func (t *thing) takes(tok token) bool {
	return slices.ContainsFunc(t.params, func(p param) bool { return p.accepts(tok) })
}

// scoreFor says how well a thing answers a request in words: 0 for not at all.
func (t *thing) scoreFor(request []token) int {
	score, named := 0, false
	var asked []string
	for _, tok := range request {
		if tok.kind == word || tok.kind == quoted {
			asked = append(asked, identifierWords(tok.text)...)
		}
		if t.takes(tok) {
			score += 2
		}
	}
	for w := range stemSet(asked) {
		if t.nameStems[w] {
			score, named = score+3, true
		} else if t.aboutStems[w] {
			score++
		}
	}
	if !named && score < 2 {
		return 0
	}
	return score
}

// bestMatch returns the tool that fits a request best, the first of equals; nil if none does.
func bestMatch(tools []*thing, request []token) *thing {
	var found *thing
	top := 0
	for _, t := range tools {
		if score := t.scoreFor(request); score > top {
			found, top = t, score
		}
	}
	return found
}
