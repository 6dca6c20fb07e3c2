package scanrun

import (
	"path"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/run/sourcecode"
	"gauntlet/internal/run/target"
	"gauntlet/result"
	"gauntlet/sink"
)

// An extracted is a server whose definitions were read from its source because no live server was available.
type extracted struct {
	origin string
	dir    string
	tools  map[string]*sink.Definition
}

// addExtracted adds the source's definitions to the catalog, so that the checks of definitions run on them.
func (s *Scan) addExtracted() {
	definitions := s.source.Definitions
	if len(definitions) == 0 {
		return
	}
	e := &extracted{origin: "definitions read from the source in " + s.SourceDir, dir: s.SourceDir, tools: map[string]*sink.Definition{}}
	for i := range definitions {
		e.tools[definitions[i].Tool] = &definitions[i]
	}
	text := sourcecode.Snapshot(definitions)
	limits := s.Reader.Limits
	limits.Bytes = len(text)
	c := &s.Gathered.Catalog
	if err := c.Add("", text, limits); err != nil {
		s.failures = append(s.failures, target.Failure(&target.Target{File: s.SourceDir}, err))
		return
	}
	c.Documents[len(c.Documents)-1].Origin = e.origin
	s.extracted = e
	if unknown := e.unknown(); len(unknown) > 0 {
		s.Say("%s: %d of %d definitions are incomplete in the source: what the server builds at run time was not checked (%s)",
			s.SourceDir, len(unknown), len(definitions), nameSome(unknown))
	}
}

func (e *extracted) unknown() (out []string) {
	for name, d := range e.tools {
		if len(d.Unknown) > 0 {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func nameSome(names []string) string {
	const few = 3
	text := strings.Join(names[:min(few, len(names))], ", ")
	if len(names) > few {
		text += ", …"
	}
	return text
}

// needsWhole maps checks that report what a definition lacks to the part that must be known for that.
var needsWhole = map[finding.Rule]string{
	"SEC-007": "inputSchema", // parameters in the description that the schema lacks
	"SEC-009": "annotations",
}

// needsServer are the checks of what only a live server says about itself: its version.
var needsServer = []finding.Rule{"SEC-016"}

// settle moves findings about extracted definitions to their places in the source, and drops those that rest on the absence of
// something unknown.
func (e *extracted) settle(r *result.Report) {
	r.Findings = slices.DeleteFunc(r.Findings, func(f finding.Finding) bool {
		if f.Location.Origin != e.origin {
			return false
		}
		d := e.tools[f.Location.Item]
		part := needsWhole[f.Rule]
		return slices.Contains(needsServer, f.Rule) || d != nil && part != "" && slices.ContainsFunc(d.Unknown, func(u string) bool { return strings.HasPrefix(u, part) })
	})
	alone := true
	for i := range r.Coverage.Servers {
		s := &r.Coverage.Servers[i]
		alone = alone && s.Origin == e.origin
		for j := range s.Lists {
			if l := &s.Lists[j]; s.Origin == e.origin && l.Kind != finding.Tool && l.Kind != finding.Server {
				l.State = result.StateUnread
			}
		}
	}
	for i := range r.Posture {
		if s := &r.Posture[i]; alone && s.ID == "output-schemas" && s.State == result.NotSeen {
			s.State, s.Detail = result.NeedsProbe, "sources are not read for schemas of results; the live server shows them"
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		e.place(&f.Location)
		for j := range f.Related {
			e.place(&f.Related[j])
		}
	}
}

// place moves a location to its tool's declaration.
func (e *extracted) place(l *finding.Location) {
	d := e.tools[l.Item]
	if l.Origin != e.origin || d == nil || l.File != "" {
		return
	}
	l.File, l.Line = path.Join(e.dir, d.At.File), d.At.Line
	l.Column, l.EndLine, l.EndColumn = 0, 0, 0
}
