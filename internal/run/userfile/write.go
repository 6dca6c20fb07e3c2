package userfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes to a file, replacing it as a whole, or for "-" to stdout. Its errors say where.
func Write(file string, stdout io.Writer, write func(io.Writer) error) error {
	return writeMode(file, stdout, 0, write)
}

// WritePrivate is [Write] for what only its owner is to read: the file has mode 0600, also where
// one of another mode was there.
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

// CheckWritable refuses a file that can only fail in the end, when the work is done: a
// directory, one in a folder that is not there, or one of the inputs.
func CheckWritable(file string, inputs []string) error {
	if file == "-" {
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
		if in != "-" && Same(in, file) {
			return fmt.Errorf("%s would be read and overwritten", file)
		}
	}
	return nil
}

// Same reports whether two names stand for one file, whether or not it exists. "-" is the same
// as itself only; a device or a pipe is never the same.
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

// CreatePrivate creates a file with mode 0600, new also where the name stands for an old
// one: that may be readable for others, or open in their hands. As with other outputs a
// link goes on pointing to the file, and a device or a pipe is written to.
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
	// O_EXCL follows no link that somebody else put there in between.
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// replaceFile gives a file new content, all of it or none: a failure leaves what was there. It
// has the mode, or for 0 the one it had.
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
		// A link goes on pointing to the file, which is the one to replace.
		if file, err = filepath.EvalSymlinks(file); err != nil {
			return err
		}
	}
	// Beside the file, since a rename does not reach another file system. The mode is
	// what the system would give a new file.
	f, err := os.OpenFile(filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+"."+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	if err = writeAndSync(f, mode, write); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to report
	}
	return err
}

func writeAndSync(f *os.File, mode os.FileMode, write func(io.Writer) error) error {
	err := write(f)
	if err == nil && mode != 0 {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync() // or a power cut could leave the new name with no content
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// writeToDevice writes to a device or a pipe, which must not be replaced: /dev/null is one.
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
