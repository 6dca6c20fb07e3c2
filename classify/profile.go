package classify

import (
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/rawjson"
)

// sampleSize is how many tools of a server are read to learn what sort of server it is.
const sampleSize = 300

// A profile is what a server as a whole says about the place of its objects: "list issues"
// is a call to a remote API where the server is a client of one.
type profile struct {
	is         circumstance
	words      classes // of its name
	because    string  // what made it remote, for the evidence
	isToolName func(string) bool
	mixed      bool // of a database program, some of whose tools may be for its vendor's service
	unsure     bool // remote by few signs

	// withoutName is what its tools and instructions alone make of the server, nil if the name changes nothing.
	// A name is what anyone can choose: "github-helper" on a server that reads local files
	// must not take fs_read away, so a label counts if either profile gives it.
	withoutName *profile

	// What the instructions say for each label, and what the tools of the sample do, for a tool among them.
	about   logits
	others  logits
	sampled int
}

// forTool returns the profile for one tool: in the server of a database program a tool that is
// named after a service works on that, not on the database.
func (p *profile) forTool(w *toolReader) *profile {
	q := *p
	if p.mixed && w.nameSet.without(engineWords).meets(brandNames) && !w.nameSet.meets(engineWords) {
		q.is = q.is&^db | remote
		q.because = "the tool is named after a service"
	}
	if p.is&(remote|git) == 0 && w.namesRepository() {
		q.is |= remote // whatever the rest of the server is
		q.because = "its parameters name a repository or a bucket"
	}
	if p.is&db == 0 && w.nameSet.meets(storeWords) && w.rows {
		q.is |= db // one of many services, and this tool works inside it
	}
	if w.nameSet.meets(provisionWords) && !w.nameSet.meets(dbCore) {
		q.is |= provision
	}
	return &q
}

// namesRepository reports whether parameters say that a path leads into a repository of a code host or a bucket.
func (w *toolReader) namesRepository() bool {
	owner, repo := false, false
	for i := range w.params {
		switch w.params[i].whole {
		case "owner":
			owner = true
		case "repo", "repository":
			repo = true
		case "bucket", "bucketname":
			return true
		}
	}
	return owner && repo
}

// sampleCounts counts tools of a server.
type sampleCounts struct {
	tools, saas, brand, paths, db, browser, git, open, web, ids, apikeys, api, paged, entities, secrets, vaults, local, weak, apps, memories, engines int

	own    [maxOwn]int // tools that name a word of the server's own name
	others logits      // what the observations of all say
}

var (
	saasObjects    = lex.classSet("saas", "msg")
	brandWords     = lex.classSet("brand")
	brandNames     = lex.classSet("brand", "brandword")
	brandLike      = lex.classSet("brand", "brandword", "openbrand", "publicbrand", "clouddb", "kvstore", "secretvault", "browsercore", "local")
	localProducts  = lex.classSet("localprod", "interp")
	engineWords    = lex.classSet("dbengine")
	cloudDBWords   = lex.classSet("clouddb")
	dbWords        = lex.classSet("db", "dbengine", "clouddb")
	storeWords     = lex.classSet("dbengine", "clouddb", "kvstore")
	dbCore         = lex.classSet("dbcore")
	provisionWords = lex.classSet("provision")
	storeNames     = lex.classSet("memstore")
	vaultNames     = lex.classSet("secretvault")
	vaultPlaces    = lex.classSet("secretvault", "vaultplace")
	weakObjects    = lex.classSet("saas", "saasweak", "msg")
	localApps      = lex.classSet("localapp")
	memoryObjects  = lex.classSet("memorycore")
	localVaults    = lex.classSet("localvault", "local")
	vaultWords     = lex.classSet("vaultname")
	secretObjects  = lex.classSet("secret", "secretalert")
	apiWords       = lex.classSet("apiword")
	sshWords       = lex.classSet("ssh")
	browserNames   = lex.classSet("browsername")
	browserCore    = lex.classSet("browsercore")
	gitWords       = lex.classSet("git")
	webWords       = lex.classSet("url", "web", "live", "remoteplace")
	travelActs     = lex.classSet("fetch", "navigate", "send", "search", "read", "connect", "download", "clone")
	directoryWords = lex.classSet("file")
)

