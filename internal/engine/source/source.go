// Package source analyses the sources of a server in all languages that can be read: files
// in, for each tool its handler and what it reaches out.
package source

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/lang/golang"
	"gauntlet/internal/engine/lang/python"
	"gauntlet/internal/engine/lang/typescript"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/sink"
)

// A language reads files of its own.
type language struct {
	name    string
	reads   func(name string) bool
	analyse func(files []sink.File, tools []string, stop func() bool) (*sink.Sources, map[int]error)
}

func languages() []language {
	return []language{
		{"Python", python.Reads, python.Analyse},
		{"TypeScript and JavaScript", typescript.Reads, typescript.Analyse},
		{"Go", golang.Reads, golang.Analyse},
	}
}

// manifests say what a package is called and are no code.
var manifests = map[string]bool{"go.mod": true, "package.json": true, "pyproject.toml": true, "requirements.txt": true}

// Reads reports whether a file of that name is the source of a language that is analysed, or may hold credentials.
func Reads(name string) bool {
	base := path.Base(name)
	return holdsSettings(base) || slices.ContainsFunc(languages(), func(l language) bool { return l.reads(base) })
}

// ErrNoHandlers: the sources were read and hold no handler of any tool, so they say nothing
// about what the tools do. It is no answer that they do nothing.
var ErrNoHandlers = errors.New("no handler of any tool was found in the sources")

// ErrNoSources: there was no file to read.
var ErrNoSources = errors.New("no source file in Python, JavaScript, TypeScript or Go was found")

// Analyse finds the handlers in files. tools are the names of the tools that the server lists,
// where they are known. stop, which may be nil, is asked now and then whether to give up; files
// that were not read because of it are problems, as are those that could not be read at all.
//
// The error is ErrNoSources or ErrNoHandlers.
func Analyse(files []sink.File, tools []string, stop func() bool) (*sink.Sources, []finding.Problem, error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b sink.File) int { return cmp.Compare(a.Path, b.Path) })
	out := &sink.Sources{}
	var problems []finding.Problem
	seen := 0
	for _, l := range languages() {
		var own []sink.File
		code := 0
		for _, f := range files {
			if l.reads(path.Base(f.Path)) {
				own = append(own, f)
				if !manifests[path.Base(f.Path)] {
					code++
				}
			}
		}
		seen += code
		if code == 0 {
			continue
		}
		found, errs, failed := attempt(l, own, tools, stop)
		if failed != "" {
			problems = append(problems, newProblem(finding.Failed, own[0].Path, fmt.Sprintf("the analysis of %d source files in %s failed: %s", code, l.name, failed)))
			continue
		}
		for i, f := range own {
			if err := errs[i]; err != nil {
				problems = append(problems, newProblem(finding.Unread, f.Path, err.Error()))
			}
		}
		joinSources(out, found)
	}
	sortSources(out, tools)
	out.Sites = append(out.Sites, findSecrets(files, stop)...)
	if len(tools) == 0 { // else the server's list says how many there should be
		problems = append(problems, handlersMissing(out)...)
		problems = append(problems, parametersMissing(out)...)
	}
	switch {
	case seen == 0:
		return out, problems, ErrNoSources
	case len(out.Handlers) == 0:
		return out, problems, ErrNoHandlers
	}
	return out, problems, nil
}

// maxPlaces is how many of the registrations that are not recognised are named.
const maxPlaces = 5

// handlersMissing says that tools are registered in a way that is not recognised, or that handlers were found for fewer than half of
// what the sources declare; where there is none at all, the analysis ends in an error.
func handlersMissing(s *sink.Sources) []finding.Problem {
	n := len(s.Handlers)
	declared, what := s.ToolClasses, "classes of tools"
	if missing := s.Missing(); len(missing) > 0 && n+len(missing) > declared {
		declared, what = n+len(missing), "tools"
	}
	if n == 0 {
		return nil
	}
	if p := unrecognised(s); p != nil {
		return p
	}
	if 2*n >= declared {
		return nil
	}
	return []finding.Problem{newProblem(finding.Unread, "", fmt.Sprintf("the sources declare %d %s, and handlers were found for %d: the rest was not analysed", declared, what, n))}
}

// fewestSilent is how many tools with parameters make it a contradiction that nothing of any parameter arrives anywhere.
const fewestSilent = 4

