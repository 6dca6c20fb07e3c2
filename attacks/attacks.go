// Package attacks is the library of attack documents that is built into gauntlet. Each is one
// technique, with its sources and the indicators that tell whether an agent fell for it.
package attacks

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.yaml
var files embed.FS

const ending = ".yaml"

// Names returns the names of all documents, sorted.
func Names() []string {
	found, _ := fs.Glob(files, "*"+ending) // fails for a malformed pattern only
	for i, name := range found {
		found[i] = strings.TrimSuffix(name, ending)
	}
	return found
}

// Text returns the document of a name as it was written; not ok if there is none.
func Text(name string) (text string, ok bool) {
	b, err := files.ReadFile(name + ending)
	return string(b), err == nil
}
