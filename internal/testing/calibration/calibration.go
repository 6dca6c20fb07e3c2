// Package calibration measures how often the classifier is right on a corpus of servers that
// people have labelled.
package calibration

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/classify"
	"gauntlet/finding"
	"gauntlet/internal/leaf/suggest"
	"gauntlet/internal/run/sourcecode"
	"gauntlet/internal/run/userfile"
)

// Sources say where the sources of servers are.
type Sources struct {
	All  string   // a directory with one directory a server; "" for none
	Each []string // SERVER=DIR
}

// A Corpus is what a calibration needs: servers, and what people said about them. The lists
// go together.
type Corpus struct {
	names   []string // of the files, without their endings
	servers []*catalog.Server
	truths  []*Truth
	sources map[string]*sourcecode.Analysed // by name, where the source was given
}

// maxLabels is the longest file of labels that is read, in bytes.
const maxLabels = 16 << 20

// Read reads every labelled server of a corpus, by name. One that cannot be read is a
// problem and keeps no other from being measured; the error says that there is nothing to
// measure. A file that ends in .ndjson holds a labelled server a line.
func Read(dir string) (*Corpus, []finding.Problem, error) {
	if strings.HasSuffix(dir, familiesEnding) {
		return readFamilies(dir)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "labels"))
	c := &Corpus{}
	var problems []finding.Problem
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".yaml")
		if !ok {
			continue
		}
		labels, snapshot := filepath.Join(dir, "labels", e.Name()), filepath.Join(dir, "snapshots", name+".json")
		truth, err := readLabels(labels)
		if err != nil {
			problems = append(problems, sourcecode.Failed(labels, err))
			continue
		}
		server, partly, err := readSnapshot(snapshot)
		problems = append(problems, partly...)
		if err != nil {
			problems = append(problems, sourcecode.Failed(snapshot, err))
			continue
		}
		c.names, c.servers, c.truths = append(c.names, name), append(c.servers, server), append(c.truths, truth)
	}
	switch {
	case err != nil || len(c.names)+len(problems) == 0:
		return nil, nil, fmt.Errorf("%s: no labels/*.yaml in it", dir)
	case len(c.names) == 0:
		return nil, problems, fmt.Errorf("%s: no labelled server of it could be read", dir)
	}
	return c, problems, nil
}

func readLabels(file string) (*Truth, error) {
	text, err := userfile.ReadText(file, nil, maxLabels)
	if err != nil {
		return nil, err
	}
	return Parse([]byte(text))
}

// readSnapshot reads a file that holds one server. Parts of it that could not be read are
// problems.
func readSnapshot(file string) (*catalog.Server, []finding.Problem, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, nil, err
	}
	text, err := userfile.ReadText(file, nil, catalog.DefaultBytes)
	if err != nil {
		return nil, nil, err
	}
	c, err := catalog.Parse(file, text, catalog.Limits{})
	if err != nil {
		return nil, nil, err
	}
	if len(c.Servers) != 1 {
		return nil, nil, fmt.Errorf("want one server, there are %d", len(c.Servers))
	}
	return c.Servers[0], c.Problems, nil
}

// Measure scores the corpus by layer 1, and the servers whose sources were read by both.
func (c *Corpus) Measure(folds int) *Run {
	cases := c.classifyCases()
	r := &Run{
		Vocabulary: capability.VocabularyVersion, Lexicon: classify.LexiconVersion, Layer: "1",
		Corpus: Entries(cases), All: Of(cases), Folds: folds,
		Layers: c.compareLayers(cases),
	}
	nameless := slices.Clone(cases)
	for i, s := range c.servers {
		p := (&classify.Lens{Nameless: true}).Server(s)
		nameless[i].Predicted = &p
	}
	r.Nameless = Of(nameless)
	if folds > 1 {
		r.Unseen = Of(classifyUnseen(c.servers, cases, folds))
	}
	return r
}

// classifyCases classifies every server from its definitions.
func (c *Corpus) classifyCases() []Case {
	cases := make([]Case, len(c.truths))
	for i, t := range c.truths {
		p := classify.Server(c.servers[i])
		cases[i] = Case{Truth: t, Predicted: &p, Mode: capability.DefinitionOnly}
	}
	Families(cases)
	return cases
}

