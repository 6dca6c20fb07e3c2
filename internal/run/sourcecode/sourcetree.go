package sourcecode

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/leaf/charset"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/run/userfile"
	"gauntlet/sink"
)

// treeLimits bounds what is read. A zero field means its default.
type treeLimits struct {
	Files     int   // 20,000
	FileBytes int64 // 8 MiB
	Bytes     int64 // 256 MiB, all files together
	Entries   int   // 200,000 files and directories visited
	Depth     int   // 40 directories below the root
}

func (l treeLimits) limitsOrDefaults() treeLimits {
	return treeLimits{
		Files: cmp.Or(l.Files, 20_000), FileBytes: cmp.Or(l.FileBytes, 8<<20), Bytes: cmp.Or(l.Bytes, 256<<20),
		Entries: cmp.Or(l.Entries, 200_000), Depth: cmp.Or(l.Depth, 40),
	}
}

// skipped directories hold what is not the server's own code: dependencies, caches, tests.
var skipped = map[string]bool{
	"node_modules": true, "bower_components": true, "vendor": true, "site-packages": true, "dist-packages": true,
	"__pycache__": true, "venv": true, "testdata": true, "test": true, "tests": true,
	"__tests__": true, "__mocks__": true, "fixtures": true, "e2e": true, "coverage": true,
}

// Skips reports whether a directory is skipped by name, including hidden ones.
func Skips(dir string) bool {
	return skipped[dir] || len(dir) > 1 && strings.HasPrefix(dir, ".") || strings.HasSuffix(dir, "-tests") || strings.HasSuffix(dir, "_tests")
}

// beside are directories with examples or benchmarks, read only if there is no other source.
var beside = map[string]bool{
	"example": true, "examples": true, "sample": true, "samples": true, "demo": true, "demos": true, "benchmark": true, "benchmarks": true, "evals": true, "docs": true,
}

// code are the extensions of source files.
var code = map[string]bool{".js": true, ".mjs": true, ".cjs": true, ".jsx": true, ".ts": true, ".mts": true, ".cts": true, ".tsx": true, ".go": true}

// foreign are the extensions of programs, and of what holds programs, that are not read.
var foreign = strings.Fields(".bash .bat .c .cc .clj .cpp .cs .cxx .dart .erl .ex .exs .fs .groovy .hs .ipynb .java .jl .kt .kts .lua .ml .nim .php .pl .ps1 .pyc .pyx .pyz .r .rb .rs .scala .sh .svelte .swift .vb .vue .zig .zsh")

// foreignKind returns the kind of a program that is not read: its extension, or its first line where it has none; "" for anything else.
func (r *reader) foreignKind(name string, d fs.DirEntry) string {
	switch ext := strings.ToLower(path.Ext(name)); {
	case slices.Contains(foreign, ext):
		return ext
	case ext != "" || !d.Type().IsRegular(): // opening a pipe waits
		return ""
	}
	f, err := r.root.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	if begin, _ := io.ReadAll(io.LimitReader(f, int64(len(shebang)))); string(begin) == shebang {
		return shebang
	}
	return ""
}

const shebang = "#!"

// notRead says which programs were not read of those beside the handlers, one line a kind: a server in two languages hides in the
// second one. Programs elsewhere, such as a project's scripts, serve no tools.
func notRead(others map[string][]string, handlers []sink.Handler) (out []finding.Problem) {
	for _, kind := range slices.Sorted(maps.Keys(others)) {
		beside := slices.DeleteFunc(others[kind], func(file string) bool {
			return !slices.ContainsFunc(handlers, func(h sink.Handler) bool { return path.Dir(h.At.File) == path.Dir(file) })
		})
		if len(beside) == 0 {
			continue
		}
		message := "not read, beside a handler: " + excerpt.Count(len(beside), kind+" file")
		if kind == shebang {
			message = "not read, beside a handler: " + excerpt.Count(len(beside), "program without an extension")
		}
		out = append(out, finding.Problem{Kind: finding.Unread, Message: message, Location: finding.Location{File: beside[0]}, Input: -1})
	}
	return out
}

// isPython reports whether a file's name is one of those that Python runs.
func isPython(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".py" || ext == ".pyw"
}

// declares reports whether a file contains type declarations only.
func declares(name string) bool { return declarationName.MatchString(name) }

