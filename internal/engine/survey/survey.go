// Package survey notes what the source of a server does apart from the handlers of its tools: how it listens, whom it lets
// in, which header of a request it takes for an address, what it writes into its log.
package survey

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// A surveyor reads one program.
type surveyor struct {
	g     *callgraph.Graph
	lang  string
	named map[*ir.Expr][]string // what calls call, as far as they were resolved
	out   []sink.Site

	versions Versions
	entered  int // calls that were entered to see what they return
}

// maxSites is how many sites of one program are kept.
const maxSites = 500

// Add adds to what was found in a program what it does apart from its tools, and takes away the routes that nobody reaches without a credential.
// versions are those of the packages that it asks for, nil where they are not known.
func Add(g *callgraph.Graph, versions Versions, out *sink.Sources) {
	s := &surveyor{g: g, versions: versions, lang: g.Convention().Language, named: map[*ir.Expr][]string{}}
	out.Resources = s.unprotected(out.Resources)
	out.Sites = append(s.sites(), readOnlyLies(g, out)...)
}

// sites returns what a program does apart from its tools, by file and place.
func (s *surveyor) sites() []sink.Site {
	s.readListeners()
	s.readHeaderAddresses()
	s.readLogs()
	s.readRoots()
	s.readTokens()
	s.readSessionIDs()
	s.readArchives()
	s.readCopies()
	s.readFetchedCode()
	s.readSentEnvironment()
	s.readHiddenCode()
	s.readConditions()
	s.readBodies()
	slices.SortStableFunc(s.out, func(a, b sink.Site) int {
		return cmp.Or(strings.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Start, b.At.Start), strings.Compare(string(a.Kind), string(b.Kind)))
	})
	s.out = slices.CompactFunc(s.out, func(a, b sink.Site) bool { return a.Kind == b.Kind && a.At == b.At })
	all := slices.Clone(s.out)
	s.out = slices.DeleteFunc(s.out, func(a sink.Site) bool {
		return slices.ContainsFunc(all, func(b sink.Site) bool {
			return a.Kind == b.Kind && a.Name == b.Name && sink.IsOtherBuild(a.At.File, b.At.File)
		})
	})
	return s.out
}

// unprotected returns of functions that answer resources, prompts and routes those that anybody reaches: no routes where the program
// asks for a credential or compares Host or Origin.
func (s *surveyor) unprotected(others []sink.Handler) []sink.Handler {
	isRoute := func(h sink.Handler) bool { return h.Via == sink.ByRoute }
	if !slices.ContainsFunc(others, isRoute) {
		return others
	}
	if guards := s.readGuards(); guards.authenticates || guards.compares {
		return slices.DeleteFunc(others, isRoute)
	}
	return others
}

// namesOf returns what a call calls outside of the program, "express().listen" or ".listen", where that can be one of some names: by its
// last word, or because it is an imported name, which may be another one's alias. Other calls are not resolved, which takes time.
func (s *surveyor) namesOf(c *ir.Expr, wanted []string) []string {
	if c.X == nil || !slices.ContainsFunc(wanted, func(name string) bool { return strings.HasSuffix(name, c.X.Text) && lastWord(name) == c.X.Text }) && c.X.Binding().Import == nil {
		return nil
	}
	names, known := s.named[c]
	if !known {
		names = s.g.NamesOf(c)
		s.named[c] = names
	}
	return names
}

// calls reports whether a call calls something whose name ends so.
func (s *surveyor) calls(c *ir.Expr, suffixes ...string) (name string, ok bool) {
	for _, n := range s.namesOf(c, suffixes) {
		for _, suffix := range suffixes {
			if strings.HasSuffix(n, suffix) {
				return n, true
			}
		}
	}
	return "", false
}

func (s *surveyor) report(kind sink.SiteKind, e *ir.Expr, name, why string) {
	if len(s.out) < maxSites {
		s.out = append(s.out, sink.Site{Kind: kind, At: callgraph.PlaceOf(e), Name: name, Why: why})
	}
}

// constants returns the texts that an expression can be, as far as the source holds them: "0.0.0.0" of HOST || "0.0.0.0".
func (s *surveyor) constants(e *ir.Expr, depth int) (out []string) {
	if e == nil || depth > 5 {
		return nil
	}
	out = s.g.Texts(e, nil)
	d := s.g.Definition(e)
	switch {
	case len(out) > 0:
	case d.Is(ir.Either, ir.List):
		for _, a := range d.Args {
			out = append(out, s.constants(a.Value, depth+1)...)
		}
	case d.Kind == ir.Call && len(d.Args) > 1: // os.getenv("HOST", "0.0.0.0")
		return s.constants(d.Arg(len(d.Args)-1), depth+1)
	case s.g.ListOf(d) != nil: // any element of it
		return s.constants(s.g.ListOf(d), depth+1)
	case d.Binding().Param != nil:
		return s.givenTexts(d.Binding().Param, depth+1)
	}
	return out
}

// givenTexts returns the texts that a parameter of a named function is given where it is called, nil where one of them is not known.
func (s *surveyor) givenTexts(p *ir.Param, depth int) (out []string) {
	if p.Func == nil || p.Func.Name == "" {
		return nil
	}
	for _, c := range s.g.CallsOf(p.Func.Name) {
		texts := s.constants(callgraph.ArgumentOf(p, c.Args), depth)
		if len(texts) == 0 {
			return nil
		}
		out = append(out, texts...)
	}
	return out
}

func (s *surveyor) isTrue(e *ir.Expr) bool {
	return e != nil && strings.EqualFold(s.g.Definition(e).Text, "true")
}