// readProfile reads a server's own words and a sample of its tools.
func (w *toolReader) readProfile(s *catalog.Server) *profile {
	w.is, w.index, w.reports = 0, -1, true
	w.reportAs("")
	p := &profile{isToolName: knownTools(s)}
	w.seen.reset()
	var about classes
	ownName := ""
	if !s.Anonymous {
		ownName = s.Name
	}
	for i := range s.Self {
		v := s.Self[i].Parse(s, &w.tree)
		if v.Kind() == rawjson.String {
			w.observeInstructions(v)
			for _, k := range w.tok.tokenizeProse(truncate(v.Text(), 2000)) {
				about = about.with(k.set)
			}
			continue
		}
		for _, at := range [...]rawjson.Value{v, v.Get("serverInfo")} {
			for _, member := range [...]string{"name", "title"} {
				if n := at.Get(member).Text(); n != "" {
					ownName = n
					p.words = p.words.with(w.readServerName(n))
				}
			}
		}
	}
	p.words = p.words.with(w.readServerName(ownName))
	p.about = w.weights.tags.sum(w.seen.keys)
	w.reports, w.seen.told = false, nil // the tools of the sample are observed again
	c := w.countSample(s, p.isToolName, distinctiveWords(ownName))
	p.mixed = p.words.meets(engineWords) && !p.words.meets(brandNames)
	p.others, p.sampled = c.others, c.tools
	p.withoutName = &profile{isToolName: p.isToolName, about: p.about, others: p.others, sampled: p.sampled}
	p.withoutName.decideCircumstances(c, about, false)
	p.decideCircumstances(c, about, true)
	if p.withoutName.is == p.is && !p.mixed {
		p.withoutName = nil
	}
	return p
}

// observeInstructions collects what a server's instructions speak of.
func (w *toolReader) observeInstructions(v rawjson.Value) {
	eachProseWord(truncate(v.Text(), 2000), 120, w.stem[:0], func(stem []byte, _ proseWord) bool {
		w.seen.addConcepts(factAboutConc, w.concepts.conceptsOf(stem))
		return true
	})
}

// readServerName returns what the words of a server's name mean. A part of a word that is
// written together, as in GitKraken, is no program of this machine.
func (w *toolReader) readServerName(name string) (out classes) {
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '-' || r == '_' || r == '/' || r == '.' || r == '@' }) {
		word = strings.TrimSuffix(strings.TrimSuffix(word, "MCP"), "Server")
		parts := w.tok.tokenizeName(word)
		for _, k := range parts {
			out = out.with(k.set)
		}
	}
	for _, k := range w.tok.tokenizeName(name) { // "Desktop Commander"
		if !k.set.meets(localProducts) && !k.set.meets(gitWords) || strings.ContainsAny(name[min(int(k.start), len(name)):min(int(k.end), len(name))], " -_/.") {
			out = out.with(k.set)
		}
	}
	return out
}

func knownTools(s *catalog.Server) func(string) bool {
	set := make(map[string]bool, len(s.Tools()))
	for i := range s.Tools() {
		set[s.Tools()[i].Name()] = true
	}
	return func(name string) bool { return set[name] }
}

func truncate(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}

// distinctiveWords returns the words of a server's name that are its own: no dictionary words,
// unless those of a brand. A scope in front (@owner/) is left out.
func distinctiveWords(name string) (out []string) {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	for _, w := range strings.FieldsFunc(name, func(r rune) bool { return !(r >= 'a' && r <= 'z') }) {
		if e := lex.words[w]; len(w) > 3 && !generic[w] && (e == nil || e.set.without(brandLike).empty()) && len(out) < maxOwn {
			out = append(out, w)
		}
	}
	return out
}

// isProperNoun reports whether a text writes a word as a name: with a capital, where no sentence
// begins and no neighbour is a capital letter too ("Create a Frobnicate ticket"), and never without one. A server called
// "notes" whose tools say "Add a note" names no service, nor does one called "time" that says "Time zone".
func isProperNoun(prose, lower string) bool {
	found := false
	for i := 0; i < len(prose); {
		at := indexFold(prose[i:], lower)
		if at < 0 {
			break
		}
		at += i
		i = at + len(lower)
		if at > 0 && isWordByte(prose[at-1]) || i < len(prose) && isLetter(prose[i]) && prose[i] != 's' {
			continue
		}
		if c := prose[at]; c >= 'a' {
			return false
		}
		before := strings.TrimRight(prose[:at], " `*\"'(")
		if before != "" && len(before) < at && strings.IndexByte(".!?:;\n-#>|", before[len(before)-1]) < 0 {
			found = true
		}
	}
	return found
}

// indexFold returns where lower, a word of small ASCII letters, stands in s in any case, -1 if nowhere.
func indexFold(s, lower string) int {
	for i := 0; i+len(lower) <= len(s); i++ {
		if s[i]|0x20 == lower[0] && strings.EqualFold(s[i:i+len(lower)], lower) {
			return i
		}
	}
	return -1
}

// generic are words of servers' names that say nothing.
var generic = map[string]bool{"server": true, "official": true, "fastmcp": true, "example": true, "examples": true, "simple": true, "challenge": true, "model": true, "protocol": true, "context": true, "tools": true, "demo": true, "test": true, "community": true}

