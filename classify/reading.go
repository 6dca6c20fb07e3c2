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

// An action is an act with its object, as found in one string.
type action struct {
	acts, objects classes
	none          bool // a name without an act
	source        uint8
	faint         bool // said in passing
	plain         bool // a weakness that the name does not outweigh
	where         circumstance
	value         rawjson.Value
	act, object   token
	text          string // of a chosen value, name=value
}

// A toolReader reads tools one after the other, reusing its memory.
type toolReader struct {
	tok    tokenizer
	schema schemaReader
	tree   rawjson.Tree
	words  []string // of the name of the tool
	parts  []string // of the names of all its parameters

	// Of the tool at hand.
	name, title, desc rawjson.Value
	prose             string // the description, decoded
	actions           []action
	mentions          classes // of all tokens that describe the tool
	nameSet           classes
	nameAct           classes      // what the name says is done
	choice            classes      // what a parameter lets the caller choose to do
	is                circumstance // of the server; none while it is being found out
	headSet           classes      // of the first sentence
	nameWords         int          // how many words the name has that mean something
	intoFile          bool         // the first sentence says that the result goes to, or into, a file
	localMention      token        // where the description says that local files are meant
	strange           bool         // a word of the name means nothing to the lexicon
	rows              bool         // the name or the first sentence speaks of what a database holds
	folders           bool         // its folders are those of a mailbox
	said              circumstance
	hints             annotations
	params            []parameter
	signals           []signal
	kept              []signal // those of a first judgement
	score             [tagCount][sourceCount]int8
	against           [tagCount]int8

	// The weighing of evidence.
	weights  *Weights
	seen     observations
	concepts conceptList
	stem     [64]byte
	unjudged logits // what is observed without a judgement says
	weighed  logits // with it
	decided  [tagCount]capability.Confidence
	plainly  [tagCount]bool // said in so many words, or offered as a choice: weights do not outweigh that
	fewWords bool           // the description has hardly a word that the weights know

	// How it looks, and whether what it observes is reported, as that of the tool at an index.
	lens    *Lens
	index   int
	reports bool
}

// annotations are a tool's annotations.
type annotations struct {
	readOnly, destructive, openWorld optionalBool
}

// optionalBool is true, false or not said.
type optionalBool int8

func optionalBoolOf(v rawjson.Value) optionalBool {
	b, ok := v.Bool()
	switch {
	case !ok:
		return 0
	case b:
		return 1
	}
	return -1
}

func newToolReader(l *Lens) *toolReader {
	loadFactKinds()
	w := &toolReader{tok: tokenizer{lex: lex.withWords(), lens: l}, concepts: loadConcepts(), weights: l.Weights, lens: l}
	if w.weights == nil {
		w.weights = defaultWeights()
	}
	if l.Nameless {
		w.tok.excludedClasses = serviceNames
	}
	return w
}

// readTool reads one definition: what it says, without a judgement.
func (w *toolReader) readTool(s *catalog.Server, it *catalog.Item, known func(string) bool) {
	w.readDefinition(it.Parse(s, &w.tree), known)
}

func (w *toolReader) readDefinition(v rawjson.Value, known func(string) bool) {
	w.actions, w.mentions, w.nameSet, w.headSet, w.said = w.actions[:0], classes{}, classes{}, classes{}, 0
	w.nameAct, w.localMention, w.rows, w.strange = classes{}, token{}, false, false
	w.intoFile = false
	schema := w.readMembers(v)
	w.tok.isToolName = known
	if n := w.name.Text(); n != "" {
		ks := dropsData(w.tok.tokenizeName(n), n)
		for _, k := range ks {
			w.nameSet = w.nameSet.with(k.set)
			w.rows = w.rows || isDatabaseContent(k)
			w.strange = w.strange || k.set.empty()
		}
		w.nameAct, w.nameWords = nameActs(ks, n), strings.Count(n, "_")+strings.Count(n, "-")+1
		w.readName(ks, w.name, byName)
	}
	if t := w.title.Text(); t != "" {
		w.readName(w.tok.tokenizeName(t), w.title, byName) // says the name again
	}
	w.schema.readParameters(schema)
	w.params = w.schema.out
	w.splitNames()
	if w.prose = w.desc.Text(); w.prose != "" {
		w.readDescription(dropsData(w.tok.tokenizeProse(w.prose), w.prose))
		w.readDocstring(w.prose)
	}
	w.mentions = w.mentions.with(w.nameSet)
	w.readChoices()
	w.dropMailFolders()
	u := w.toolUse()
	for i := range w.params {
		w.decideRole(&w.params[i], u)
	}
	w.weighRoles()
}

