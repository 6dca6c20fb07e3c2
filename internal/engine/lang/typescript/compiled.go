package typescript

import (
	"bytes"
	"iter"
	"path"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/sink"
)

// What runs is the compiled file, and nothing but honesty makes it the work of the source beside it. One that says nothing which its
// source does not say is left out; one with a word of its own is read like any other.

// compiledTwins returns, by the compiled file that holds no words but its own, the source that is there too: src/a.ts of dist/a.js.
func compiledTwins(files []sink.File) map[string]string {
	sources := map[string]*sink.File{}
	for i, f := range files {
		switch ext := path.Ext(f.Path); ext {
		case ".ts", ".tsx", ".mts", ".cts":
			sources[strings.TrimSuffix(f.Path, ext)] = &files[i]
		}
	}
	out := map[string]string{}
	for _, f := range files {
		ext := path.Ext(f.Path)
		if !strings.HasSuffix(ext, "js") {
			continue
		}
		parts := strings.Split(strings.TrimSuffix(f.Path, ext), "/")
		for i, part := range parts {
			switch part {
			case "dist", "build", "lib", "out", "esm", "cjs":
				rest := strings.Join(parts[i+1:], "/")
				base := strings.Join(parts[:i], "/")
				for _, stem := range []string{path.Join(base, "src", rest), path.Join(base, rest)} {
					if source := sources[stem]; source != nil && out[f.Path] == "" && isMadeOf(f.Text, source.Text) {
						out[f.Path] = source.Path
					}
				}
			}
		}
	}
	return out
}

// emitted are words that compilers write by themselves.
var emitted = callgraph.Names(`use strict object define property properties exports module value require default void null undefined this import star create binding set
	export awaiter generator adopt thenable promise fulfilled rejected step done result next throw catch resolve reject apply arguments label sent trys ops pop push verb body
	call return get enumerable configurable writable own descriptor descriptors names has prototype mod function symbol iterator async type error concat length slice rest index
	symbols propertyis assign spread array decorate metadata design param paramtypes returntype reflect class private field accessor member read write var const let new extends
	static await yield typeof instanceof for while else switch case break continue finally try delete with true false from jsx jsxs element react fragment runtime source mapping url map
	template raw suppressed dispose disposable resource env super init initializers run extra key keys name num math pow import meta url dirname node util ext mjs cjs that can not cannot
	are immutable freeze make object generator already executing executed defined expected iterable non more than once invalid state kind was did have its class declare anonymous desc arg args then pack
	values endfinally loop statics settle extend extends proto constructor`)

// isMadeOf reports whether a compiled text holds no word, be it in a name, a string or a comment, that its source does not hold.
func isMadeOf(compiled, source []byte) bool {
	if i := bytes.LastIndex(compiled, []byte("//# sourceMappingURL=")); i >= 0 && !bytes.Contains(bytes.TrimSpace(compiled[i:]), []byte("\n")) {
		compiled = compiled[:i] // which names the file
	}
	if strange(compiled) > 3*strange(source)+300 {
		return false
	}
	known := map[string]bool{}
	for word := range words(source) {
		known[word] = true
	}
	for word := range words(compiled) {
		if !known[word] && !emitted[word] {
			return false
		}
	}
	return true
}

// shortest is how many letters a word has that is compared; compilers number their variables with fewer.
const shortest = 3

// words yields the words of a text: runs of letters, those of names like readFile one by one, in lower case.
func words(text []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		for i := 0; i <= len(text); i++ {
			if i < len(text) && isLetter(text[i]) && (i == start || !isUpper(text[i]) || isUpper(text[i-1])) {
				continue
			}
			if i-start >= shortest && !yield(strings.ToLower(string(text[start:i]))) {
				return
			}
			if start = i; i < len(text) && !isLetter(text[i]) {
				start++
				if text[i] == '\\' {
					n, hides := escape(text[i+1:])
					if hides && !yield(`\x`) {
						return
					}
					i += n
					start = i + 1
				}
			}
		}
	}
}

// escape returns how long an escape is behind its backslash, and whether it hides a letter: \x65 does, \n and \u2014 do not.
func escape(text []byte) (length int, hides bool) {
	switch {
	case len(text) > 5 && text[0] == 'u':
		return 5, text[1] == '{' || text[1] == '0' && text[2] == '0'
	case len(text) > 0 && isLetter(text[0]):
		return 1, text[0] == 'x'
	}
	return 0, false
}

// strange counts the signs of which code without a word is made.
func strange(text []byte) (n int) {
	for _, c := range text {
		if c == '[' || c == '!' || c == '+' {
			n++
		}
	}
	return n
}

func isLetter(c byte) bool { return isUpper(c) || c >= 'a' && c <= 'z' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
