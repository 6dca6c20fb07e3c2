package classify

import (
	"strings"

	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/rawjson"
)

// tagCount and sourceCount size the tables of scores.
const (
	tagCount    = 8
	sourceCount = 6
)

// tagOrder and sourceOrder give tags and sources their numbers.
var (
	tagOrder    = capability.Tags()
	sourceOrder = [sourceCount]capability.Source{capability.FromName, capability.FromDescription, capability.FromParameter,
		capability.FromSchema, capability.FromAnnotation, capability.FromServer}
)

const (
	byName = iota
	byDescription
	byParameter
	bySchemaSource
	byAnnotation
	byServer
)

// A signal is evidence at work: what speaks for or against a tag.
type signal struct {
	tag, source uint8
	weight      int8
	value       rawjson.Value // the string; absent for the server
	start, end  int32
	kind        string // what the evidence is called: name_token, desc_phrase…
	text        string
}

// A deed is an act with its object, as found in one string.
type deed struct {
	acts, objects classes
	none          bool // a name without an act
	source        uint8
	faint         bool // said in passing
	where         circumstance
	value         rawjson.Value
	act, object   token
}

// A worker reads tools one after the other, reusing its memory.
type worker struct {
	tok    tokenizer
	schema schemaReader
	tree   rawjson.Tree
	words  []string

	// Of the tool at hand.
	name, title, desc rawjson.Value
	result            rawjson.Value // the schema of what it returns
	prose             string        // the description, decoded
	deeds             []deed
	mentions          classes // of all tokens that describe the tool
	nameSet           classes
	nameAct           classes      // what the name says is done
	choice            classes      // what a parameter lets the caller choose to do
	is                circumstance // of the server; none while it is being found out
	headSet           classes      // of the first sentence
	nameWords         int          // how many words the name has that mean something
	folders           bool         // its folders are those of a mailbox
	said              circumstance
	hints             hints
	params            []parameter
	signals           []signal
	score             [tagCount][sourceCount]int8
	against           [tagCount]int8
}

// hints are a tool's annotations.
type hints struct {
	readOnly, destructive, openWorld tri
}

// tri is true, false or not said.
type tri int8

func triOf(v rawjson.Value) tri {
	b, ok := v.Bool()
	switch {
	case !ok:
		return 0
	case b:
		return 1
	}
	return -1
}

func newWorker() *worker { return &worker{tok: tokenizer{lex: lex.loaded()}} }

// read reads one definition: what it says, without a judgement.
func (w *worker) read(s *catalog.Server, it *catalog.Item, known func(string) bool) {
	w.readValue(it.Parse(s, &w.tree), known)
}

func (w *worker) readValue(v rawjson.Value, known func(string) bool) {
	w.deeds, w.mentions, w.nameSet, w.headSet, w.said = w.deeds[:0], classes{}, classes{}, classes{}, 0
	w.nameAct = classes{}
	w.name, w.title, w.desc = v.Get("name"), v.Get("title"), v.Get("description")
	a := v.Get("annotations")
	if !w.title.Exists() {
		w.title = a.Get("title")
	}
	w.hints = hints{triOf(a.Get("readOnlyHint")), triOf(a.Get("destructiveHint")), triOf(a.Get("openWorldHint"))}
	w.tok.known = known
	if n := w.name.Text(); n != "" {
		ks := w.tok.name(n)
		for _, k := range ks {
			w.nameSet = w.nameSet.with(k.set)
		}
		w.nameAct, w.nameWords = mainActs(ks, n), strings.Count(n, "_")+strings.Count(n, "-")+1
		w.named(ks, w.name, byName)
	}
	if t := w.title.Text(); t != "" {
		w.named(w.tok.name(t), w.title, byName) // says the name again
	}
	w.result = v.Get("outputSchema")
	w.schema.read(v.Get("inputSchema"))
	w.params = w.schema.out
	if w.prose = w.desc.Text(); w.prose != "" {
		w.described(w.tok.prose(w.prose))
		w.documented(w.prose)
	}
	w.mentions = w.mentions.with(w.nameSet)
	w.choices()
	w.mailbox()
	u := w.use()
	for i := range w.params {
		w.role(&w.params[i], u)
	}
}

// text returns a string of the tool. The description is decoded once: it can be long, and
// hold a thousand acts.
func (w *worker) text(v rawjson.Value) string {
	if v == w.desc {
		return w.prose
	}
	return v.Text()
}

// mailbox takes folders for what they are in a tool that speaks of mail and of no other file.
func (w *worker) mailbox() {
	w.folders = false
	if !w.mentions.meets(strangersMail) {
		return
	}
	for i := range w.deeds {
		if d := &w.deeds[i]; d.objects.meets(fileObjects) && !isFolder(w.text(d.value), d.object) {
			return
		}
	}
	w.folders = true
	for i := range w.deeds {
		w.deeds[i].objects = w.deeds[i].objects.without(fileObjects)
	}
}

// isFolder reports whether a token is the word folder.
func isFolder(s string, k token) bool {
	return int(k.end) <= len(s) && strings.HasPrefix(strings.ToLower(s[k.start:k.end]), "folder")
}