// readMembers takes what is read of a definition, and returns the schema of its input.
func (w *toolReader) readMembers(v rawjson.Value) (schema rawjson.Value) {
	w.name, w.title, w.desc, w.hints = rawjson.Value{}, rawjson.Value{}, rawjson.Value{}, annotations{}
	var title rawjson.Value
	for m := range v.Members() {
		switch memberName(m.Key) {
		case "name":
			w.name = m.Value
		case "title":
			w.title = m.Value
		case "description":
			w.desc = m.Value
		case "inputSchema":
			schema = m.Value
		case "annotations":
			title = m.Value.Get("title")
			w.hints = annotations{optionalBoolOf(m.Value.Get("readOnlyHint")), optionalBoolOf(m.Value.Get("destructiveHint")), optionalBoolOf(m.Value.Get("openWorldHint"))}
		}
	}
	if !w.title.Exists() {
		w.title = title
	}
	return schema
}

// splitNames cuts the names of the tool and its parameters into words, which many rules ask for.
func (w *toolReader) splitNames() {
	w.words, w.parts = paramName(w.name.Text(), w.words[:0]), w.parts[:0]
	for i := range w.params {
		q := &w.params[i]
		from := len(w.parts)
		w.parts = appendName(w.parts, q.name)
		q.parts = w.parts[from:len(w.parts):len(w.parts)]
		q.whole = strings.Join(q.parts, "")
	}
}

// stringOf returns a string of the tool. The description is decoded once: it can be long, and
// hold a thousand acts.
func (w *toolReader) stringOf(v rawjson.Value) string {
	if v == w.desc {
		return w.prose
	}
	return v.Text()
}

// dropMailFolders takes folders for what they are in a tool that speaks of mail and of no other file.
func (w *toolReader) dropMailFolders() {
	w.folders = false
	if !w.mentions.meets(strangersMail) {
		return
	}
	for i := range w.actions {
		if d := &w.actions[i]; d.objects.meets(fileObjects) && !isFolder(w.stringOf(d.value), d.object) {
			return
		}
	}
	w.folders = true
	for i := range w.actions {
		w.actions[i].objects = w.actions[i].objects.without(fileObjects)
	}
}

func isFolder(s string, k token) bool {
	return int(k.end) <= len(s) && strings.HasPrefix(strings.ToLower(s[k.start:k.end]), "folder")
}

// readName reads a name: its words stand in any order, so that every act goes with every object.
func (w *toolReader) readName(ks []token, v rawjson.Value, source uint8) {
	if len(ks) == 0 {
		return
	}
	where := inName
	var all, does classes
	for _, k := range ks {
		all = all.with(k.set)
		does = does.with(k.set.common(actClasses))
	}
	where |= w.placeOf(all)
	w.mentions = w.mentions.with(all)
	for i, k := range ks {
		if !k.set.meets(objectClasses) {
			continue
		}
		d := action{objects: k.set.common(objectClasses), source: source, where: where, value: v, object: k, act: k}
		if i == len(ks)-1 {
			d.where |= last
		} else if i == 0 {
			d.where |= first
		}
		for j, a := range ks {
			// One word cannot be both: "search" by itself searches nothing.
			// Nor is a word an act that may name an object, behind an act: create_vector_hash.
			if j != i && j > 0 && a.set.meets(objectClasses) && a.flags&fused == 0 && followsAct(ks[:j]) {
				continue
			}
			if j != i && a.set.meets(actClasses) && d.acts.empty() {
				d.act = a
			}
			if j != i || a.flags&fused != 0 {
				d.acts = d.acts.with(a.set.common(actClasses))
			}
		}
		d.none = d.acts.empty()
		if d.none && does.empty() || !d.none {
			w.actions = append(w.actions, d)
		} else if d.none = true; len(ks) == 1 {
			w.actions = append(w.actions, d)
		}
	}
}

