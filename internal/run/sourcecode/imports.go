package sourcecode

import (
	"bytes"
	"iter"
	"path"
	"slices"
	"strings"

	"gauntlet/internal/leaf/charset"
)

// followImports reads files that the walk skipped by name but that a read file names, as a module, as a path or in pieces:
// require("./tests/helper"), from .vendor import http, join(__dirname, ".cache", "run.js"). A folder's name shows its purpose only
// among honest people. Imports between dependencies stay out: a name without a path, such as "lodash", does not count.
func (r *reader) followImports() error {
	have := map[string]bool{}
	for i := range r.files {
		have[r.files[i].Path] = true
	}
	for i := 0; i < len(r.files); i++ { // grows while found files name further ones
		from := r.files[i].Path
		for spec := range namedIn(from, r.files[i].Text) {
			for _, name := range r.skippedFiles(from, spec) {
				if have[name] {
					continue
				}
				have[name] = true
				if err := r.readSourceFile(name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// leftOut reports whether the walk skips a file by its name or a parent folder's.
func leftOut(name string) bool {
	dir, base := path.Split(name)
	for dir != "" {
		var part string
		if part, dir, _ = strings.Cut(dir, "/"); part != ".." && Skips(part) {
			return true
		}
	}
	return tests(base)
}

// mayBeLeftOut reports whether a module or folder of that name is skipped, or contains what is.
func mayBeLeftOut(name string) bool {
	return leftOut(name+"/x") || leftOut(name+".py") || leftOut(name+".js")
}

// endings returns the extensions that a module name lacks.
func endings(from string) []string {
	switch {
	case isPython(from):
		return []string{"", ".py", "/__init__.py"}
	case path.Ext(from) == ".go":
		return []string{""}
	}
	return []string{"", ".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", ".mts", ".cts", "/index.js", "/index.ts", "/index.mjs", "/index.cjs", "/index.jsx", "/index.tsx"}
}

// skippedFiles returns the skipped files that spec in the file from may mean: relative to its folder, to its parents (as in Python
// and Go), and without the first parts of a Go import path.
func (r *reader) skippedFiles(from, spec string) []string {
	relative := strings.HasPrefix(spec, "./") || strings.HasPrefix(spec, "../")
	if !mayBeLeftOut(spec) && !(leftOut(from) && (relative || isPython(from))) {
		return nil
	}
	for dir := path.Dir(from); ; dir = path.Dir(dir) {
		if out := r.filesOf(from, path.Join(dir, spec)); len(out) > 0 || dir == "." && !strings.HasSuffix(from, ".go") {
			return out
		}
		if dir == "." {
			break
		}
	}
	for rest := spec; mayBeLeftOut(rest); {
		_, after, found := strings.Cut(rest, "/")
		if out := r.filesOf(from, path.Clean(after)); len(out) > 0 || !found {
			return out
		}
		rest = after
	}
	return nil
}

// filesOf returns the skipped files that a name may mean: the file itself, with an extension, or the Go files of a folder.
func (r *reader) filesOf(from, name string) (out []string) {
	if strings.HasPrefix(name, "../") || !mayBeLeftOut(name) {
		return nil
	}
	stems := []string{name}
	if ext := path.Ext(name); ext == ".js" || ext == ".mjs" || ext == ".cjs" { // TypeScript names the compiled file
		stems = append(stems, strings.TrimSuffix(name, ext))
	}
	for _, stem := range stems {
		for _, end := range endings(from) {
			file := stem + end
			if base := path.Base(file); r.list(path.Dir(file))[base] && leftOut(file) && r.wanted(base) && !declares(base) {
				return []string{file}
			}
		}
	}
	if strings.HasSuffix(from, ".go") {
		for base := range r.list(name) {
			if strings.HasSuffix(base, ".go") && !tests(base) {
				out = append(out, path.Join(name, base))
			}
		}
		slices.Sort(out)
	}
	return out
}

// list returns a folder's regular files. Each folder is read once; its files count towards the limit.
func (r *reader) list(dir string) map[string]bool {
	if files, known := r.listed[dir]; known || r.entries > r.limits.Entries {
		return files
	}
	r.listed[dir] = nil
	f, err := r.root.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(r.limits.Entries - r.entries + 1) // whatever is readable
	if r.entries += len(entries); r.entries > r.limits.Entries {
		r.noteTooMany(dir)
	}
	files := map[string]bool{}
	for _, e := range entries {
		if e.Type().IsRegular() {
			files[e.Name()] = true
		}
	}
	r.listed[dir] = files
	return files
}

// namedIn yields the files a source names: quoted words that may be paths, adjacent ones joined, and in Python the modules of
// imports and of quoted names.
func namedIn(file string, text []byte) iter.Seq[string] {
	python := isPython(file)
	return func(yield func(string) bool) {
		seen := map[string]bool{}
		say := func(spec string) bool {
			if seen[spec] || len(spec) > longestSpec {
				return true
			}
			seen[spec] = true
			return yield(spec)
		}
		for at := 0; at < len(text); at++ {
			word, end := quoted(text, at)
			if word == "" {
				continue
			}
			joined := word
			next, behind := quoted(text, skipComma(text, end))
			for n := 1; n < mostPieces && next != ""; n++ {
				if joined += "/" + next; !say(joined) {
					return
				}
				next, behind = quoted(text, skipComma(text, behind))
			}
			if !say(word) || python && !strings.Contains(word, "/") && !say(strings.ReplaceAll(word, ".", "/")) {
				return
			}
		}
		for line := range bytes.Lines(text) {
			if python && !importedBy(string(bytes.TrimSpace(line[:min(len(line), longestLine)])), say) {
				return
			}
		}
	}
}

// longestSpec bounds a path that is looked up, longestLine the part of a line read as an import, in bytes, and mostPieces the
// quoted words joined to a path.
const (
	longestSpec = 300
	longestLine = 1000
	mostPieces  = 4
)

// quoted returns the quoted word at an offset and its end; "" if it is no path.
func quoted(text []byte, at int) (string, int) {
	if at >= len(text) || text[at] != '"' && text[at] != '\'' && text[at] != '`' {
		return "", at
	}
	for end := at + 1; end < len(text) && end-at <= longestSpec; end++ {
		switch c := text[end]; {
		case c == text[at]:
			return string(text[at+1 : end]), end + 1
		case !isWordByte(c) && strings.IndexByte("./@-", c) < 0:
			return "", at
		}
	}
	return "", at
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// skipComma skips a comma and surrounding space; len(text) if there is none.
func skipComma(text []byte, at int) int {
	rest := bytes.TrimLeft(text[at:min(len(text), at+longestSpec)], " \t\r\n")
	if len(rest) == 0 || rest[0] != ',' {
		return len(text)
	}
	rest = bytes.TrimLeft(rest[1:], " \t\r\n")
	return at + len(text[at:min(len(text), at+longestSpec)]) - len(rest)
}

// importedBy calls say with the modules of a Python import statement as paths: "from ..a import b" is ../a and ../a/b.
func importedBy(line string, say func(string) bool) bool {
	line, _, _ = strings.Cut(charset.Decode(line), "#")
	var base string
	names, ok := strings.CutPrefix(line, "import ")
	if !ok {
		rest, from := strings.CutPrefix(line, "from ")
		module, imported, both := strings.Cut(rest, " import ")
		if !from || !both {
			return true
		}
		module = strings.TrimSpace(module)
		name := strings.TrimLeft(module, ".")
		if up := len(module) - len(name); up > 0 {
			base = "./" + strings.Repeat("../", up-1)
		}
		base += strings.ReplaceAll(name, ".", "/")
		if names = strings.Trim(imported, "() "); !say(base) {
			return false
		}
		base += "/"
	}
	for name := range strings.SplitSeq(names, ",") {
		if name, _, _ = strings.Cut(strings.TrimSpace(name), " "); name != "" && !say(base+strings.ReplaceAll(name, ".", "/")) {
			return false
		}
	}
	return true
}
