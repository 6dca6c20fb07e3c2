// Package attacks is gauntlet's built-in library of attack documents. Each is one technique, with sources and the
// indicators that tell whether an agent complied.
package attacks

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.yaml
var files embed.FS

const ending = ".yaml"

// Names returns the sorted names of all documents.
func Names() []string {
	found, _ := fs.Glob(files, "*"+ending) // fails only for a malformed pattern
	for i, name := range found {
		found[i] = strings.TrimSuffix(name, ending)
	}
	return found
}

// Text returns the text of a named document; ok is false if there is none.
func Text(name string) (text string, ok bool) {
	b, err := files.ReadFile(name + ending)
	return string(b), err == nil
}
