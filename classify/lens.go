package classify

import (
	"gauntlet/capability"
	"gauntlet/catalog"
)

// A Lens is a way to look at servers. The zero value classifies them as ever; what it sets is for measuring the classifier and for
// learning its weights. Its functions are called from several goroutines.
type Lens struct {
	// Weights are used instead of those that the classifier comes with; nil for those.
	Weights *Weights
	// Nameless has the lists name no service, which shows how well services are classified that they do not name.
	Nameless bool
	// Knows has the lexicon hold only the words that it accepts; nil for all. Names of parameters and git's subcommands are no
	// part of the lexicon.
	Knows func(word string) bool
	// Read is told every word of a definition, as the lexicon spells them; it may be nil.
	Read func(word string)
	// Seen is told everything that is observed; it may be nil.
	Seen func(Observation)
	// RoleOf decides roles by log-odds in the order of [capability.Roles]; nil leaves that to the weights.
	RoleOf func(tool, parameter string) ([columns]float32, bool)
}

// An Observation is what was observed of one tool or parameter.
type Observation struct {
	Tool      int    // index in the server's list, -1 for what its instructions say
	Parameter string // as [capability.Tool.Roles] names it; "" for the tool itself, EveryParameter for all that it has
	Name      string // as the lists of weights spell it
	Shared    bool   // its share among the server's other tools is an observation, too
}

// EveryParameter marks what bears on all parameters of a tool.
const EveryParameter = "*"

// Server classifies every tool of one server and aggregates the labels.
func (l *Lens) Server(s *catalog.Server) capability.Server { return l.of(s).Server() }

func (l *Lens) of(s *catalog.Server) *Classifier {
	c := &Classifier{server: s, lens: l}
	c.profile = newToolReader(l).readProfile(s)
	return c
}

var serviceNames = lex.classSet("brand", "brandword", "openbrand", "publicbrand")

// reportAs has what is observed from here on reported as that of a parameter of the tool at hand.
func (w *toolReader) reportAs(parameter string) {
	w.seen.told = nil
	if seen, tool := w.lens.Seen, w.index; seen != nil && w.reports {
		w.seen.told = func(k *factKind, what string) { seen(Observation{tool, parameter, k.name + ":" + what, k.shared}) }
	}
}

// lookUp looks a word up. It is nil for a word that the lexicon does not hold, or that it is to do without.
func (t *tokenizer) lookUp(word []byte) *entry {
	if t.lens.Read != nil {
		t.lens.Read(string(word))
	}
	e := t.lex.words[string(word)]
	if e != nil && t.lens.Knows != nil && !t.lens.Knows(string(word)) {
		return nil
	}
	return e
}
