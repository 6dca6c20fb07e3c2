package clause

import (
	"slices"
	"strings"
)

// prefersItself reports a clause that wants this tool chosen over others.
func prefersItself(r *Reader, f *frame, i int) string {
	if f.foreign || f.conditional && !f.all.has(bad) {
		return ""
	}
	others := f.all.has(otherTool)
	switch {
	case f.negated && f.act.any(setOf(call, prefer)) && f.mood >= duty && f.object.has(otherTool) && !f.when.any(setOf(cond, limit)):
		return "forbids the use of other tools"
	case f.negated:
	case f.act.has(ignore) && f.asks() && f.object.has(otherTool):
		return "tells the model to ignore other tools"
	case f.act.any(setOf(prefer, call)) && f.asks() && f.object.any(setOf(thisTool, self)) && (others || f.all.has(first)) && f.all.any(setOf(instead, better, first, every, regardless)):
		return "asks to be chosen over other tools"
	case f.subject.has(otherTool) && f.all.has(bad), f.object.has(otherTool) && f.all.has(bad) && f.verb < 0:
		return "disparages other tools"
	case f.all.any(setOf(thisTool, tool)) && f.all.has(super) && f.mood <= describe && f.subject.any(setOf(thisTool, it)) && f.all.has(tool):
		return "calls itself the best tool"
	}
	return ""
}

// slotName reports the name of a parameter that asks for somebody else's data.
func (r *Reader) slotName(s string) string {
	var all classSet
	phrase, steals := false, false
	n := len(r.framer.toks)
	for i := range r.framer.toks {
		t := &r.framer.toks[i]
		all.addAll(t.set)
		w := strings.ToLower(s[t.start:t.end])
		phrase = phrase || i >= n-2 && t.has(convo) && strings.IndexByte(w, ' ') > 0
		steals = steals || slices.Contains(stealing, w)
	}
	things := r.foreignTo(all.and(leakable))
	reads := all.has(content) || steals
	switch {
	case all.any(setOf(rawThing)) && !things.has(credFile):
	case things.any(setOf(sysPrompt, outside)), things.has(convo) && phrase:
		return "asks for " + nameThings(things)
	case things.any(setOf(credFile, envName, secret, env)) && reads:
		return "asks for " + nameThings(things)
	}
	return ""
}

// ownWords reads the names of a definition as what its business is.
func (r *Reader) ownWords(name string, parameters map[string]bool) {
	r.own, r.models = classSet{}, false
	r.learnt.forget()
	for p := range parameters {
		split := splitName(p)
		r.learnt.name(split.text, r.tok.run(split.text, false))
	}
	if name == "" {
		return
	}
	split := splitName(name)
	toks := r.tok.run(split.text, false)
	r.learnt.name(split.text, toks)
	for i := range toks {
		r.own.addAll(toks[i].set)
	}
	low := strings.ToLower(name)
	for _, w := range aboutModels {
		r.models = r.models || strings.Contains(low, w)
	}
	if r.own.any(setOf(model, convo, sysPrompt, instr)) {
		r.models = true
	}
	if r.models {
		r.own.add(sysPrompt)
		r.own.add(convo)
	}
}

// aboutModels are words by which a tool says that it works with language models, so that
// a parameter called system_prompt is its business.
var aboutModels = []string{"agent", "assistant", "chat", "llm", "prompt", "persona", "gpt", "claude", "gemini", "openai", "completion", "message", "ask"}

// stealing are words by which the name of a parameter says how its value is come by.
var stealing = []string{"read", "reading", "dump", "leak", "leaked", "steal", "stolen", "exfil", "exfiltrate", "harvest", "harvested", "extracted", "collected"}

// unread reports a text in a language without a word list that names a file or variable
// with credentials and, in the same sentence or the next, a parameter of the tool or an
// address: that much can be read in every language.
func (r *Reader) unread() (found, bool) {
	if r.tok.known*2 > r.tok.others {
		return found{}, false
	}
	fs := r.framer.frames
	for i := range fs {
		if !r.namesCredential(&fs[i]) {
			continue
		}
		for j := range fs {
			if d := fs[j].sentence - fs[i].sentence; d >= 0 && d <= 1 && (fs[j].all.has(ownParam) || fs[j].all.has(address)) && !fs[i].governed {
				return found{kind: Leak, says: "names a file or variable that holds credentials together with where to put it", first: min(i, j), last: max(i, j)}, true
			}
		}
	}
	return found{}, false
}

// namesCredential reports whether a clause holds the path of a credential file, or the name of a
// variable as it is written.
func (r *Reader) namesCredential(f *frame) bool {
	for i := f.first; i <= f.last; i++ {
		if t := &r.framer.toks[i]; t.has(credFile) || t.has(envName) && !t.has(env) {
			return true
		}
	}
	return false
}