// parametersMissing says that handlers were found for tools with parameters, and that no parameter could be followed to any call that
// leaves the program: then the way of the values is not understood, and that nothing was found means nothing.
func parametersMissing(s *sink.Sources) []finding.Problem {
	by := s.ByTool()
	n := 0
	for _, d := range s.Definitions {
		h := by[d.Tool]
		if h == nil || h.Via == sink.ByFallback || !d.HasParameters() {
			continue
		}
		if h.Arrives {
			return nil
		}
		n++
	}
	if n < fewestSilent {
		return nil
	}
	return []finding.Problem{newProblem(finding.Unread, "", fmt.Sprintf("handlers were found for %d tools with parameters, and none of these could be followed to what the handlers call: where values go was not understood, so the flows of these tools were not analysed", n))}
}

// unrecognised says which tools seem to be registered in a way that is not known, unless a handler was found for them elsewhere.
func unrecognised(s *sink.Sources) []finding.Problem {
	by := s.ByTool()
	var places []string
	var unnamed []finding.Problem
	n := 0
	for _, r := range s.Unrecognised {
		at := fmt.Sprintf("%s:%d", excerpt.Clip(r.At.File, 200), r.At.Line)
		if r.Name == "" && len(unnamed) < maxPlaces {
			unnamed = append(unnamed, newProblem(finding.Unread, r.At.File, "tools are registered at "+at+" whose names the sources do not fix: they were not analysed"))
		}
		if r.Name == "" || by[r.Name] != nil {
			continue
		}
		if n++; n <= maxPlaces {
			places = append(places, r.Name+" ("+at+")")
		}
	}
	if n == 0 {
		return unnamed
	}
	what := "tools"
	if n == 1 {
		what = "tool"
	}
	if n > maxPlaces {
		places = append(places, "…")
	}
	return append(unnamed, newProblem(finding.Unread, "", fmt.Sprintf("handlers were found for %d tools, and the sources seem to register %d further %s in a way that is not recognised, which was not analysed: %s",
		len(s.Handlers), n, what, strings.Join(places, ", "))))
}

// attempt keeps what goes wrong in one language from the others.
func attempt(l language, files []sink.File, tools []string, stop func() bool) (found *sink.Sources, errs map[int]error, failed string) {
	defer func() {
		if e := recover(); e != nil {
			failed = fmt.Sprint(e)
		}
	}()
	found, errs = l.analyse(files, tools, stop)
	return found, errs, ""
}

// joinSources adds what one language found. A tool that two languages answer keeps both: which of
// them the server runs is not known.
func joinSources(out, found *sink.Sources) {
	out.Files += found.Files
	out.ToolClasses += found.ToolClasses
	out.Unrecognised = append(out.Unrecognised, found.Unrecognised...)
	out.Listed = append(out.Listed, found.Listed...)
	out.Sites = append(out.Sites, found.Sites...)
	for _, d := range found.Definitions {
		if !slices.ContainsFunc(out.Definitions, func(have sink.Definition) bool { return have.Tool == d.Tool }) {
			out.Definitions = append(out.Definitions, d)
		}
	}
	out.Resources = append(out.Resources, found.Resources...)
	out.Handlers = slices.Grow(out.Handlers, len(found.Handlers)) // so that nothing moves below
	by := out.ByTool()
	for _, h := range found.Handlers {
		have := by[h.Tool]
		switch {
		case have == nil:
			out.Handlers = append(out.Handlers, h)
			by[h.Tool] = &out.Handlers[len(out.Handlers)-1]
		case have.Via == sink.ByFallback && h.Via != sink.ByFallback:
			*have = h
		case h.Via != sink.ByFallback:
			have.Join(h)
		}
	}
}

func sortSources(out *sink.Sources, tools []string) {
	out.Listed = append(out.Listed, tools...)
	slices.Sort(out.Listed)
	out.Listed = slices.Compact(out.Listed)
	slices.SortFunc(out.Definitions, func(a, b sink.Definition) int { return strings.Compare(a.Tool, b.Tool) })
	slices.SortFunc(out.Handlers, func(a, b sink.Handler) int { return strings.Compare(a.Tool, b.Tool) })
}

func newProblem(kind finding.ProblemKind, file, message string) finding.Problem {
	return finding.Problem{Kind: kind, Message: message, Location: finding.Location{File: file}, Input: -1}
}
