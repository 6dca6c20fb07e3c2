// Package userfile reads and writes the files a user names, including standard input and output. Reading is bounded, a file that
// would block is rejected before it is opened, and writing replaces a file atomically.
package userfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"gauntlet/internal/leaf/charset"
)

// Errors of names. ErrEmpty says that a file is readable but empty.
var (
	ErrEmpty     = errors.New("it is empty")
	ErrMissing   = errors.New("no such file")
	ErrDirectory = errors.New("it is a directory: name a file in it")
)

// ReadText returns the text of a file, or of stdin for "-", at most limit bytes, as UTF-8 without a byte order mark. The text is
// held only once: a catalogue may have hundreds of megabytes.
func ReadText(name string, stdin io.Reader, limit int) (string, error) {
	if name == "-" {
		expected := 0
		if f, ok := stdin.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				expected = int(min(info.Size(), int64(limit)))
			}
		}
		return readUpTo(stdin, expected, limit)
	}
	info, err := statRegular(name)
	switch {
	case err != nil:
		return "", err
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

// Open opens a file, or stdin for "-", that is too long for memory. Its text is UTF-8 without a byte order mark.
func Open(name string, stdin io.Reader) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(charset.NewReader(stdin)), nil
	}
	if _, err := statRegular(name); err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &struct {
		io.Reader
		io.Closer
	}{charset.NewReader(f), f}, nil
}

// statRegular rejects anything but a regular file. Opening a pipe would block until somebody writes to it.
func statRegular(name string) (fs.FileInfo, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrMissing
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, ErrDirectory
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file: to read from a pipe give - as the file")
	}
	return info, nil
}

// readUpTo reads all of r, expected to have a number of bytes, or fails beyond limit.
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
		return "", ErrEmpty
	}
	return charset.Decode(text.String()), nil
}

// Reason removes the operation and the path, which our messages say better.
func Reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