var (
	declarationName = lazyregexp.New(`\.d\.[mc]?ts$`)
	testName        = lazyregexp.New(`_test\.(go|py)$|^conftest\.py$|^test_.*\.py$|\.test\.|\.spec\.`)
)

// tests reports whether a file's name marks it as a test.
func tests(name string) bool { return testName.MatchString(name) }

// readTree returns the files below dir whose names wanted accepts, in lexical order, programs of other kinds by kind, and problems:
// unreadable files, and what limits cut off. Dependencies, tests and hidden folders are skipped unless a read file names one of their files. Names of
// directories above dir do not matter. An error says that dir itself is unreadable or that ctx is done.
func readTree(ctx context.Context, dir string, wanted func(name string) bool, limits treeLimits) ([]sink.File, map[string][]string, []finding.Problem, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, nil, nil, err
	}
	if !info.IsDir() {
		return nil, nil, nil, fmt.Errorf("%s: not a directory", dir)
	}
	root, err := os.OpenRoot(dir) // nothing outside is opened, whatever links there are
	if err != nil {
		return nil, nil, nil, err
	}
	defer root.Close()
	r := &reader{ctx: ctx, root: root, wanted: wanted, limits: limits.limitsOrDefaults(), listed: map[string]map[string]bool{}, others: map[string][]string{}}
	err = fs.WalkDir(root.FS(), ".", r.visit)
	if r.code == 0 {
		for _, dir := range r.aside {
			if err == nil {
				r.only = dir
				err = fs.WalkDir(root.FS(), dir, r.visit)
			}
		}
	}
	if err == nil {
		err = r.followImports()
	}
	if err != nil && !errors.Is(err, errEnough) {
		return nil, nil, nil, err
	}
	slices.SortFunc(r.files, func(a, b sink.File) int { return strings.Compare(a.Path, b.Path) })
	if r.linked > 0 {
		r.noteProblem(finding.Unread, r.firstLink, fmt.Sprintf("%d symbolic links were not followed", r.linked))
	}
	return r.files, r.others, r.problems, nil
}

var errEnough = errors.New("a limit was reached")

type reader struct {
	ctx       context.Context // for this walk only
	root      *os.Root
	wanted    func(string) bool
	limits    treeLimits
	entries   int
	code      int                        // files other than manifests and settings
	aside     []string                   // deferred directories: see beside
	only      string                     // the one of these that is read
	listed    map[string]map[string]bool // regular files by folder, see list
	bytes     int64
	linked    int
	firstLink string
	files     []sink.File
	others    map[string][]string // programs that are not read, by kind
	problems  []finding.Problem
}

func (r *reader) noteProblem(kind finding.ProblemKind, file, message string) {
	const enough = 200
	if len(r.problems) < enough {
		r.problems = append(r.problems, finding.Problem{Kind: kind, Message: message, Location: finding.Location{File: file}, Input: -1})
	}
}

func (r *reader) noteUnread(file string, err error) {
	r.noteProblem(finding.Unread, file, userfile.Reason(err).Error())
}

func (r *reader) noteTooMany(at string) {
	r.noteProblem(finding.Limit, at, fmt.Sprintf("more than %d files and directories: the rest was not looked at", r.limits.Entries))
}

func (r *reader) visit(name string, d fs.DirEntry, err error) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if err != nil {
		r.noteUnread(name, err)
		if d != nil && d.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	if r.entries++; r.entries > r.limits.Entries {
		r.noteTooMany(name)
		return errEnough
	}
	if d.IsDir() {
		switch {
		case name != "." && name != r.only && beside[path.Base(name)] && r.only == "":
			r.aside = append(r.aside, name)
			return fs.SkipDir
		case name != "." && (Skips(path.Base(name)) || r.virtualenv(name)):
			return fs.SkipDir
		case strings.Count(name, "/") >= r.limits.Depth:
			r.noteProblem(finding.Limit, name, fmt.Sprintf("more than %d directories deep: not read", r.limits.Depth))
			return fs.SkipDir
		}
		return nil
	}
	base, link := path.Base(name), d.Type()&fs.ModeSymlink != 0
	if link && !Skips(base) && r.leadsAside(name) {
		r.noteProblem(finding.Unread, name, "a link to a directory that is not read: not followed")
		return nil
	}
	if kind := r.foreignKind(name, d); kind != "" {
		r.others[kind] = append(r.others[kind], name) // some are read, too, for the secrets in them
	}
	if !r.wanted(base) || tests(base) || declares(base) {
		return nil
	}
	if link {
		if r.linked++; r.linked == 1 {
			r.firstLink = name
		}
		return nil
	}
	if !d.Type().IsRegular() {
		r.noteProblem(finding.Unread, name, "not a regular file: not read")
		return nil
	}
	return r.readSourceFile(name)
}

