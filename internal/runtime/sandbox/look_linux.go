package sandbox

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// openInside opens a path as the server would find it. Links lead nowhere but inside.
func (s *Sandbox) openInside(path string, flags uint64) (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.root == nil {
		return nil, os.ErrClosed
	}
	path = inHome(s.view.home, path)
	fd, err := unix.Openat2(int(s.root.Fd()), path, &unix.OpenHow{Flags: flags | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS})
	if err != nil {
		// When everything in the sandbox has ended its mounts are gone, but not what was written.
		if fd, err = s.openPrivate(path, flags); err != nil {
			return nil, &os.PathError{Op: "open", Path: path, Err: err}
		}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// openPrivate opens what the server wrote where it is kept. No link is followed.
func (s *Sandbox) openPrivate(path string, flags uint64) (int, error) {
	kept := "files" + filepath.Clean("/"+path)
	for i, dir := range s.view.dirs {
		if within(path, dir) {
			kept = fmt.Sprintf("copies/%d/upper/%s", i, strings.TrimPrefix(path, dir))
		}
	}
	return unix.Openat2(int(s.private.Fd()), kept, &unix.OpenHow{Flags: flags | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS})
}

func (s *Sandbox) readFile(path string, from int64, limit int) ([]byte, error) {
	f, err := s.openInside(path, unix.O_RDONLY|unix.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "read", Path: path, Err: unix.EINVAL} // a pipe or device would be waited for
	}
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, int64(limit)))
}
