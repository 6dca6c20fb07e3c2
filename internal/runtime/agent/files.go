package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gauntlet/internal/leaf/agui"
	"gauntlet/internal/leaf/planted"
)

// Bounds of what is looked at after a run.
const (
	mostSeenFiles = 5_000
	mostLeftFiles = 200
	mostLeftText  = 64 << 10
)

// A workplace is an agent's working directory with planted files.
type workplace struct {
	dir    string
	before map[string][]byte // beginnings of the files, by path
}

// plantFiles writes files to a directory of ours, which is made if it is missing. It overwrites nothing.
func plantFiles(dir string, files []planted.File) (*workplace, error) {
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return nil, err
		}
		out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, fmt.Errorf("the planted file %s: %w", f.Path, err)
		}
		_, err = out.WriteString(f.Text)
		if err := errors.Join(err, out.Close()); err != nil {
			return nil, err
		}
	}
	w := &workplace{dir: dir, before: map[string][]byte{}}
	_, err := w.eachFile(func(path string, text []byte) bool { w.before[path] = text; return true })
	return w, err
}

// changedFiles returns the files that are new or changed, as calls of a tool, and whether there may be more. An agent, or a program
// that it started, wrote them.
func (w *workplace) changedFiles() (left []LocalCall, cut bool) {
	cut, err := w.eachFile(func(path string, text []byte) bool {
		if old, ok := w.before[path]; !ok || !bytes.Equal(old, text) {
			left = append(left, LocalCall{Tool: agui.LeftFile, Arguments: map[string]any{"path": path, "content": string(text)}})
		}
		return len(left) < mostLeftFiles
	})
	return left, cut || err != nil
}

// eachFile calls see with the beginning of each regular file until it returns false. Links are not followed: an agent that turned
// hostile made them. cut says that files were left out.
func (w *workplace) eachFile(see func(path string, text []byte) bool) (cut bool, err error) {
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		return true, err
	}
	defer root.Close()
	seen := 0
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if seen++; seen > mostSeenFiles {
			cut = true
			return fs.SkipAll
		}
		if err != nil {
			cut = true
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		f, err := root.Open(path)
		if err != nil {
			cut = true
			return nil
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, mostLeftText))
		if cut = cut || err != nil; !see(path, text) {
			cut = true
			return fs.SkipAll
		}
		return nil
	})
	return cut, err
}

// absoluteNames makes the relative names of files in a command absolute: it is started in another directory.
func absoluteNames(command []string) {
	for i, word := range command {
		if i == 0 && filepath.Base(word) == word {
			continue // a program of the search path
		}
		if info, err := os.Stat(word); err == nil && info.Mode().IsRegular() {
			if whole, err := filepath.Abs(word); err == nil {
				command[i] = whole
			}
		}
	}
}