// leadsAside reports whether a link leads to a directory that is not read under its own name.
func (r *reader) leadsAside(link string) bool {
	at := filepath.Join(r.root.Name(), filepath.FromSlash(link))
	if info, err := os.Stat(at); err != nil || !info.IsDir() {
		return false
	}
	real, err := filepath.EvalSymlinks(at)
	if err != nil {
		return true
	}
	root, err := filepath.EvalSymlinks(r.root.Name())
	if err != nil {
		return true
	}
	within, err := filepath.Rel(root, real)
	return err != nil || !filepath.IsLocal(within) || slices.ContainsFunc(strings.Split(filepath.ToSlash(within), "/"), Skips)
}

// virtualenv reports whether a directory is a Python environment, whatever its name.
func (r *reader) virtualenv(dir string) bool {
	_, err := r.root.Lstat(path.Join(dir, "pyvenv.cfg"))
	return err == nil
}

func (r *reader) readSourceFile(name string) error {
	if len(r.files) >= r.limits.Files {
		r.noteProblem(finding.Limit, name, fmt.Sprintf("more than %d source files: the rest was not read", r.limits.Files))
		return errEnough
	}
	f, err := r.root.Open(name)
	if err != nil {
		r.noteUnread(name, err)
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, r.limits.FileBytes+1))
	switch {
	case err != nil:
		r.noteUnread(name, err)
		return nil
	case int64(len(text)) > r.limits.FileBytes:
		r.noteProblem(finding.Limit, name, fmt.Sprintf("longer than %d bytes: not read", r.limits.FileBytes))
		return nil
	}
	if r.bytes += int64(len(text)); r.bytes > r.limits.Bytes {
		r.noteProblem(finding.Limit, name, fmt.Sprintf("more than %d bytes of source: the rest was not read", r.limits.Bytes))
		return errEnough
	}
	text = []byte(charset.Decode(string(text)))
	if path.Ext(name) != ".go" {
		endLines(text)
	}
	if coding := strangeCoding(text); coding != "" && isPython(name) {
		r.noteProblem(finding.Unread, name, fmt.Sprintf("it declares the encoding %s, in which code is not read", excerpt.Clip(coding, 40)))
	}
	if code[path.Ext(name)] || isPython(name) {
		r.code++
	}
	r.files = append(r.files, sink.File{Path: name, Text: text})
	return nil
}

// endLines replaces the old line end CR, which ends lines for Python and JavaScript, too, and would hide the rest of a text behind its
// first comment.
func endLines(text []byte) {
	for i, c := range text {
		if c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			text[i] = '\n'
		}
	}
}

// codingLine matches the encoding comment in a Python source's first two lines (PEP 263).
var codingLine = lazyregexp.New(`^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)`)

// asciiCodings are name prefixes of encodings that agree with UTF-8 on ASCII, and so on all code. In others "+AGUAdgBhAGw-" may be
// a call: UTF-7, unicode_escape, rot13 and registered ones.
var asciiCodings = []string{"utf-8", "utf8", "u8", "ascii", "us-ascii", "646", "latin", "l1", "iso-8859", "iso8859", "8859", "cp1", "cp4", "cp8", "cp9", "windows-125", "koi8", "mac", "gb", "big5", "euc", "shift-jis", "sjis", "s-jis", "tis-620"}

// strangeCoding returns a Python source's encoding if its bytes do not read as Python reads them, or "".
func strangeCoding(text []byte) string {
	for range 2 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		if m := codingLine.FindStringSubmatch(string(line[:min(len(line), longestLine)])); m != nil {
			name := strings.ReplaceAll(strings.ToLower(m[1]), "_", "-")
			for _, known := range asciiCodings {
				if strings.HasPrefix(name, known) {
					return ""
				}
			}
			return m[1]
		}
		text = rest
	}
	return ""
}
