package simagent

import (
	"slices"
	"strings"

	"gauntlet/rawjson"
)

// A tool is a definition as an agent reads it.
type tool struct {
	server     *serverSession
	name       string
	about      string
	params     []param
	says       []string        // in the definition outside of these
	nameStems  map[string]bool // stems of the words of the name
	aboutStems map[string]bool // stems of the first sentence and of the names of parameters
}

// A param is one property of a tool's input schema.
type param struct {
	name     string
	texts    []string // all that its schema says, the description first
	want     want
	typ      string // of JSON Schema, "" if it names none or several
	required bool
	options  []string // raw values of an enum
}

// want is what a parameter takes, by its name and description.
type want uint8

const (
	wantName want = iota // what tells one thing from others
	wantNumber
	wantMailbox
	wantURL
	wantPath
	wantSecret
	wantContent
	wantQuery
	wantTitle
)

// kinds are the words by which a parameter says what it takes. The first that fits counts.
var kinds = []struct {
	want  want
	words map[string]bool
}{
	{wantURL, setOf("endpoint href link uri url webhook website")},
	{wantMailbox, setOf("bcc cc email emails mailbox recipient recipients sender")},
	{wantPath, setOf("dir directory file filename filepath folder path paths")},
	{wantSecret, setOf("apikey auth authentication authorization credential credentials cvv otp passphrase passwd password pin secret secrets token")},
	{wantContent, setOf("body comment content contents context data description details document input log manifest message note notes output payload summary text")},
	{wantQuery, setOf("expression keyword keywords pattern prompt q query question search term")},
	{wantTitle, setOf("headline subject title")},
}

const (
	// mostTools is how many tools of one server are read, mostParams how many parameters of one.
	mostTools  = 2_000
	mostParams = 100
)

// readTool reads a definition; nil if it has no name.
func readTool(at *serverSession, raw string) *tool {
	var tree rawjson.Tree
	if tree.Parse(raw, 0) != nil {
		return nil
	}
	root := tree.Root()
	t := &tool{server: at, name: root.Get("name").Text(), about: strings.Clone(root.Get("description").Text())}
	if t.name == "" {
		return nil
	}
	t.name = strings.Clone(t.name)
	schema := root.Get("inputSchema")
	var required []string
	for _, v := range schema.Get("required").Elements() {
		required = append(required, v.Text())
	}
	for m := range schema.Get("properties").Members() {
		if len(t.params) == mostParams {
			break
		}
		t.params = append(t.params, readParam(m, slices.Contains(required, m.Key.Text())))
	}
	for m := range root.Members() {
		if name := m.Key.Text(); name != "description" && name != "inputSchema" {
			t.says = append(t.says, sentences(m.Value)...)
		}
	}
	t.nameStems = stemSet(identifierWords(t.name))
	first, _, _ := strings.Cut(t.about, ".")
	t.aboutStems = stemSet(identifierWords(first))
	for _, p := range t.params {
		for w := range stemSet(identifierWords(p.name)) {
			t.aboutStems[w] = true
		}
	}
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
	if slices.Contains(words, "key") && (slices.Contains(words, "api") || slices.Contains(words, "access") || slices.Contains(words, "private")) {
		return wantSecret
	}
	for _, k := range kinds {
		if slices.ContainsFunc(words, func(w string) bool { return k.words[w] }) {
			return k.want
		}
	}
	if first, _, _ := strings.Cut(about, "."); name == "to" || name == "from" || name == "address" {
		if slices.ContainsFunc(identifierWords(first), func(w string) bool { return kinds[1].words[w] }) {
			return wantMailbox
		}
	}
	return wantName
}

func stemSet(words []string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words {
		if !empties[w] {
			out[stem(w)] = true
		}
	}
	return out
}

// toolKey tells the tools of all servers apart.
func (t *tool) toolKey() string { return t.server.name + "\x00" + t.name }

// scoreFor says how well a tool answers a request in words: 0 for not at all.
func (t *tool) scoreFor(request []token) int {
	asked := map[string]bool{}
	score := 0
	for _, tok := range request {
		if tok.kind == word || tok.kind == quoted {
			for w := range stemSet(identifierWords(tok.low)) {
				asked[w] = true
			}
		}
		if t.takes(tok) {
			score += 2
		}
	}
	named := false
	for w := range asked {
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

// accepts reports whether a parameter is made for such a value. A quoted word by itself (type="interactive") is no command.
func (p *param) accepts(t token) bool {
	return p.want == wantMailbox && t.kind == mailbox || p.want == wantURL && t.kind == address || p.want == wantPath && t.kind == path ||
		p.name == "command" && t.kind == quoted && strings.Contains(t.text, " ")
}

// takes reports whether a parameter of the tool is made for a value.
func (t *tool) takes(tok token) bool {
	return slices.ContainsFunc(t.params, func(p param) bool { return p.accepts(tok) })
}

// bestMatch returns the tool that fits a request best, the first of equals; nil if none does.
func bestMatch(tools []*tool, request []token) *tool {
	var found *tool
	top := 0
	for _, t := range tools {
		if score := t.scoreFor(request); score > top {
			found, top = t, score
		}
	}
	return found
}
