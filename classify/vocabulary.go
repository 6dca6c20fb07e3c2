package classify

import (
	"gauntlet/capability"
	"gauntlet/catalog"
)

// Words adds the words that a server's definitions use, as the lexicon spells them.
func Words(s *catalog.Server, into map[string]bool) {
	w := newWorker()
	w.tok.heard = into
	p := w.profiled(s)
	for i := range s.Tools() {
		w.read(s, &s.Tools()[i], p.known)
	}
}

// Without classifies a server as if the lexicon held only the words that know accepts: what
// the labels would be if nobody had thought of the others. Names of parameters and git's
// subcommands are not part of the lexicon.
func Without(s *catalog.Server, know func(word string) bool) capability.Server {
	w := newWorker()
	w.tok.knows = know
	return w.all(s)
}

// Nameless classifies a server as if no name of a service were known, which is how it is with
// a service that the lists do not name.
func Nameless(s *catalog.Server) capability.Server {
	w := newWorker()
	w.tok.blind = serviceNames
	return w.all(s)
}

var serviceNames = lex.set("brand", "brandword", "openbrand", "publicbrand")

// all classifies a server with what the worker knows, one tool after the other.
func (w *worker) all(s *catalog.Server) capability.Server {
	c := &Classifier{s, w.profiled(s)}
	out := capability.Server{Name: s.Name, VocabularyVersion: capability.VocabularyVersion}
	for i := range s.Tools() {
		out.Tools = append(out.Tools, c.judge(w, i).Labels())
	}
	aggregate(&out)
	return out
}

// entry looks a word up. It is nil for a word that the lexicon does not hold, or that it is
// to do without.
func (t *tokenizer) entry(word []byte) *entry {
	if t.heard != nil {
		t.heard[string(word)] = true
	}
	e := t.lex.words[string(word)]
	if e != nil && t.knows != nil && !t.knows(string(word)) {
		return nil
	}
	return e
}
