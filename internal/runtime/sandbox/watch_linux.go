package sandbox

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"gauntlet/internal/leaf/startup"
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
			if mask&unix.IN_Q_OVERFLOW != 0 {
				s.recorder.record(Event{Kind: Limit, Text: "canary files were opened more often than is noted"})
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

// The bounds of a walk over what the server wrote, whose files are counted by the kernel.
const (
	maxPaths = 32 << 20 // bytes of all paths
	maxDepth = 60
)

// rememberFiles keeps what stands in the private folders before the server starts.
func (s *Sandbox) rememberFiles() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = s.walkPrivate().out
}

// walkPrivate returns everything in the private folders and in the copies, by the path that the
// server knows it by. Where programs start from comes first, so that no heap of other files hides it. The caller holds the lock.
func (s *Sandbox) walkPrivate() *walker {
	w := &walker{out: map[string]fileState{}, left: maxPaths}
	if s.private == nil {
		return w
	}
	private := int(s.private.Fd())
	roots := []walkRoot{{"files", "/"}}
	for i, dir := range s.view.dirs {
		roots = append(roots, walkRoot{fmt.Sprintf("copies/%d/upper", i), dir})
	}
	for _, r := range roots {
		top := r.shown
		if top == "/" {
			top = s.view.home
			w.walk(private, "files/var/spool/cron", "/var/spool/cron", 0)
		}
		kept := path.Join(r.kept, strings.TrimPrefix(top, r.shown))
		for _, p := range startup.Places {
			for _, end := range p.Ends {
				w.look(private, kept+end, top+end)
			}
			if p.Folder != "" {
				w.walk(private, path.Clean(kept+p.Folder), path.Clean(top+p.Folder), 0)
			}
		}
	}
	for _, r := range roots {
		w.walk(private, r.kept, r.shown, 0)
	}
	return w
}

// A walkRoot is a folder of what can be written to, and where the server sees it.
type walkRoot struct{ kept, shown string }

type walker struct {
	out  map[string]fileState
	left int  // of maxPaths
	cut  bool // not everything was seen
}

func beneath(at int, name string, flags uint64) (int, error) {
	return unix.Openat2(at, name, &unix.OpenHow{Flags: flags | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS})
}

// look looks at one file below a folder.
func (w *walker) look(at int, name, shown string) {
	fd, err := beneath(at, name, unix.O_PATH|unix.O_NOFOLLOW)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil {
		w.add(shown, &st)
	}
}

func (w *walker) add(shown string, st *unix.Stat_t) {
	if w.left -= len(shown); w.left < 0 {
		w.cut = true
	} else if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		w.out[shown] = fileState{st.Size, st.Mtim.Nano(), fs.FileMode(st.Mode)}
	}
}

// walk reads a folder below another without following links.
func (w *walker) walk(at int, name, shown string, depth int) {
	fd, err := beneath(at, name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return
	}
	dir := os.NewFile(uintptr(fd), name)
	defer dir.Close()
	for !w.cut {
		names, _ := dir.Readdirnames(1000) // what was read before an error counts
		if len(names) == 0 {
			return
		}
		for _, n := range names {
			var st unix.Stat_t
			if w.cut || unix.Fstatat(int(dir.Fd()), n, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
				continue
			}
			at := path.Join(shown, n)
			w.add(at, &st)
			switch isDir := st.Mode&unix.S_IFMT == unix.S_IFDIR; {
			case isDir && depth < maxDepth:
				w.walk(int(dir.Fd()), n, at, depth+1)
			case isDir:
				w.cut = true
			}
		}
	}
}

// A change is a file that the server created, changed or deleted.
type change struct {
	path string
	kind string // "created", "changed", "deleted"
	full bool   // it is as long as a file may be
}

// allChanges lists what the server wrote, first that from which other programs start. whole is false where not
// everything could be looked at.
func (s *Sandbox) allChanges() (out []change, whole bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.private == nil {
		return nil, false, os.ErrClosed
	}
	now := s.walkPrivate()
	for p, state := range now.out {
		was, known := s.before[p]
		c := change{p, "created", state.mode&unix.S_IFMT == unix.S_IFREG && state.size >= s.config.Limits.FileSize}
		switch {
		case known && was == state:
			continue
		case known, s.copyHad(p):
			c.kind = "changed"
		}
		if state.mode&unix.S_IFMT == unix.S_IFCHR { // how a copy says that a file is gone
			c.kind = "deleted"
		}
		out = append(out, c)
	}
	for p := range s.before {
		if _, ok := now.out[p]; !ok && !now.cut {
			out = append(out, change{p, "deleted", false})
		}
	}
	first := func(c change) int {
		if startup.What(c.path) != "" {
			return 0
		}
		return 1
	}
	slices.SortFunc(out, func(a, b change) int { return cmp.Or(first(a)-first(b), cmp.Compare(a.path, b.path)) })
	return out, !now.cut, nil
}

// copyHad reports whether a file of a copied folder was there before.
func (s *Sandbox) copyHad(p string) bool {
	if !slices.ContainsFunc(s.view.dirs, func(d string) bool { return within(p, d) }) {
		return false
	}
	_, err := os.Lstat(p)
	return err == nil
}

// The bounds on what is said of changed files.
const (
	mostChanges  = 5000
	mostSearched = 16 << 20 // bytes of their content that are searched
)

// recordChanges records what the server wrote, when it has ended.
func (s *Sandbox) recordChanges() {
	changes, whole, err := s.allChanges()
	if err != nil {
		return
	}
	if !whole {
		s.recorder.record(Event{Kind: Limit, Text: "more files were written than can be looked at"})
	}
	if s.isFull() {
		s.recorder.record(Event{Kind: Limit, Text: fmt.Sprintf("the server has written all that it can (%d bytes, %d files)", s.config.Limits.Disk, s.config.Limits.Files)})
	}
	if i := slices.IndexFunc(changes, func(c change) bool { return c.full }); i >= 0 {
		s.recorder.record(Event{Kind: Limit, Path: changes[i].path, Text: fmt.Sprintf("a file is as long as one may be (%d bytes): what was to follow is not there", s.config.Limits.FileSize)})
	}
	if more := len(changes) - mostChanges; more > 0 {
		s.recorder.record(Event{Kind: Limit, Text: fmt.Sprintf("%d more files were changed than are listed", more)})
		changes = changes[:mostChanges]
	}
	left := mostSearched
	for _, c := range changes {
		e := Event{Kind: FileChange, Path: c.path, Text: c.kind}
		if head, err := s.readFile(c.path, 0, min(MaxText, left)); err == nil && !s.isCanaryFile(c.path) {
			left -= len(head)
			e.Canaries = s.finder.Names(string(bytes.ToValidUTF8(head, nil)))
		}
		s.recorder.record(e)
	}
}

// isFull reports whether there is no room left for what the server writes.
func (s *Sandbox) isFull() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var st unix.Statfs_t
	return s.private != nil && unix.Fstatfs(int(s.private.Fd()), &st) == nil && (st.Bfree == 0 || st.Ffree == 0)
}

func (s *Sandbox) isCanaryFile(p string) bool {
	return slices.ContainsFunc(s.canaries, func(c Canary) bool { return c.Path != "" && inHome(s.view.home, c.Path) == p })
}

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
