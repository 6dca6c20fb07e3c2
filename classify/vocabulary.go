package classify

import (
	"gauntlet/capability"
	"gauntlet/catalog"
)

// Words adds the words that a server's definitions use, as the lexicon spells them.
func Words(s *catalog.Server, into map[string]bool) {
	w := newToolReader()
	w.tok.collected = into
	p := w.readProfile(s)
	for i := range s.Tools() {
		w.readTool(s, &s.Tools()[i], p.isToolName)
	}
}

// Without classifies a server as if the lexicon held only the words that know accepts, to measure
// what the other words contribute. Names of parameters and git's subcommands are not part of the
// lexicon.
func Without(s *catalog.Server, know func(word string) bool) capability.Server {
	w := newToolReader()
	w.tok.mayUse = know
	return w.classifyAll(s)
}

// Nameless classifies a server as if the lists named no service, which shows how well services are
// classified that the lists do not name.
func Nameless(s *catalog.Server) capability.Server {
	w := newToolReader()
	w.tok.excludedClasses = serviceNames
	return w.classifyAll(s)
}

var serviceNames = lex.classSet("brand", "brandword", "openbrand", "publicbrand")

// classifyAll classifies a server with what the reader knows, one tool after the other.
func (w *toolReader) classifyAll(s *catalog.Server) capability.Server {
	c := &Classifier{s, w.readProfile(s), w.weights}
	out := capability.Server{Name: s.Name, VocabularyVersion: capability.VocabularyVersion}
	for i := range s.Tools() {
		out.Tools = append(out.Tools, c.classifyTool(w, i).Labels())
	}
	aggregate(&out)
	return out
}

// lookUp looks a word up. It is nil for a word that the lexicon does not hold, or that it is
// to do without.
func (t *tokenizer) lookUp(word []byte) *entry {
	if t.collected != nil {
		t.collected[string(word)] = true
	}
	e := t.lex.words[string(word)]
	if e != nil && t.mayUse != nil && !t.mayUse(string(word)) {
		return nil
	}
	return e
}