// maxOwn is how many words of a server's name are looked for in its tools.
const maxOwn = 4

// readSample reads a tool of the sample and reports whether that went well; a tool that breaks
// the reading is left out of the sample.
func (w *toolReader) readSample(s *catalog.Server, it *catalog.Item, known func(string) bool) (ok bool) {
	defer func() {
		if e := recover(); e != nil {
			ok = false
		}
	}()
	w.readTool(s, it, known)
	return true
}

func (w *toolReader) countSample(s *catalog.Server, known func(string) bool, own []string) (c sampleCounts) {
	ts := s.Tools()
	step := max(1, len(ts)/sampleSize)
	for i := 0; i < len(ts); i += step {
		if !w.readSample(s, &ts[i], known) {
			continue
		}
		c.tools++
		w.observeTool()
		said := w.weights.tags.sumOthers(w.seen.own)
		c.others.add(&said)
		add := func(n *int, is bool) {
			if is {
				*n++
			}
		}
		saas, weak, path, id, paged, entity := false, false, false, false, false, false
		for _, d := range w.actions {
			weak = weak || d.objects.meets(weakObjects) && !d.objects.meets(homeObjects)
			saas = saas || d.objects.meets(saasObjects) && (!d.none || d.where&inName != 0)
		}
		for j := range w.params {
			q := &w.params[j]
			switch q.role.role {
			case "path":
				path = path || q.role.name+q.role.desc >= 3
			case "id":
				id = true
			}
			paged = paged || pageNames[q.whole]
			n := len(q.parts)
			entity = entity || n > 1 && (q.parts[n-1] == "id" || q.parts[n-1] == "ids") && !homeEntities[q.parts[n-2]]
			add(&c.apikeys, strings.Contains(strings.ToLower(strings.ReplaceAll(q.name, "_", "")), "apikey"))
		}
		add(&c.saas, saas)
		add(&c.paths, path)
		add(&c.ids, id)
		add(&c.paged, paged)
		add(&c.entities, entity)
		add(&c.api, w.mentions.meets(apiWords))
		add(&c.weak, weak)
		add(&c.apps, w.mentions.meets(localApps))
		add(&c.memories, w.mentions.meets(memoryObjects))
		add(&c.local, w.mentions.meets(localVaults))
		add(&c.vaults, w.mentions.meets(vaultPlaces))
		add(&c.secrets, w.mentions.meets(secretObjects))
		add(&c.brand, w.mentions.meets(brandWords))
		add(&c.engines, w.mentions.meets(engineWords) && !w.mentions.without(engineWords).meets(brandNames))
		add(&c.db, w.nameSet.with(w.headSet).meets(dbWords))
		add(&c.browser, w.mentions.meets(browserCore))
		add(&c.git, w.nameSet.meets(gitWords) || w.headSet.meets(gitWords))
		add(&c.web, w.mentions.meets(webWords))
		add(&c.open, w.hints.openWorld > 0)
		for k, word := range own {
			add(&c.own[k], isProperNoun(w.prose, word))
		}
	}
	return c
}

// pageNames are parameters that leaf through what an API returns.
var pageNames = map[string]bool{"page": true, "perpage": true, "pagesize": true, "cursor": true, "pagetoken": true, "nexttoken": true, "nextpagetoken": true, "startcursor": true,
	"endcursor": true, "startingafter": true, "pagenumber": true, "pagecursor": true, "nextcursor": true, "continuationtoken": true}

// homeEntities are things with identifiers that live on this machine.
var homeEntities = map[string]bool{"process": true, "session": true, "tab": true, "page": true, "window": true, "element": true, "frame": true, "request": true, "breakpoint": true,
	"index": true, "collection": true, "table": true, "terminal": true, "container": true, "simulator": true, "presentation": true, "game": true, "shape": true, "scene": true,
	"connection": true, "transaction": true, "thread": true, "shell": true, "command": true, "node": true, "memory": true, "thought": true, "device": true}

// homeObjects are objects of services that are as often things of this machine.
var homeObjects = lex.classSet("file", "fileweak", "db", "browsercore", "code", "process", "expr", "memstore")

// A clue speaks for a server being the client of a remote service, or against it.
type clue struct {
	is     bool
	points int
	why    string // for the evidence
}

// enough is how many points make a server the client of a remote service. With one less it
// passes for one, and no label rests on that alone at high.
const enough = 3

// share says how many of the tools that were counted n are.
func (c *sampleCounts) share(n int) float64 { return float64(n) / float64(max(1, c.tools)) }

