package survey

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// archives are packages that list the entries of archives, by how their names begin.
var archives = []string{"zipfile", "tarfile", "adm-zip", "unzipper", "yauzl", "jszip", "JSZip", "tar-stream", "node-stream-zip", "archive/zip", "archive/tar", "py7zr", "rarfile"}

// entryNames are members of an entry that hold its name.
var entryNames = callgraph.Names("filename name entryName fileName path Name orig_filename")

// containments are what functions that keep a path inside a directory ask.
var containments = []string{"startsWith", "startswith", "HasPrefix", "is_relative_to", "relative_to", "relative", "Rel", "IsLocal", "commonpath", "basename", "Base", "normalize_and_check", "includes", "Contains", "parents", "OpenRoot"}

// readArchives notes entries of archives whose names become paths, and tarfile's own extraction without a filter.
func (s *surveyor) readArchives() {
	contained := map[*ir.Func]bool{}
	for _, c := range s.callsIn(archives...) {
		switch c.Calls() {
		case "extractall", "extract":
			if s.lang == "python" {
				s.noteUnfiltered(c)
			}
		case "join", "resolve", "Join":
			last := c.Arg(len(c.Args) - 1)
			if len(c.Args) > 1 && last.Is(ir.Attr) && entryNames[last.Text] && s.isArchiveEntry(last.X) && !isContained(c, contained) {
				s.report(sink.ArchiveEntry, c, "entry", "the name of an archive's entry becomes a path, and nothing refuses ../ or keeps the result inside the directory")
			}
		}
	}
}

// noteUnfiltered notes extractall() of tarfile without filter=: before Python 3.14 it writes wherever the archive says.
func (s *surveyor) noteUnfiltered(c *ir.Expr) {
	ofTar := func(n string) bool { return strings.HasPrefix(n, "tarfile.") }
	if c.Option("filter") == nil && c.Option("members") == nil && slices.ContainsFunc(s.g.NamesOf(c), ofTar) {
		s.report(sink.ArchiveEntry, c, "extractall", "a tar archive is extracted without filter=\"data\": before Python 3.14 its entries are written wherever they say")
	}
}

// isArchiveEntry reports whether an expression is an entry of an archive, as far as its name can be resolved.
func (s *surveyor) isArchiveEntry(e *ir.Expr) bool {
	return s.finds(e, func(x *ir.Expr) verdict {
		n := s.g.Outside(x, callgraph.Context{})
		return verdictIf(slices.ContainsFunc(archives, func(a string) bool { return strings.HasPrefix(n, a) }))
	})
}

// isContained reports whether the function around a call compares paths.
func isContained(c *ir.Expr, known map[*ir.Func]bool) bool {
	fn := c.Scope.Owner()
	if fn == nil {
		return false
	}
	found, ok := known[fn]
	if ok {
		return found
	}
	ir.EachExpr(fn.Body, func(e *ir.Expr) {
		found = found || e.Holds(func(x *ir.Expr) bool { return x.Is(ir.Attr, ir.Name) && slices.Contains(containments, x.Text) })
	})
	known[fn] = found
	return found
}
