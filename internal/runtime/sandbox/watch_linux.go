package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// watchCanaries records when the file of a canary is opened.
func (s *Sandbox) watchCanaries() {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		s.mu.Lock()
		s.held = append(s.held, Protection{Name: "canary files", Detail: "reading them is not recorded: " + err.Error()})
		s.mu.Unlock()
		return
	}
	watched := map[int32]*Canary{}
	for i := range s.canaries {
		c := &s.canaries[i]
		if c.Path == "" {
			continue
		}
		f, err := s.openInside(c.Path, unix.O_PATH)
		if err != nil {
			continue
		}
		if wd, err := unix.InotifyAddWatch(fd, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.IN_OPEN|unix.IN_MODIFY); err == nil {
			watched[int32(wd)] = c
		}
		_ = f.Close()
	}
	f := os.NewFile(uintptr(fd), "inotify")
	s.mu.Lock()
	s.held = append(s.held, Protection{Name: "canary files", Held: true, Detail: fmt.Sprintf("%d files are watched", len(watched))})
	s.ending = append(s.ending, func() { _ = f.Close() })
	s.mu.Unlock()
	s.running.Go(func() { s.readWatches(f, watched) }) // ends when f is closed
}

func (s *Sandbox) readWatches(f *os.File, watched map[int32]*Canary) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := f.Read(buffer)
		if err != nil {
			return
		}
		for b := buffer[:n]; len(b) >= unix.SizeofInotifyEvent; {
			c, mask := watched[int32(binary.NativeEndian.Uint32(b))], binary.NativeEndian.Uint32(b[4:])
			size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
			if size > len(b) {
				break
			}
			if c != nil {
				what := "opened"
				if mask&unix.IN_MODIFY != 0 {
					what = "changed"
				}
				s.recorder.record(Event{Kind: FileAccess, Path: c.Path, Text: what, Canaries: []string{c.Name}})
			}
			b = b[size:]
		}
	}
}

// fileState tells whether a file was changed.
type fileState struct {
	size  int64
	mtime int64
	mode  fs.FileMode
}

// The bounds of a walk over what the server wrote.
const (
	maxWalk  = 50_000
	maxDepth = 60
)

// rememberFiles keeps what stands in the private folders before the server starts.
func (s *Sandbox) rememberFiles() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = s.walkPrivate()
}

// walkPrivate returns everything in the private folders and in the copies, by the path that the
// server knows it by. The caller holds the lock.
func (s *Sandbox) walkPrivate() map[string]fileState {
	out := map[string]fileState{}
	if s.private == nil {
		return out
	}
	w := walker{out: out, left: maxWalk}
	w.walk(int(s.private.Fd()), "files", "/", 0)
	for i, dir := range s.view.dirs {
		w.walk(int(s.private.Fd()), fmt.Sprintf("copies/%d/upper", i), dir, 0)
	}
	return out
}

type walker struct {
	out  map[string]fileState
	left int
}

// walk reads a folder below another without following links.
func (w *walker) walk(at int, name, shown string, depth int) {
	fd, err := unix.Openat2(at, name, &unix.OpenHow{Flags: unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return
	}
	dir := os.NewFile(uintptr(fd), name)
	defer dir.Close()
	names, _ := dir.Readdirnames(w.left) // what was read before an error counts
	for _, n := range names {
		if w.left--; w.left < 0 {
			return
		}
		var st unix.Stat_t
		if unix.Fstatat(int(dir.Fd()), n, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
			continue
		}
		at := path.Join(shown, n)
		kind := st.Mode & unix.S_IFMT
		if kind != unix.S_IFDIR {
			w.out[at] = fileState{st.Size, st.Mtim.Nano(), fs.FileMode(st.Mode)}
		} else if depth < maxDepth {
			w.walk(int(dir.Fd()), n, at, depth+1)
		}
	}
}

func (s *Sandbox) changed(limit int) ([]Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.private == nil {
		return nil, os.ErrClosed
	}
	now := s.walkPrivate()
	var out []Change
	for _, p := range slices.Sorted(maps.Keys(now)) {
		state := now[p]
		was, known := s.before[p]
		c := Change{Path: p, Kind: "created", Size: state.size}
		switch {
		case known && was == state:
			continue
		case known, s.copyHad(p):
			c.Kind = "changed"
		}
		if state.mode&unix.S_IFMT == unix.S_IFCHR { // how a copy says that a file is gone
			c.Kind = "deleted"
		}
		out = append(out, c)
	}
	for _, p := range slices.Sorted(maps.Keys(s.before)) {
		if _, ok := now[p]; !ok {
			out = append(out, Change{Path: p, Kind: "deleted"})
		}
	}
	return out[:min(len(out), limit)], nil
}

// copyHad reports whether a file of a copied folder was there before.
func (s *Sandbox) copyHad(p string) bool {
	if !slices.ContainsFunc(s.view.dirs, func(d string) bool { return within(p, d) }) {
		return false
	}
	_, err := os.Lstat(p)
	return err == nil
}

// mostChanges bounds the events of changed files.
const mostChanges = 500

// recordChanges records what the server wrote, when it has ended.
func (s *Sandbox) recordChanges() {
	changes, err := s.changed(mostChanges + 1)
	if err != nil {
		return
	}
	finder := newCanaryFinder(s.canaries)
	for i, c := range changes {
		if i == mostChanges {
			s.recorder.record(Event{Kind: Limit, Text: "more files were changed than are listed"})
			return
		}
		e := Event{Kind: FileChange, Path: c.Path, Text: c.Kind}
		if head, err := s.readFile(c.Path, 0, MaxText); err == nil && !s.isCanaryFile(c.Path) {
			e.Canaries = finder.find(string(bytes.ToValidUTF8(head, nil)))
		}
		s.recorder.record(e)
	}
}

func (s *Sandbox) isCanaryFile(p string) bool {
	return slices.ContainsFunc(s.canaries, func(c Canary) bool { return c.Path != "" && inHome(s.view.home, c.Path) == p })
}

// isOwn reports whether a file was made inside the sandbox.
func (s *Sandbox) isOwn(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var private unix.Stat_t
	return s.private != nil && unix.Fstat(int(s.private.Fd()), &private) == nil && st.Dev == private.Dev
}
