package discover

import (
	"fmt"
	"path"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
)

// Limits on what is read below one folder.
const (
	maxWalked = 200_000
	maxDeep   = 40
)

// skipped lists folders that agents do not read by themselves: installed packages, and tools' data. __pycache__ is none of them: Python
// runs the bytecode of a skill from it.
var skipped = map[string]bool{".git": true, ".hg": true, ".svn": true, "node_modules": true, "site-packages": true, ".venv": true, "venv": true, ".tox": true}

// A treeFile is a file found by a walk: its path, and its slash-separated path relative to the folder.
type treeFile struct{ path, rel string }

// A walk lists the files below a folder. Links are followed if they stay below it or, in the user's own folders, wherever they
// lead.
type walk struct {
	Host
	root     string
	within   bool // do not follow links out of the root
	folders  map[string]bool
	files    []treeFile
	looked   int
	problems []finding.Problem
}

// walkTree lists the files below dir in lexical order.
func (h Host) walkTree(dir string, within bool) *walk {
	w := &walk{Host: h, within: within, folders: map[string]bool{}}
	w.root, _ = h.FS.Resolve(dir)
	w.folder(dir, "", 0)
	return w
}

func (w *walk) problem(kind finding.ProblemKind, file, format string, args ...any) {
	if len(w.problems) < maxNames {
		w.problems = append(w.problems, finding.Problem{Kind: kind, Message: fmt.Sprintf(format, args...), Location: finding.Location{File: file}, Input: -1})
	}
}

func (w *walk) folder(dir, rel string, depth int) {
	real, err := w.FS.Resolve(dir)
	if err != nil || w.folders[real] { // a link back to a visited folder
		return
	}
	w.folders[real] = true
	if depth > maxDeep {
		w.problem(finding.Limit, dir, "more than %d folders deep: not read", maxDeep)
		return
	}
	names, err := w.FS.ReadDir(dir)
	if err != nil && !missing(err) {
		w.problem(finding.Unread, dir, "the folder cannot be read: %s", reasonWithoutPath(err))
	}
	for _, name := range names {
		if w.looked++; w.looked > maxWalked {
			if w.looked == maxWalked+1 {
				w.problem(finding.Limit, dir, "more than %d files and folders: the rest was not looked at", maxWalked)
			}
			return
		}
		p := w.joinPath(dir, name)
		mode, err := w.FS.Mode(p)
		switch {
		case err == nil && mode.IsDir() && !(w.within && w.leadsOut(p)):
			if !skipped[name] {
				w.folder(p, path.Join(rel, name), depth+1)
			}
		default: // broken links and links out of the root: reading the file reports them
			w.files = append(w.files, treeFile{p, path.Join(rel, name)})
		}
	}
}

// leadsOut reports whether a path is a link to something outside the root.
func (w *walk) leadsOut(p string) bool {
	real, err := w.FS.Resolve(p)
	return err == nil && real != w.root && !strings.HasPrefix(real, strings.TrimRight(w.root, `/\`)+w.joinPath("", "")[:1])
}

// glob returns the paths that match a pattern in lexical order; * matches one name, a final ** all files below.
func (h Host) glob(pattern string, walked func(*walk)) []string {
	at := strings.IndexByte(pattern, '*')
	if at < 0 {
		return []string{pattern}
	}
	from := strings.LastIndexAny(pattern[:at], `/\`)
	dir := pattern[:from]
	part, rest := pattern[from+1:], ""
	if end := strings.IndexAny(part, `/\`); end >= 0 {
		part, rest = part[:end], part[end+1:]
	}
	if part == "**" {
		if mode, err := h.FS.Mode(dir); err == nil && mode.IsDir() {
			walked(h.walkTree(dir, false))
		}
		return nil
	}
	names, err := h.FS.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, name := range names {
		if ok, _ := path.Match(part, name); !ok || rest == "" && part == "*" && !configurationName(name) {
			continue
		}
		next := h.joinPath(dir, name)
		if rest != "" {
			out = append(out, h.glob(h.joinPath(next, slashed(rest)), walked)...)
		} else {
			out = append(out, next)
		}
		if len(out) >= maxNames {
			break
		}
	}
	return out
}

func configurationName(name string) bool {
	return ends(name, ".json", ".yaml", ".yml", ".hook")
}

// A source reads files one after the other, each once, within a total limit.
type source struct {
	Host
	out    []config.File
	seen   map[string]bool
	looked map[string]bool // folders that were searched for clients nobody knows
	bytes  int
	full   bool
}

// maxTotal bounds the bytes of agent files read in one run.
const maxTotal = 256 << 20

func (s *source) read(p string, hint Hint) {
	key := string(hint.Client) + "\x00" + p
	if s.seen[p] || s.seen[key] {
		return
	}
	s.seen[p] = true
	if s.bytes > maxTotal {
		if !s.full {
			s.out = append(s.out, failedAs(finding.Limit, p, hint, fmt.Sprintf("more than %d MB of files for agents: the rest was not read", maxTotal>>20)))
		}
		s.full = true
		return
	}
	files := s.readFiles(p, hint)
	for i := range files {
		s.bytes += len(files[i].Text)
	}
	s.out = append(s.out, files...)
}

// add records what failed during a walk, as unread files.
func (s *source) add(problems []finding.Problem, hint Hint) {
	for _, p := range problems {
		s.out = append(s.out, failedAs(p.Kind, p.Location.File, hint, p.Message))
	}
}
