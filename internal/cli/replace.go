package cli

import (
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
)

// replaceFile gives a file new content, all of it or none: a failure leaves what was there.
func replaceFile(file string, write func(io.Writer) error) error {
	mode := os.FileMode(0)
	if info, err := os.Stat(file); err == nil {
		if !info.Mode().IsRegular() {
			return writeInto(file, write)
		}
		mode = info.Mode().Perm()
		// A link goes on pointing to the file, which is the one to replace.
		if file, err = filepath.EvalSymlinks(file); err != nil {
			return err
		}
	}
	// Beside the file, since a rename does not reach another file system. The mode is
	// what the system would give a new file.
	f, err := os.OpenFile(filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+"."+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if err = fill(f, mode, write); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to tell
	}
	return err
}

// fill writes and closes f.
func fill(f *os.File, mode os.FileMode, write func(io.Writer) error) error {
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

// writeInto writes to a device or a pipe, which must not be replaced: /dev/null is one.
func writeInto(file string, write func(io.Writer) error) error {
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
