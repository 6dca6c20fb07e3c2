package sourcecode

import (
	"bytes"
	"iter"
	"path"
	"slices"
	"strings"

	"gauntlet/internal/leaf/charset"
)

// followImports reads what the walk left out by its name and a file that was read names all the same, be it as a module, as
// a path or in pieces: require("./tests/helper"), from .vendor import http, join(__dirname, ".cache", "run.js"). Where a folder
// lies says what it is for among honest people only. What dependencies import of each other stays out: a name without a
// path, such as "lodash", is none of these.
func (r *reader) followImports() error {
	have := map[string]bool{}
	for i := range r.files {
		have[r.files[i].Path] = true
	}
	for i := 0; i < len(r.files); i++ { // grows while files that are found name further ones
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

// leftOut reports whether the walk leaves a file out by its name or that of a folder above it.
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

// mayBeLeftOut reports whether a module or folder of that name is left out, or holds what is.
func mayBeLeftOut(name string) bool {
	return leftOut(name+"/x") || leftOut(name+".py") || leftOut(name+".js")
}

// endings are what the name of a module lacks of that of its file.
func endings(from string) []string {
	switch path.Ext(from) {
	case ".py":
		return []string{"", ".py", "/__init__.py"}
	case ".go":
		return []string{""}
	}
	return []string{"", ".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", ".mts", ".cts", "/index.js", "/index.ts", "/index.mjs", "/index.cjs", "/index.jsx", "/index.tsx"}
}

// skippedFiles returns the files that were left out and that a spec in the file from may mean: relative to its folder, to
// those above it (as Python and Go import), and without the first parts of a Go import path.
func (r *reader) skippedFiles(from, spec string) []string {
	relative := strings.HasPrefix(spec, "./") || strings.HasPrefix(spec, "../")
	if !mayBeLeftOut(spec) && !(leftOut(from) && (relative || strings.HasSuffix(from, ".py"))) {
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

// filesOf returns the files that were left out and that a name may mean: one of that name, with an ending, or the Go
// files of a folder.
func (r *reader) filesOf(from, name string) (out []string) {
	if strings.HasPrefix(name, "../") || !mayBeLeftOut(name) {
		return nil
	}
	stems := []string{name}
	if ext := path.Ext(name); ext == ".js" || ext == ".mjs" || ext == ".cjs" { // TypeScript names what it will be compiled to
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

// list returns the regular files of a folder, each folder once. They count as looked at.
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
	entries, _ := f.ReadDir(r.limits.Entries - r.entries + 1) // what can be read of it
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

// namedIn yields what a source names of other files: words in quotes that may be a path, neighbours joined, and in Python the
// modules of import statements and of names in quotes.
func namedIn(file string, text []byte) iter.Seq[string] {
	python := strings.HasSuffix(file, ".py")
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

// longestSpec is the longest path that is looked up, longestLine how much of a line is taken for an import, in bytes, and
// mostPieces how many words in quotes are joined to a path.
const (
	longestSpec = 300
	longestLine = 1000
	mostPieces  = 4
)

// quoted returns the word in the quotes that begin at a place and where they end; "" if what is between them is no path.
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

// skipComma passes a comma and the space around it; len(text) without one.
func skipComma(text []byte, at int) int {
	rest := bytes.TrimLeft(text[at:min(len(text), at+longestSpec)], " \t\r\n")
	if len(rest) == 0 || rest[0] != ',' {
		return len(text)
	}
	rest = bytes.TrimLeft(rest[1:], " \t\r\n")
	return at + len(text[at:min(len(text), at+longestSpec)]) - len(rest)
}

// importedBy says the modules of an import statement of Python as paths: "from ..a import b" is ../a and ../a/b.
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
