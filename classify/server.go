package classify

import (
	"strings"

	"gauntlet/capability"
)

// scoreGitSubcommand reads the name of a tool of a git server.
func (w *toolReader) scoreGitSubcommand() {
	name := w.name.Text()
	for _, word := range w.words {
		at := max(0, strings.Index(strings.ToLower(name), word))
		for _, t := range gitTags[word] {
			w.addSignal(signal{tag: tagIndex(t), source: byName, weight: 2, value: w.name, kind: "name_token", start: int32(at), end: int32(at + len(word))})
			w.addSignal(signal{tag: tagIndex(t), source: byServer, weight: 2, kind: "server", text: "git"})
		}
	}
}

// scoreServer adds what the server as a whole says.
func (w *toolReader) scoreServer(p *profile) {
	say := func(tag uint8, weight int8, why string) {
		w.addSignal(signal{tag: tag, source: byServer, weight: weight, kind: "server", text: why})
	}
	if p.is&remote != 0 {
		switch {
		case w.headSet.with(w.nameSet).meets(guidance):
			w.against[tNet]--
			say(tNet, 1, p.because)
		default:
			say(tNet, 2, p.because)
		}
		if p.unsure && w.score[tNet][byParameter] < 2 {
			w.against[tNet]-- // context alone is no proof
		}
		if w.worksOnLocalFiles() {
			w.against[tNet] -= 9 // one tool for files of this machine among those of the service
		}
		if w.isThoughtOnly() {
			w.against[tNet]-- // even if the rest of the server makes requests
		}
	}
	if p.is&ssh != 0 {
		say(tNet, 2, "works over SSH")
	}
	if p.is&(remote|ssh) != 0 {
		w.discountOwnState(p)
	}
	if p.is&db != 0 && w.nameSet.with(w.headSet).meets(docWords) {
		w.against[tQuery] -= 4 // reads what is written about the database
	}
	if p.is&(db|provision) == db && w.score[tQuery][byName]+w.score[tDBWrite][byName] == 0 {
		w.scoreBareName(p)
	}
	if p.is&db != 0 {
		for _, t := range [...]uint8{tQuery, tDBWrite} {
			if w.hasOwnEvidence(t) {
				say(t, 2, "database server")
			}
		}
		if p.is&clouddb != 0 && (w.hasOwnEvidence(tQuery) || w.hasOwnEvidence(tDBWrite)) {
			say(tNet, 2, "database behind an API")
		}
	}
	if p.is&secrets != 0 && w.score[tSecret][byName] >= 2 {
		say(tSecret, 2, "a vault of secrets")
	}
	if p.is&store != 0 {
		for _, t := range [...]uint8{tFSRead, tFSWrite} {
			if w.score[t][byName] >= 2 {
				say(t, 2, "it exists to remember")
			}
		}
	}
	if p.is&fsServer != 0 {
		for _, t := range [...]uint8{tFSRead, tFSWrite} {
			if w.hasOwnEvidence(t) {
				say(t, 1, "its tools take paths")
			}
		}
	}
	if p.words.meets(codeObjects) && w.hasOwnEvidence(tExec) {
		say(tExec, 1, "its name is that of a shell or an interpreter")
	}
}

// worksOnLocalFiles reports whether a tool says first that it works on local files, takes the path of one, and takes it nowhere.
func (w *toolReader) worksOnLocalFiles() bool {
	if w.localMention.end == 0 || w.localMention.sentence != 0 || w.headSet.meets(brandNames) {
		return false
	}
	path := false
	for i := range w.params {
		switch w.params[i].role.role {
		case capability.Path:
			path = path || !workdirs[w.params[i].whole]
		case capability.URL, capability.Host:
			return false
		}
	}
	return path && !w.nameAct.with(w.headSet.common(actClasses)).meets(travelling) && w.score[tNet][byParameter] == 0
}

var travelling = lex.classSet("send", "upload", "download", "clone")

// isThoughtOnly reports whether a name begins with an act that can be done in the head, and no
// parameter names what a service could hold or asks it something: suggest_config, estimate_cost.
func (w *toolReader) isThoughtOnly() bool {
	if len(w.words) == 0 {
		return false
	}
	if e := w.tok.lookUp([]byte(w.words[0])); e == nil || !e.set.meets(plainActs) {
		return false
	}
	for i := range w.params {
		switch w.params[i].role.role {
		case capability.ID, capability.URL, capability.Host, capability.Query:
			return false
		}
	}
	return true
}

// discountOwnState weighs against requests where a client of a service speaks of what is its own: its
// settings, aliases, sessions, the calendar of this machine.
func (w *toolReader) discountOwnState(p *profile) {
	switch {
	case p.is&ssh != 0 && w.nameSet.meets(sshState) && (w.nameAct.meets(lookActs) || w.nameAct.meets(haltActs) || w.nameAct.without(connectAct).empty() && w.headSet.meets(lookActs)):
		w.against[tNet] -= 4
	case w.nameSet.meets(runActs) || w.nameSet.meets(postActs) && !w.nameSet.meets(ownState):
	case w.nameSet.meets(ownState) && w.headSet.meets(ownState), w.hasAction(keepActs, ownState):
		w.against[tNet] -= 3
	case w.nameSet.meets(ownState), w.headSet.meets(memoryWords):
		w.against[tNet] -= 2
	}
}

// scoreBareName reads names that are an act and no object, as tools of a database have: get, lpush.
func (w *toolReader) scoreBareName(p *profile) {
	tag := tQuery
	switch {
	case w.nameSet.meets(otherObjects), w.strange && p.is&remote != 0:
		return
	case !w.nameAct.meets(lookActs) && !(w.nameAct.empty() && w.headSet.meets(lookActs)):
		if !w.nameAct.meets(changeOnly) {
			return
		}
		tag = tDBWrite
	case w.nameAct.meets(changeOnly):
		tag = tDBWrite
	}
	weight := int8(2)
	if tag == tDBWrite && len(w.params) == 0 && w.nameWords > 1 {
		weight = 1 // clear_cache: what is changed is not named by anybody
	}
	w.addSignal(signal{tag: tag, source: byName, weight: weight, value: w.name, kind: "name_token"})
}

// scoreAnnotations adds what annotations say, which anyone can claim.
func (w *toolReader) scoreAnnotations(p *profile) {
	note := func(tag uint8, weight int8, text string) {
		w.addSignal(signal{tag: tag, source: byAnnotation, weight: weight, kind: "annotation", text: text})
	}
	if w.hints.openWorld > 0 && p.is&browser == 0 && (w.hasOwnEvidence(tNet) || p.is&remote != 0) {
		note(tNet, 1, "openWorldHint=true")
	}
	for _, t := range [...]uint8{tFSWrite, tDBWrite} {
		if !w.hasOwnEvidence(t) {
			continue
		}
		switch {
		case w.hints.readOnly > 0 && w.score[t][byParameter] < 2: // saving a result is no change to most authors
			note(t, -1, "readOnlyHint=true")
		case w.hints.destructive > 0:
			note(t, 1, "destructiveHint=true")
		}
	}
}

// limitShellTags keeps a shell from carrying every tag: what its description lists that a command
// can do is told in one word, exec.
func (w *toolReader) limitShellTags() {
	if sum, _ := w.sumSources(tExec); sum < 4 || w.score[tExec][byName] == 0 || w.score[tExec][byParameter] == 0 {
		return
	}
	for t := range uint8(tagCount) {
		if t != tExec && w.score[t][byName] == 0 && w.score[t][byServer] == 0 && w.score[t][byDescription] > 0 {
			w.against[t]--
		}
	}
}
