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
			if len(c.Args) > 1 && last.Is(ir.Attr) && entryNames[last.Text] && s.isArchiveEntry(last.X) && !s.isContained(c, contained) {
				s.report(sink.ArchiveEntry, c, "entry", "the name of an archive's entry becomes a path, and nothing refuses ../ or keeps the result inside the directory")
			}
		case "Symlink", "symlink", "symlinkSync", "Link", "link", "linkSync":
			if to := c.Arg(0); to.Is(ir.Attr) && linkNames[to.Text] && s.isArchiveEntry(to.X) && mentions(c.Scope.Owner(), to.Text) == 1 {
				s.report(sink.ArchiveEntry, c, "link", "a link is made that leads where an archive's entry says, and nothing compares that: an entry behind it is written outside of the directory")
			}
		}
	}
}

// linkNames are members of an entry that hold what a link leads to.
var linkNames = callgraph.Names("Linkname linkname linkpath linkName")

// mentions counts the members of a name that a function asks for.
func mentions(fn *ir.Func, member string) (n int) {
	if fn == nil {
		return 1
	}
	ir.EachExpr(fn.Body, func(e *ir.Expr) {
		e.Holds(func(x *ir.Expr) bool {
			if x.Kind == ir.Attr && x.Text == member {
				n++
			}
			return false
		})
	})
	return n
}

// noteUnfiltered notes extractall() of tarfile without filter=: before Python 3.14 it writes wherever the archive says.
func (s *surveyor) noteUnfiltered(c *ir.Expr) {
	ofTar := func(n string) bool { return strings.HasPrefix(n, "tarfile.") }
	filter := c.Option("filter")
	none := filter == nil || slices.Contains(s.constants(filter, 0), "fully_trusted")
	if none && c.Option("members") == nil && slices.ContainsFunc(s.g.NamesOf(c), ofTar) {
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
func (s *surveyor) isContained(c *ir.Expr, known map[*ir.Func]bool) bool {
	fn := c.Scope.Owner()
	found, ok := known[fn]
	if fn != nil && !ok {
		found = s.g.Reaches(fn.Body, 0, func(x *ir.Expr) bool { return x.Is(ir.Attr, ir.Name) && slices.Contains(containments, x.Text) })
		known[fn] = found
	}
	return found
}