// classifyUnseen classifies every server without the words that only its fold uses.
func classifyUnseen(servers []*catalog.Server, cases []Case, n int) []Case {
	out := slices.Clone(cases)
	words := make([]map[string]bool, len(servers))
	for i, s := range servers {
		words[i] = wordsOf(s)
	}
	for _, fold := range Split(cases, n) {
		known := map[string]bool{}
		for i := range servers {
			if slices.Contains(fold, i) {
				continue
			}
			for w := range words[i] {
				known[w] = true
			}
		}
		for _, i := range fold {
			p := (&classify.Lens{Knows: func(w string) bool { return known[w] }}).Server(servers[i])
			out[i].Predicted = &p
		}
	}
	return out
}

// wordsOf returns the words that a server's definitions use, as the lexicon spells them.
func wordsOf(s *catalog.Server) map[string]bool {
	var mu sync.Mutex
	out := map[string]bool{}
	lens := classify.Lens{Read: func(word string) {
		mu.Lock()
		defer mu.Unlock()
		out[word] = true
	}}
	lens.Server(s)
	return out
}

// findDirs returns the directory of each server's source, by the names that the corpus gives
// servers. What names no server of the corpus, or is no directory, is a problem.
func (f *Sources) findDirs(names []string) (map[string]string, []finding.Problem) {
	out := map[string]string{}
	var problems []finding.Problem
	if f.All != "" {
		entries, err := os.ReadDir(f.All)
		if err != nil {
			problems = append(problems, sourcecode.Failed(f.All, err))
		}
		for _, e := range entries {
			if dir := filepath.Join(f.All, e.Name()); slices.Contains(names, e.Name()) {
				out[e.Name()] = dir
			}
		}
		if err == nil && len(out) == 0 {
			problems = append(problems, sourcecode.Failed(f.All, errors.New("no directory in it is called as a server of the corpus")))
		}
	}
	for _, s := range f.Each {
		name, dir, ok := strings.Cut(s, "=")
		switch {
		case !ok || dir == "":
			problems = append(problems, sourcecode.Failed("-source", fmt.Errorf("%q is not of the form SERVER=DIR", s)))
		case !slices.Contains(names, name):
			problems = append(problems, sourcecode.Failed("-source", fmt.Errorf("the corpus has no server %q%s", name, suggest.Question(suggest.Names(name, names), ""))))
		default:
			out[name] = dir
		}
	}
	return out, problems
}

// AddSources reads the sources of servers. Its error says that it was interrupted; progress is
// called for each server.
func (c *Corpus) AddSources(ctx context.Context, from Sources, progress func(format string, args ...any)) ([]finding.Problem, error) {
	dirs, problems := from.findDirs(c.names)
	for i, name := range c.names {
		dir, ok := dirs[name]
		if !ok {
			continue
		}
		progress("reading the source of %s", name)
		var tools []string
		for t := range c.servers[i].Tools() {
			tools = append(tools, c.servers[i].Tools()[t].Name())
		}
		found, err := sourcecode.Analyse(ctx, dir, tools)
		if err != nil {
			return nil, err
		}
		problems = append(problems, found.Problems...)
		if found.Err != nil {
			problems = append(problems, sourcecode.Failed(dir, found.Err))
		}
		if c.sources == nil {
			c.sources = map[string]*sourcecode.Analysed{}
		}
		c.sources[name] = found
	}
	return problems, nil
}

// compareLayers scores the servers whose source was given by layer 1, as they were, and by layers
// 1 and 2; nil if no source was given.
func (c *Corpus) compareLayers(cases []Case) *Layers {
	if c.sources == nil {
		return nil
	}
	var definition, source []Case
	var read []Reading
	var unread []Unread
	for i, name := range c.names {
		found := c.sources[name]
		if found == nil {
			continue
		}
		if found.Err != nil {
			unread = append(unread, Unread{Server: cases[i].Truth.Server, Why: userfile.Reason(found.Err).Error()})
			continue
		}
		both := cases[i]
		p := classify.Server(c.servers[i])
		classify.WithSources(&p, found.Sources)
		both.Predicted = &p
		definition, source = append(definition, cases[i]), append(source, both)
		read = append(read, countReading(name, &p, found))
	}
	l := Compare(definition, source, read)
	l.Unread = unread
	return l
}

// countReading counts what was found in the source of a server.
func countReading(name string, s *capability.Server, found *sourcecode.Analysed) Reading {
	r := Reading{Server: name, Tools: len(s.Tools), Handlers: found.Tied}
	handlers := found.Sources.ByTool()
	for i := range s.Tools {
		h := handlers[s.Tools[i].Name]
		if h == nil {
			continue
		}
		if h.Complete() {
			r.Whole++
		}
		if len(h.Calls) > 0 {
			r.Sinks++
		}
	}
	return r
}