// followsAct reports whether the words before one in a name hold an act: one of changing that begins it,
// or one that can be no object.
func followsAct(ks []token) bool {
	for i, k := range ks {
		if k.set.meets(actClasses) && !k.set.meets(objectClasses) || i == 0 && k.set.meets(leadActs) {
			return true
		}
	}
	return false
}

// nameActs returns what a name says is done: its first act and those that are no plural, as
// in create_or_update but not in find_duplicates.
func nameActs(ks []token, name string) (out classes) {
	for i, k := range ks {
		plural := int(k.end) <= len(name) && k.end > k.start && name[k.end-1]|0x20 == 's'
		if i > 0 && k.set.meets(objectClasses) && k.flags&fused == 0 && followsAct(ks[:i]) {
			continue // write_query: what is written
		}
		if k.set.meets(actClasses) && (out.empty() || !plural) {
			out = out.with(k.set.common(actClasses))
		}
	}
	return out
}

// placeOf says what the words of a name or a sentence tell of the place.
func (w *toolReader) placeOf(all classes) (c circumstance) {
	if all.meets(localWords) {
		c |= local
	}
	if all.meets(alertWords) {
		c |= alert
	}
	return c
}

var (
	localWords    = lex.classSet("local")
	alertWords    = lex.classSet("secretalert")
	condWords     = lex.classSet("cond")
	plainWords    = lex.classSet("plainly")
	maskedWords   = lex.classSet("masked")
	runCode       = lex.classSet("run")
	codeWord      = lex.classSet("code")
	secretWords   = lex.classSet("secret", "secretweak")
	revealActs    = lex.classSet("reveal")
	readOnlyWords = lex.classSet("readonly")
	convertActs   = lex.classSet("convert")
	toWords       = lex.classSet("toword")
	detWords      = lex.classSet("det")
	fromWords     = lex.classSet("fromword")
	leadActs      = lex.classSet("write", "destroy")
)

// saidReadOnly is a circumstance of the tool: its description says that it changes nothing.
const saidReadOnly circumstance = 1 << 31

// saidMasked is one, too: its description says that values are not told.
const saidMasked circumstance = 1 << 30

// toolUse says what the tool as a whole does, for the roles of its parameters.
func (w *toolReader) toolUse() (u use) {
	for _, d := range w.actions {
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
	u.queries = u.queries || w.mentions.meets(queryObjects) || w.is&db != 0 || w.hasAction(executeActs, queryNouns)
	for i := range w.params { // a query beside its variables is one of GraphQL
		u.queries = u.queries || w.params[i].name == "variables"
	}
	return u
}

var (
	runActs       = lex.classSet("run", "build", "render")
	codeObjects   = lex.classSet("code", "js", "expr", "template", "appbuild")
	interpObjects = lex.classSet("interp")
	queryObjects  = lex.classSet("db", "sqltext", "dbengine")
	executeActs   = lex.classSet("run")
	queryNouns    = lex.classSet("querytext") // one executes a statement, and looks for words
	hostObjects   = lex.classSet("host")
	fileObjects   = lex.classSet("file", "local")
)

// isDatabaseContent reports whether a word names what a database holds, and not the database: a table, a key.
func isDatabaseContent(k token) bool { return k.set.meets(dbCore) && !k.set.meets(engineWords) }

var droppable = lex.classSet("db", "dbengine", "clouddb", "dbweak", "kvstore")

// dropsData takes the act off words like "drop" in a sentence without a database: a file is dropped on a page, a pin on a map.
func dropsData(ks []token, s string) []token {
	for a, b := 0, 0; a < len(ks); a = b {
		kept := false
		for b = a; b < len(ks) && ks[b].sentence == ks[a].sentence; b++ {
			kept = kept || ks[b].set.meets(droppable)
		}
		for i := a; i < b && !kept; i++ {
			k := &ks[i]
			start := min(int(k.start), len(s))
			if word := s[start:min(start+len("drop"), len(s))]; k.set.meets(destroyActs) && strings.EqualFold(word, "drop") {
				k.set = k.set.without(actClasses)
			}
		}
	}
	return ks
}
