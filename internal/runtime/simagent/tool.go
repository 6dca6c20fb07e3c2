package simagent

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// A thing is a tool, a prompt or a resource as an agent reads it in a server's list.
type thing struct {
	server     *serverSession
	method     string // that calls, gets or reads it
	name       string // of a resource its URI
	about      string
	params     []*param
	nameStems  map[string]bool // stems of the words of the name
	aboutStems map[string]bool // stems of the first sentence, the title and the names of parameters
	mentions   finder
}

// A param is one parameter of a tool or a prompt.
type param struct {
	name     string
	takes    want
	typ      string // of JSON Schema, "" if it names none or several
	required bool
	options  []string // raw values of an enum
	meant    finder
	given    finder // with the link to its value, the value, and whether that is the end of something
}

// A want is what a parameter takes, by the words of its name.
type want struct {
	fills filling
	sort  sort // of the values that it is made for, word for any
	words map[string]bool
}

// filling says what is put into a parameter for which nobody named a value.
type filling uint8

const (
	withName    filling = iota // what tells one thing from others
	withNearest                // a value of its sort, which nobody makes up
	withSecret
	withContent
	withSubject // what the order is about
)

// wants are tried in this order.
var wants = []want{
	{withNearest, address, setOf("endpoint href link uri url webhook website")},
	{withNearest, mailbox, setOf("bcc cc email emails mailbox recipient recipients sender")},
	{withNearest, path, setOf("dir directory file filename filepath folder path paths")},
	{withSecret, word, setOf("apikey auth authentication authorization credential credentials cvv otp passphrase passwd password pin secret secrets token")},
	{withContent, word, setOf("body comment content contents context data description details document input log manifest message note notes output payload summary text")},
	{withSubject, word, setOf("expression headline keyword keywords pattern prompt q query question search subject term title")},
}

const (
	// mostThings is how many entries of one list are read, mostParams how many parameters of one.
	mostThings = 2_000
	mostParams = 100
	// longestName is how long a name may be that an order is understood to mention, in bytes.
	longestName = 200
)

func (t *thing) isTool() bool { return t.method == mcp.ToolsCall }

// key tells the tools of all servers apart.
func (t *thing) key() string { return t.server.Name + "\x00" + t.name }

func (t *thing) callParams(args []argument) string {
	if t.method == mcp.ResourcesRead {
		return `{"uri":` + rawjson.Quote(t.name) + `}`
	}
	return `{"name":` + rawjson.Quote(t.name) + `,"arguments":` + argumentsJSON(args) + `}`
}

// readThing reads an entry of a list; nil if it has no name.
func (l *serverSession) readThing(raw, id, method string) *thing {
	var tree rawjson.Tree
	raw = strings.Clone(raw) // which all texts below are parts of
	if tree.Parse(raw, 0) != nil || tree.Root().Get(id).Text() == "" {
		return nil
	}
	root := tree.Root()
	t := &thing{server: l, method: method, name: root.Get(id).Text(), about: root.Get("description").Text()}
	shown := shownText{where: "the definition of " + t.name}
	if t.isTool() {
		shown.tool = t
	}
	schema := root.Get("inputSchema")
	for m := range root.Members() {
		if m.Key.Text() != "inputSchema" {
			l.say(m.Value, shown)
		}
	}
	required := schema.Get("required").Texts()
	for m := range schema.Get("properties").Members() {
		if len(t.params) < mostParams {
			shown.param = readParam(m.Key.Text(), m.Value, slices.Contains(required, m.Key.Text()))
			t.params = append(t.params, shown.param)
			l.say(m.Value, shown)
		}
	}
	for _, v := range root.Get("arguments").Elements() { // of a prompt
		must, _ := v.Get("required").Bool()
		t.params = append(t.params, readParam(v.Get("name").Text(), v, must))
	}
	first, _, _ := strings.Cut(t.about, ".")
	about := wordsIn(root.Get("title").Text() + " " + t.name + " " + first)
	for _, p := range t.params {
		about = append(about, wordsIn(p.name)...)
	}
	t.nameStems, t.aboutStems = stemSet(wordsIn(t.name)), stemSet(about)
	t.mentions = findName(t.name, `["'`+"`]NAME[\"'`]|\\b(?:"+pointing+`)\s+NAME\b|\bNAME\s+(?:tool|function)\b`)
	return t
}

