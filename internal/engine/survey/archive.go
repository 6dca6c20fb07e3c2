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
	for _, c := range s.callsIn(archives...) {
		switch c.Calls() {
		case "extractall", "extract":
			if s.lang == "python" {
				s.noteUnfiltered(c)
			}
		case "join", "resolve", "Join":
			if last := c.Arg(len(c.Args) - 1); len(c.Args) > 1 && s.isEntryName(last) && !s.isContained(c, rootName(last)) {
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
	eachPart(fn.Body, func(x *ir.Expr) {
		if x.Kind == ir.Attr && x.Text == member {
			n++
		}
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

// isEntryName reports whether an expression is the name of an entry: entry.filename, or one of zip.namelist().
func (s *surveyor) isEntryName(e *ir.Expr) bool {
	if e.Is(ir.Attr) {
		return entryNames[e.Text] && s.isArchiveEntry(e.X)
	}
	return e.Is(ir.Name) && s.g.Finds(e, func(x *ir.Expr) bool {
		return x.Kind == ir.Call && (x.Calls() == "namelist" || x.Calls() == "getnames") && s.isArchiveEntry(x.X.X)
	})
}

func rootName(e *ir.Expr) string {
	for e.Is(ir.Attr) {
		e = e.X
	}
	return e.Text
}

// isArchiveEntry reports whether an expression is an entry of an archive, as far as its name can be resolved.
func (s *surveyor) isArchiveEntry(e *ir.Expr) bool {
	return s.g.Finds(e, func(x *ir.Expr) bool {
		n := s.g.Outside(x, nil)
		return slices.ContainsFunc(archives, func(a string) bool { return strings.HasPrefix(n, a) })
	})
}

// isContained reports whether the function around a call compares a path that is made by it, or of the entry of that name.
func (s *surveyor) isContained(c *ir.Expr, entry string) bool {
	fn := c.Scope.Owner()
	if fn == nil {
		return false
	}
	paths := map[string]bool{entry: true}
	const renamed = 3 // target = join(…); full = resolve(target)
	for range renamed {
		for name, bindings := range c.Scope.Names {
			for _, b := range bindings {
				paths[name] = paths[name] || b.Value != nil && b.Value.Holds(func(x *ir.Expr) bool { return x == c || x.Is(ir.Name) && paths[x.Text] })
			}
		}
	}
	return s.g.Reaches(fn.Body, 0, func(x *ir.Expr) bool {
		return x.Is(ir.Call, ir.Attr) && slices.Contains(containments, x.Calls()+x.Text) && x.Holds(func(y *ir.Expr) bool { return y.Is(ir.Name) && paths[y.Text] })
	})
}