// named reads a name: its words stand in any order, so that every act goes with every object.
func (w *worker) named(ks []token, v rawjson.Value, source uint8) {
	if len(ks) == 0 {
		return
	}
	where, written := inName, v.Text()
	var all, does classes
	for _, k := range ks {
		all = all.with(k.set)
		does = does.with(k.set.common(acts))
	}
	where |= w.placed(all)
	w.mentions = w.mentions.with(all)
	for i, k := range ks {
		if !k.set.meets(objects) {
			continue
		}
		d := deed{objects: k.set.common(objects), source: source, where: where, value: v, object: k, act: k}
		if i == len(ks)-1 {
			d.where |= last
		} else if i == 0 {
			d.where |= first
		}
		for j, a := range ks {
			// One word cannot be both: "search" by itself searches nothing.
			// Nor is a word an act that may name an object, behind an act: create_vector_hash.
			if j != i && j > 0 && a.set.meets(objects) && a.flags&fused == 0 && behindAct(ks[:j]) || led(ks, j, written) {
				continue
			}
			if j != i && a.set.meets(acts) && d.acts.empty() {
				d.act = a
			}
			if j != i || a.flags&fused != 0 {
				d.acts = d.acts.with(a.set.common(acts))
			}
		}
		d.none = d.acts.empty()
		if d.none && does.empty() || !d.none {
			w.deeds = append(w.deeds, d)
		} else if d.none = true; len(ks) == 1 {
			w.deeds = append(w.deeds, d)
		}
	}
}

// led reports whether the act at a place of a name is none, since a verb of changing begins the
// name and nothing joins the two: add_check_constraint checks nothing, and create_or_get gets.
func led(ks []token, at int, name string) bool {
	if at == 0 || !ks[0].set.meets(leadActs) || ks[0].set.meets(objects) || ks[at].set.meets(leadActs) || ks[0].start != 0 || int(ks[at].start) > len(name) {
		return false
	}
	before := strings.ToLower(strings.TrimRight(name[ks[0].end:ks[at].start], "_-. /"))
	return !strings.HasSuffix(before, "and") && !strings.HasSuffix(before, "or") && !strings.HasSuffix(before, "then") && !strings.HasSuffix(before, "to")
}

// behindAct reports whether the words before one in a name hold an act: one of changing that begins it,
// or one that can be no object.
func behindAct(ks []token) bool {
	for i, k := range ks {
		if k.set.meets(acts) && !k.set.meets(objects) || i == 0 && k.set.meets(leadActs) {
			return true
		}
	}
	return false
}

// mainActs returns what a name says is done: its first act and those that are no plural, as
// in create_or_update but not in find_duplicates.
func mainActs(ks []token, name string) (out classes) {
	for i, k := range ks {
		plural := int(k.end) <= len(name) && k.end > k.start && name[k.end-1]|0x20 == 's'
		if i > 0 && k.set.meets(objects) && k.flags&fused == 0 && behindAct(ks[:i]) {
			continue // write_query: what is written
		}
		if led(ks, i, name) {
			continue
		}
		if k.set.meets(acts) && (out.empty() || !plural) {
			out = out.with(k.set.common(acts))
		}
	}
	return out
}

// placed says what the words of a name or a sentence tell of the place.
func (w *worker) placed(all classes) (c circumstance) {
	if all.meets(localWords) {
		c |= local
	}
	if all.meets(memoryWords) {
		c |= inMemory
	}
	if all.meets(alertWords) {
		c |= alert
	}
	return c
}

var (
	localWords    = lex.set("local")
	memoryWords   = lex.set("memory")
	alertWords    = lex.set("secretalert")
	condWords     = lex.set("cond", "use")
	alsoWords     = lex.set("also")
	readOnlyWords = lex.set("readonly")
	asWords       = lex.set("asword") // as JSON, as a file: how, not what
	convertActs   = lex.set("convert")
	toWords       = lex.set("toword")
	detWords      = lex.set("det")
	fromWords     = lex.set("fromword")
	writeActs     = lex.set("write")
	leadActs      = lex.set("write", "destroy")
	readAct       = lex.set("read")
)

// saidReadOnly is a circumstance of the tool: its description says that it changes nothing.
const saidReadOnly circumstance = 1 << 31

// use says what the tool as a whole does, for the roles of its parameters.
func (w *worker) use() (u use) {
	for _, d := range w.deeds {
		if d.faint {
			continue
		}
		u.runs = u.runs || d.acts.meets(runActs) && d.objects.meets(codeObjects) || d.none && d.objects.meets(interpObjects)
		u.queries = u.queries || d.objects.meets(queryObjects)
		u.hosts = u.hosts || d.acts.meets(connectActs) && d.objects.meets(hostObjects)
		u.files = u.files || d.objects.meets(fileObjects)
	}
	u.files = u.files && !w.mentions.meets(strangersMail) // folders of a mailbox
	u.mail = w.folders
	u.runs = u.runs || w.nameSet.meets(runActs) && w.mentions.meets(codeObjects)
	u.queries = u.queries || w.mentions.meets(queryObjects) || w.is&db != 0 || w.does(executeActs, queryNouns)
	for i := range w.params { // a query beside its variables is one of GraphQL
		u.queries = u.queries || w.params[i].name == "variables"
	}
	return u
}

var (
	runActs       = lex.set("run", "build", "render")
	codeObjects   = lex.set("code", "js", "expr", "template", "appbuild")
	interpObjects = lex.set("interp")
	queryObjects  = lex.set("db", "sqltext", "dbengine")
	executeActs   = lex.set("run")
	queryNouns    = lex.set("querytext") // one executes a statement, and looks for words
	hostObjects   = lex.set("host")
	fileObjects   = lex.set("file", "local")
)
