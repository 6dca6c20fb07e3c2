package classify

import (
	"slices"
	"strings"

	"gauntlet/capability"
)

var (
	strangerWords = lex.set("stranger")
	privateWords  = lex.set("private")
	publicWords   = lex.set("public")
	holdingWords  = lex.set("holding")
	codePlaces    = lex.set("codeplace")
	openBrands    = lex.set("openbrand")
	publicBrands  = lex.set("publicbrand")
	strangersMail = lex.set("mail")
	mailWords     = lex.set("msg")
	destroyActs   = lex.set("destroy")
	publishActs   = lex.set("write", "send", "upload")
	postActs      = lex.set("send", "upload")
	webGet        = lex.set("webget")
	webObjects    = lex.set("url", "web", "httpreq")
	searchActs    = lex.set("search")
	webWide       = lex.set("web")
	fetchActs     = lex.set("read", "search", "fetch", "navigate")
)

// flow says what a tool means for the way of data through an agent. It acts on labels at
// high and medium alone.
func (w *worker) flow(p *profile) (f capability.Flow) {
	has := func(tag uint8) bool { return w.confidence(tag).AtLeast(capability.Medium) }
	net, files, exec := has(tNet), has(tFSRead), has(tExec)
	said := w.nameSet.with(w.headSet)
	looks := w.nameAct.meets(lookActs) || w.nameAct.meets(webGet) || w.nameAct.empty()
	changes := w.nameAct.meets(changeOnly) || w.nameAct.meets(postActs)
	public := p.words.meets(publicBrands) || said.meets(publicBrands)
	open := p.words.meets(openBrands) || said.meets(openBrands)
	elsewhere := p.is&(git|ssh|db) == 0 // whose addresses lead to no page
	// What strangers wrote.
	switch {
	case !net || changes || !looks || !elsewhere:
	case p.is&browser != 0 && w.chosen(capability.URL) && w.acts(openActs):
		f.Untrusted = "it opens pages on the network"
	case w.does(webGet, webObjects) && w.chosen(capability.URL), w.does(searchActs, webWide):
		f.Untrusted = "it returns what pages on the network say"
	case w.does(lookActs, strangersMail), open && w.does(lookActs, strangerWords):
		f.Untrusted = "it returns what others wrote to its user"
	}
	// What its user would keep.
	switch {
	case has(tSecret):
		f.Private = "it reads credentials"
	case files:
		f.Private = "it reads files"
	case has(tQuery):
		f.Private = "it reads a database"
	case exec && p.is&browser == 0:
		f.Private = "it runs commands, which can read anything"
	case exec:
		f.Private = "it runs scripts in a page, which can read what its user is logged in to"
	case net && said.meets(fetchActs) && said.meets(privateWords) && p.is&remote != 0 && !w.nameAct.meets(changeOnly):
		f.Private = "it reads what an account holds"
	}
	// The way out.
	switch {
	case exec && p.is&browser == 0:
		f.Exfil = "it runs commands, which can send anything anywhere"
	case exec:
		f.Exfil = "it runs scripts in a page, which can send what they find"
	case net && w.does(postActs, mailWords):
		f.Exfil = "it sends messages to whom its caller names"
	case net && public && changes && w.does(publishActs, publicWords):
		f.Exfil = "it publishes where others can read"
	case net && w.chosen(capability.URL) && w.takesBody() && (w.nameAct.meets(postActs) || w.does(webGet, webObjects)):
		f.Exfil = "it sends data to an address of its caller's choice"
	}
	f.Outward = net && (changes && !w.onlyDestroys() || f.Exfil != "" || w.chosen(capability.URL) || w.chosen(capability.Host))
	// What cannot be undone.
	local := has(tFSWrite) && !net
	switch {
	case w.hints.destructive < 0 && !w.nameAct.meets(destroyActs):
	case exec && p.is&browser == 0:
		f.Destructive, f.LocalOnly = "it runs commands", !net
	case w.nameAct.meets(destroyActs) && said.meets(holdingWords) && (net || has(tDBWrite) || has(tFSWrite)) && w.hints.readOnly <= 0:
		f.Destructive, f.LocalOnly = "it deletes", local && !has(tDBWrite)
	case has(tDBWrite) && w.chosen(capability.Query):
		f.Destructive = "it runs any statement on a database"
	case has(tFSWrite) && w.nameAct.meets(changeOnly) && w.hints.readOnly <= 0:
		f.Destructive, f.LocalOnly = "it overwrites files", local
	}
	f.FreePath = w.freePath() || said.meets(codePlaces)
	f.Stores = w.stores()
	return f
}

// does reports whether the name or the first sentence has such an act on such an object.
func (w *worker) does(of, on classes) bool {
	return slices.ContainsFunc(w.deeds, func(d deed) bool {
		return !d.faint && d.object.set.meets(on) && (d.act.set.meets(of) || d.acts.meets(of))
	})
}

// onlyDestroys reports whether all that the name says is to destroy, which carries nothing away.
func (w *worker) onlyDestroys() bool {
	return w.nameAct.meets(destroyActs) && !w.nameAct.meets(publishActs)
}

// chosen reports whether the caller chooses a value of this role.
func (w *worker) chosen(r capability.Role) bool {
	return slices.ContainsFunc(w.params, func(p parameter) bool {
		return p.role.role == r && !p.closed && p.role.confidence() != capability.Low
	})
}

// takesBody reports whether a request of the tool has a body.
func (w *worker) takesBody() bool {
	return slices.ContainsFunc(w.params, func(p parameter) bool {
		n := strings.ToLower(p.name)
		return n == "body" || n == "data" || n == "payload" || n == "headers" || n == "method"
	})
}

// freePath reports whether no schema constrains the path that is written to.
func (w *worker) freePath() bool {
	return slices.ContainsFunc(w.params, func(p parameter) bool {
		return p.role.role == capability.Path && !p.closed && !p.pattern
	})
}

// stores lists the database programs that the name and the first sentence name.
func (w *worker) stores() (out []string) {
	add := func(ks []token, s string) {
		for _, k := range ks {
			if k.sentence == 0 && k.set.meets(engineWords) && !k.set.meets(sqlWords) && !k.set.meets(plainStore) && k.end > k.start && int(k.end) <= len(s) {
				if name := strings.ToLower(s[k.start:k.end]); !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
		}
	}
	add(w.tok.name(w.name.Text()), w.name.Text())
	add(w.tok.prose(head(w.desc.Text(), 200)), head(w.desc.Text(), 200))
	return out
}

// plainStore are words for any database.
var plainStore = lex.set("db", "sqltext")
