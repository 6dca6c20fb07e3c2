// Package userfile reads and writes the files a user names, including standard input and output. Reading is bounded, a file that
// would block is rejected before it is opened, and writing replaces a file atomically.
package userfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

// Write replaces a file atomically, or writes to stdout for "-". Its errors say where.
func Write(file string, stdout io.Writer, write func(io.Writer) error) error {
	return writeMode(file, stdout, 0, write)
}

// WritePrivate is [Write] for files only their owner may read: the mode is 0600, even if another file existed.
func WritePrivate(file string, stdout io.Writer, write func(io.Writer) error) error {
	return writeMode(file, stdout, 0o600, write)
}

func writeMode(file string, stdout io.Writer, mode os.FileMode, write func(io.Writer) error) error {
	if file == "-" {
		if err := write(stdout); err != nil {
			return fmt.Errorf("standard output: %w", Reason(err))
		}
		return nil
	}
	if err := replaceFile(file, mode, write); err != nil {
		return fmt.Errorf("cannot write %s: %w", file, Reason(err))
	}
	return nil
}

// CheckWritable rejects a file that would fail only when the work is done: a directory, one in a missing folder, or one of the
// inputs. "" is no file.
func CheckWritable(file string, inputs []string) error {
	if file == "-" || file == "" {
		return nil
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("%s: it is a directory, want a file", file)
	}
	switch _, err := os.Stat(filepath.Dir(file)); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cannot write %s: there is no folder %s; create it first", file, filepath.Dir(file))
	case err != nil:
		return fmt.Errorf("cannot write %s: %w", file, Reason(err))
	}
	for _, in := range inputs {
		if in != "-" && in != "" && Same(in, file) {
			return fmt.Errorf("%s would be read and overwritten", file)
		}
	}
	return nil
}

// Same reports whether two names are one file, existing or not. "-" equals only itself; a device or pipe is never the same.
func Same(a, b string) bool {
	if a == "-" || b == "-" {
		return a == b
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
	}
	absA, errA := filepath.Abs(a)
	absB, errB := filepath.Abs(b)
	return errors.Join(errA, errB) == nil && absA == absB
}

// CreatePrivate creates a new file with mode 0600, replacing an old one, which others may be able to read or have open. Links are
// followed to the file, and devices and pipes are written to.
func CreatePrivate(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return os.OpenFile(name, os.O_WRONLY, 0)
		}
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
		if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	// O_EXCL does not follow a link that somebody creates in between.
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// replaceFile replaces a file's content atomically: a failure leaves the old one. mode 0 keeps the file's mode.
func replaceFile(file string, mode os.FileMode, write func(io.Writer) error) error {
	perm := os.FileMode(0o666)
	if mode != 0 {
		perm = mode
	}
	if info, err := os.Stat(file); err == nil {
		if !info.Mode().IsRegular() {
			return writeToDevice(file, write)
		}
		if mode == 0 {
			mode = info.Mode().Perm()
		}
		// A link keeps pointing to the file, which is what is replaced.
		if file, err = filepath.EvalSymlinks(file); err != nil {
			return err
		}
	}
	// In the same folder, since a rename cannot cross file systems. The mode is the system's default for new files.
	f, err := os.OpenFile(filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+"."+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	if err = writeAndSync(f, mode, write); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is reported
	}
	return err
}

func writeAndSync(f *os.File, mode os.FileMode, write func(io.Writer) error) error {
	err := write(f)
	if err == nil && mode != 0 {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync() // otherwise a power failure could leave an empty file
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// writeToDevice writes to a device or pipe, which must not be replaced, e.g. /dev/null.
func writeToDevice(file string, write func(io.Writer) error) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = write(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// CacheDirectory returns the directory for one kind of cached file.
func CacheDirectory(kind string, getenv func(string) string) (string, error) {
	if dir := getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "gauntlet", kind), nil
	}
	for _, place := range [][]string{{"LOCALAPPDATA"}, {"HOME", ".cache"}} {
		if dir := getenv(place[0]); dir != "" {
			return filepath.Join(append(append([]string{dir}, place[1:]...), "gauntlet", kind)...), nil
		}
	}
	return "", errors.New("there is no cache directory")
}

// IsFolder reports whether a name is a folder, existing or to be created.
func IsFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir() || strings.HasSuffix(name, "/") || strings.HasSuffix(name, string(filepath.Separator))
}
