package survey

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// archives are packages that list the entries of archives, by how their names begin.
var archives = []string{"zipfile.", "tarfile.", "adm-zip", "unzipper", "yauzl", "jszip", "JSZip", "tar-stream", "node-stream-zip", "archive/zip.", "archive/tar.", "py7zr.", "rarfile."}

// entryNames are members of an entry that hold its name.
var entryNames = map[string]bool{"filename": true, "name": true, "entryName": true, "fileName": true, "path": true, "Name": true, "orig_filename": true}

// containments are what functions that keep a path inside a directory ask.
var containments = []string{"startsWith", "startswith", "HasPrefix", "is_relative_to", "relative_to", "relative", "Rel", "IsLocal", "commonpath", "basename", "Base", "normalize_and_check", "includes", "Contains", "parents", "OpenRoot"}

// readArchives notes entries of archives whose names become paths, and tarfile's own extraction without a filter.
func (s *surveyor) readArchives() {
	words := []string{"zipfile", "tarfile", "adm-zip", "unzipper", "yauzl", "jszip", "tar-stream", "node-stream-zip", "archive/zip", "archive/tar", "py7zr", "rarfile"}
	fits := s.filesWith(words...)
	if len(fits) == 0 {
		return
	}
	contained := map[*ir.Func]bool{}
	for _, c := range s.g.Program().Calls {
		if !fits[c.Scope.File] || c.X == nil {
			continue
		}
		if s.lang == "python" && (c.X.Text == "extractall" || c.X.Text == "extract") {
			s.noteUnfiltered(c)
			continue
		}
		if c.X.Text != "join" && c.X.Text != "resolve" && c.X.Text != "Join" || len(c.Args) < 2 {
			continue
		}
		last := c.Args[len(c.Args)-1].Value
		if last != nil && last.Kind == ir.Attr && entryNames[last.Text] && s.isArchiveEntry(last.X) && !isContained(c, contained) {
			s.report(sink.ArchiveEntry, c, "entry", "the name of an archive's entry becomes a path, and nothing refuses ../ or keeps the result inside the directory")
		}
	}
}

// noteUnfiltered notes extractall() of tarfile without filter=: before Python 3.14 it writes wherever the archive says.
func (s *surveyor) noteUnfiltered(c *ir.Expr) {
	if c.Option("filter") != nil || c.Option("members") != nil {
		return
	}
	for _, n := range s.g.NamesOf(c) {
		if strings.HasPrefix(n, "tarfile.") {
			s.report(sink.ArchiveEntry, c, "extractall", "a tar archive is extracted without filter=\"data\": before Python 3.14 its entries are written wherever they say")
			return
		}
	}
}

// isArchiveEntry reports whether an expression is an entry of an archive, as far as its name can be resolved.
func (s *surveyor) isArchiveEntry(e *ir.Expr) bool {
	return s.finds(e, func(x *ir.Expr) verdict {
		n := s.g.Outside(x, callgraph.Context{})
		if slices.ContainsFunc(archives, func(a string) bool { return strings.HasPrefix(n, a) }) {
			return yes
		}
		return goOn
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
		found = found || e.Holds(func(x *ir.Expr) bool {
			return (x.Kind == ir.Attr || x.Kind == ir.Name) && slices.Contains(containments, x.Text)
		})
	})
	known[fn] = found
	return found
}