// remoteClues weighs what was counted. Names of services settle it; without them it is what the
// tools work on, by what, and whether they name the service that the server is called after.
func (p *profile) remoteClues(c *sampleCounts, isBrowser bool, about classes) []clue {
	of := c.share
	objects := of(c.saas) >= 0.5 && of(c.ids) >= 0.7 || of(c.weak) >= 0.7 && of(c.entities) >= 0.5
	own := of(slices.Max(c.own[:])) >= 0.4 && c.tools > 2
	paths := of(c.paths) >= 0.4 && !p.words.meets(brandWords) && p.is&secrets == 0 && of(c.brand) < 0.4
	return []clue{
		{p.words.meets(brandNames), 3, "its name is that of a service"},
		{p.words.meets(localProducts) && !p.words.meets(brandWords), -3, ""},
		{of(c.brand) >= 0.4, 3, "most tools name a service"},
		{of(c.brand) >= 0.15 && of(c.brand) < 0.4, 1, "tools name a service"},
		{of(c.open) >= 0.5 && !isBrowser, 2, "most tools are annotated openWorldHint"},
		{of(c.saas) >= 0.7, 2, "most tools act on objects of a service"},
		{of(c.saas) >= 0.4 && of(c.saas) < 0.7, 1, "many tools act on objects of a service"},
		{own, 1, "tools name the service of the server"},
		{own && of(c.ids) >= 0.5, 1, ""}, // who serves a program of this machine seldom asks for identifiers
		{objects && c.tools > 4, 2, "most tools act on objects of a service, by their identifiers"},
		{of(c.web) >= 0.3, 1, "tools speak of the network"},
		{of(c.ids) >= 0.5 && c.tools > 4, 1, "tools take identifiers"},
		{c.apikeys > 0, 1, "a tool takes an API key"},
		{p.is&secrets != 0 && !p.words.meets(localProducts) && of(c.local) < 0.1, 2, "it is a vault of secrets"},
		{of(c.api) >= 0.25, 1, "tools speak of an API"},
		{of(c.paged) >= 0.15, 1, "tools leaf through pages of results"},
		{of(c.entities) >= 0.4 && c.tools > 2, 1, "tools take identifiers of entities"},
		{of(c.weak) >= 0.7 && c.tools > 2 && (of(c.paths) < 0.2 || of(c.entities) >= 0.6), 1, "tools act on what services hold"},
		{of(c.apps) >= 0.3 && !p.words.meets(brandWords), -3, ""},
		{about.meets(brandWords), 1, "the instructions name a service"},
		{paths && objects, -1, ""}, // inside a repository
		{paths && !objects, -3, ""},
		{p.mixed, -9, ""},
	}
}

func (p *profile) decideCircumstances(c sampleCounts, about classes, named bool) {
	of := c.share
	if !named {
		c.own = [maxOwn]int{}
		p.mixed = of(c.engines) >= 0.25 && of(c.db) >= 0.4 // its tools name a database program
	}
	isBrowser := of(c.browser) >= 0.4 && c.tools > 2 || p.words.meets(browserNames)
	vault := p.words.meets(vaultNames) || p.words.meets(vaultWords) && of(c.secrets) >= 0.25 || of(c.vaults) >= 0.4 && of(c.secrets) >= 0.15 || of(c.secrets) >= 0.6 && c.tools > 2
	p.setIf(vault, secrets)
	points := 0
	for _, h := range p.remoteClues(&c, isBrowser, about) {
		if !h.is {
			continue
		}
		points += h.points
		if h.points > 0 && p.because == "" {
			p.because = h.why
		}
	}
	far := p.words.meets(sshWords)
	p.setIf(far, ssh)
	p.setIf(points >= enough && !far && (!isBrowser || p.words.meets(brandNames)), remote)
	p.unsure = points == enough-1 && !far && !isBrowser && c.tools > 1
	p.setIf(p.unsure, remote)
	// What one or two tools say of the server is what each says of itself, and no second witness.
	p.unsure = p.unsure || p.is&remote != 0 && c.tools < 3 && of(c.brand) == 0 && !p.words.meets(brandNames)
	p.setIf(isBrowser, browser)
	p.setIf(p.words.meets(engineWords) || p.words.meets(cloudDBWords) || of(c.db) >= 0.5 && c.tools > 1, db)
	p.setIf(p.words.meets(cloudDBWords), clouddb)
	if p.is&remote == 0 {
		p.setIf((p.words.meets(storeNames) || of(c.memories) >= 0.5 && c.tools > 2 && p.is&db == 0) && !p.words.meets(brandNames), store)
		p.setIf(p.words.meets(gitWords) || of(c.git) >= 0.5, git)
		p.setIf(of(c.paths) >= 0.4 && p.is&secrets == 0 || p.words.meets(directoryWords), fsServer)
	}
}

func (p *profile) setIf(is bool, c circumstance) {
	if is {
		p.is |= c
	}
}