func readParam(name string, schema rawjson.Value, required bool) *param {
	p := &param{name: name, typ: schema.Get("type").Text(), required: required}
	for _, v := range schema.Get("enum").Elements() {
		p.options = append(p.options, v.Raw())
	}
	// The name first: a description may speak of anything.
	words := wordsIn(name)
	if name == "to" || name == "from" || name == "address" { // of a mail, a route or a machine
		about, _, _ := strings.Cut(schema.Get("description").Text(), ".")
		words = slices.DeleteFunc(wordsIn(about), func(w string) bool { return !wants[1].words[w] })
	}
	if i := slices.IndexFunc(wants, func(k want) bool { return slices.ContainsFunc(words, func(w string) bool { return k.words[w] }) }); i >= 0 {
		p.takes = wants[i]
	}
	if p.typ == "number" || p.typ == "integer" {
		p.takes = want{fills: withNearest, sort: number}
	}
	beside := `["'` + "`]NAME[\"'`]|\\bNAME\\s+(?:" + deictic + `)\b`
	if !empties[name] {
		beside += `|\bNAME\s*[:=]|\b(?:` + deictic + `|` + placing + `|` + putting + `)\s+NAME\b|\bNAME\s+\S+(?:@|://)\S`
	}
	p.meant = findName(name, beside)
	p.given = find(name, `(?:^|[^\w-])NAME["'`+"`]?((?:\\s*[:=(]|\\s+(?:"+linking+`)\b){0,5})\s*(`+quotation+`|[^`+delimiters+`]+)(\s*(?:$|[^\w\s]|and\b))?`)
	return p
}

// A finder finds a name in a text, with what is beside it: the places of the matches and of their groups.
type finder func(text string) [][]int

// find returns the finder of a pattern in which NAME stands for a name, as it is or in capitals. The pattern is compiled when a text has
// the name.
func find(name, pattern string) finder {
	name = strings.ToValidUTF8(name, "")
	upper := strings.ToUpper(name)
	form := sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)` + strings.ReplaceAll(pattern, "NAME", regexp.QuoteMeta(name)))
	})
	return func(text string) [][]int {
		if name == "" || len(name) > longestName || !strings.Contains(text, name) && !strings.Contains(text, upper) {
			return nil
		}
		return form().FindAllStringSubmatchIndex(text, -1)
	}
}

// findName returns the finder of a name that could be any word, such as "add", by what makes it that name beside it; any other name is
// one wherever it is.
func findName(name, beside string) finder {
	if strings.ContainsAny(name, "_-.0123456789") || name != strings.ToLower(name) {
		beside = `(?:^|[^\w-]|__)NAME(?:$|[^\w-])`
	}
	return find(name, beside)
}

// accepts reports whether a parameter is made for such a value. A quoted word by itself (type="interactive") is no command.
func (p *param) accepts(v value) bool {
	return v.sort > quotedOne && v.sort == p.takes.sort || p.name == "command" && v.sort == quotedOne && strings.Contains(v.text, " ")
}

func (t *thing) takes(v value) bool {
	return slices.ContainsFunc(t.params, func(p *param) bool { return p.accepts(v) })
}

// scoreFor says how well a thing answers a request in words: 0 for not at all.
func (t *thing) scoreFor(request string) int {
	score, named := 0, false
	var asked []string
	for _, v := range valuesIn(request) {
		if v.sort == word || v.sort == quotedOne {
			asked = append(asked, wordsIn(v.text)...)
		}
		if t.takes(v) {
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
func bestMatch(tools []*thing, request string) (found *thing) {
	top := 0
	for _, t := range tools {
		if score := t.scoreFor(request); score > top {
			found, top = t, score
		}
	}
	return found
}

// mentioned returns the tool that a text mentions first, nil for none. "call add" and "the add tool" mention it; another "add" does not.
func (a *simAgent) mentioned(text string) (found *thing) {
	first := len(text)
	for _, t := range a.tools() {
		if at := t.mentions(text); at != nil && at[0][0] < first {
			found, first = t, at[0][0]
		}
	}
	return found
}
