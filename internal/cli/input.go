package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/catalog"
)

// limitFlags bound what is read.
type limitFlags struct{ catalog.Limits }

func (l *limitFlags) flags(cmd *cobra.Command) {
	cmd.Flags().Var(size(&l.Bytes, catalog.DefaultBytes), "max-bytes", "longest file, and most bytes taken from a live server")
	cmd.Flags().Var(number(&l.Depth, catalog.DefaultDepth, catalog.MaxDepth), "max-depth", "deepest nesting of one definition; a deeper one is read and makes the scan incomplete")
	cmd.Flags().Var(number(&l.Items, catalog.DefaultItems, 1<<31-1), "max-items", "most tools, and most prompts, resources and templates, of one server")
}

// readFile returns the text of a snapshot file, or of stdin for "-". The text is held
// once: a catalogue may have hundreds of megabytes. Errors are *catalog.Error.
func (a *app) readFile(name string, limit int) (string, error) {
	text, err := a.readText(name, limit)
	if err != nil {
		return "", &catalog.Error{File: name, Msg: reason(err).Error()}
	}
	return text, nil
}

func (a *app) readText(name string, limit int) (string, error) {
	if name == "-" {
		expected := 0
		if f, ok := a.host.Stdin.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				expected = int(min(info.Size(), int64(limit)))
			}
		}
		return readUpTo(a.host.Stdin, expected, limit)
	}
	// Before opening, which waits for ever at a pipe that nobody writes to.
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errors.New("no such file" + commandHint(name))
	case err != nil:
		return "", err
	case info.IsDir():
		return "", errors.New("it is a directory: name the snapshot files in it")
	case !info.Mode().IsRegular():
		return "", errors.New("it is not a regular file: to read from a pipe give - as the file")
	case info.Size() > int64(limit):
		return "", fmt.Errorf("the file has %d bytes, the limit is %d: raise it with --max-bytes", info.Size(), limit)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readUpTo(f, int(info.Size()), limit)
}

// readUpTo reads all of r, of which it is expected to have so many bytes, or fails where
// it has more than limit.
func readUpTo(r io.Reader, expected, limit int) (string, error) {
	var text strings.Builder
	text.Grow(expected)
	n, err := io.Copy(&text, io.LimitReader(r, int64(limit)+1))
	switch {
	case err != nil:
		return "", err
	case n > int64(limit):
		return "", fmt.Errorf("more than %d bytes, which is the limit: raise it with --max-bytes", limit)
	case n == 0:
		return "", errEmpty
	}
	return text.String(), nil
}

var errEmpty = errors.New("it is empty")

// commandHint helps who names a program where a file is wanted.
func commandHint(name string) string {
	if _, err := exec.LookPath(name); err != nil {
		return ""
	}
	return "; to scan a live server put -- before its command: gauntlet scan -- " + name
}

// interruptible runs work that knows no context and returns early when ctx ends. The
// work is left behind then: the process is about to end, and the work with it.
func interruptible[T any](ctx context.Context, work func() T) (T, error) {
	done := make(chan T, 1)
	go func() { done <- work() }()
	select {
	case t := <-done:
		return t, nil
	case <-ctx.Done():
		var none T
		return none, errInterrupted
	}
}

var errInterrupted = errors.New("interrupted")
