package sandbox

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// takeOut copies what was written. Nothing of it is followed out of it: each file is opened below the folder before.
func (s *Sandbox) takeOut(path, to string) error {
	s.mu.Lock()
	if s.private == nil {
		s.mu.Unlock()
		return os.ErrClosed
	}
	fd, err := s.openPrivate(path, unix.O_RDONLY|unix.O_DIRECTORY)
	s.mu.Unlock()
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	root, err := makeRoot(to)
	if err != nil {
		_ = unix.Close(fd)
		return err
	}
	defer root.Close()
	t := taker{to: root, left: s.config.Limits.Files}
	return t.take(os.NewFile(uintptr(fd), path), ".", 0)
}

func makeRoot(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

type taker struct {
	to   *os.Root
	left int
}

// take copies a folder, and closes it.
func (t *taker) take(dir *os.File, rel string, depth int) error {
	defer dir.Close()
	names, err := dir.Readdirnames(-1) // their number is that of the limit on files at most
	if err != nil {
		return err
	}
	for _, n := range names {
		if t.left--; t.left < 0 || depth > maxDepth {
			return fmt.Errorf("more was written than is taken out of the sandbox")
		}
		if err := t.takeOne(int(dir.Fd()), n, filepath.Join(rel, n), depth); err != nil {
			return err
		}
	}
	return nil
}

func (t *taker) takeOne(at int, name, rel string, depth int) error {
	var st unix.Stat_t
	if err := unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		if err := t.to.MkdirAll(rel, 0o700); err != nil {
			return err
		}
		fd, err := beneath(at, name, unix.O_RDONLY|unix.O_DIRECTORY)
		if err != nil {
			return err
		}
		return t.take(os.NewFile(uintptr(fd), rel), rel, depth+1)
	case unix.S_IFREG:
		fd, err := beneath(at, name, unix.O_RDONLY|unix.O_NONBLOCK)
		if err != nil {
			return err
		}
		from := os.NewFile(uintptr(fd), rel)
		defer from.Close()
		out, err := t.to.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(st.Mode)&0o755|0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, from)
		if e := out.Close(); err == nil {
			err = e
		}
		return err
	case unix.S_IFLNK:
		target := make([]byte, longestPath)
		n, err := unix.Readlinkat(at, name, target)
		if err != nil {
			return err
		}
		link := string(target[:n])
		if inside := filepath.Join(filepath.Dir(rel), link); filepath.IsAbs(link) || inside != "." && strings.HasPrefix(inside, "..") {
			return nil // it would lead somewhere else here
		}
		return t.to.Symlink(link, rel)
	}
	return nil // a pipe or a device is nothing that a package has
}
