package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// rootBuilder builds the root of what the server sees. Until it is entered, the machine's own
// root is at /old, the new one at /new, and what can be written to at /private.
type rootBuilder struct {
	setup   *setup
	mounts  []*os.File
	private int // a descriptor of what can be written to
	held    []Protection
	copies  int
}

func (b *rootBuilder) build() error {
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"a place to build at", b.enterStage},
		{"the system", b.showSystem},
		{"private folders", b.makePrivate},
		{"/etc", b.layEtc},
		{"devices", b.makeDevices},
		{"/proc", b.mountProc},
		{"folders of the command", b.showDirs},
		{"files of the command", b.showFiles},
		{"canaries and fixtures", b.placeFiles},
		{"the new root", b.enterRoot},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// privateFlags are those of every mount that holds data: nothing on it is a device or gains rights.
const privateFlags = unix.MS_NOSUID | unix.MS_NODEV

// enterStage leaves the machine's root at /old.
func (b *rootBuilder) enterStage() error {
	unix.Umask(0)
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	const stage = "/tmp" // any folder that is there
	if err := unix.Mount("stage", stage, "tmpfs", privateFlags, "mode=755,size=16m"); err != nil {
		return err
	}
	if err := os.Mkdir(stage+"/old", 0o755); err != nil {
		return err
	}
	if err := unix.PivotRoot(stage, stage+"/old"); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	if err := mountTmpfs("/new", "mode=755,size=16m"); err != nil {
		return err
	}
	if err := mountTmpfs("/private", fmt.Sprintf("mode=755,size=%d,nr_inodes=%d", b.setup.Disk, b.setup.Inodes)); err != nil {
		return err
	}
	var err error
	b.private, err = unix.Open("/private", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return err
}

func mountTmpfs(at, options string) error {
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	return unix.Mount("tmpfs", at, "tmpfs", privateFlags, options)
}

// showSystem shows the folders of the system read-only, and its links as links.
func (b *rootBuilder) showSystem() error {
	for _, name := range b.setup.System {
		old := "/old/" + name
		info, err := os.Lstat(old)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			if err := copyLink(old, "/new/"+name); err != nil {
				return err
			}
		case info.IsDir():
			if err := bindReadOnly(old, "/new/"+name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

func copyLink(from, to string) error {
	target, err := os.Readlink(from)
	if err != nil {
		return err
	}
	return os.Symlink(target, to)
}

// bindReadOnly shows a file or folder with everything that is mounted below it.
func bindReadOnly(from, to string) error {
	fd, err := unix.OpenTree(unix.AT_FDCWD, from, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return fmt.Errorf("open_tree: %w", err)
	}
	defer unix.Close(fd)
	if err := makeTarget(from, to); err != nil {
		return err
	}
	return attachReadOnly(fd, to)
}

// attachReadOnly shows a mount that is nowhere yet.
func attachReadOnly(fd int, to string) error {
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return fmt.Errorf("mount_setattr: %w", err)
	}
	if err := unix.MoveMount(fd, "", unix.AT_FDCWD, to, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("move_mount: %w", err)
	}
	return nil
}

// makeTarget makes an empty file or folder to mount on, of the kind that from is.
func makeTarget(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.MkdirAll(to, 0o755)
	}
	return makeFile(to)
}

func makeFile(to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// privateFolders can be written to and are empty at the start, but for canaries and fixtures.
var privateFolders = map[string]fs.FileMode{"tmp": fs.ModeSticky | 0o777, "run": 0o755, "srv": 0o755, "var": 0o755, "mnt": 0o755, "home": 0o755}

// makePrivate makes the folders that can be written to, HOME last since it may stand in another.
func (b *rootBuilder) makePrivate() error {
	for name, mode := range privateFolders {
		if err := b.addPrivate("/"+name, mode); err != nil {
			return err
		}
	}
	if err := os.MkdirAll("/new/var/tmp", 0o777); err != nil {
		return err
	}
	for _, name := range []string{"lib", "log", "cache"} {
		if err := os.Mkdir("/new/var/"+name, 0o755); err != nil {
			return err
		}
	}
	if err := os.Symlink("/run", "/new/var/run"); err != nil {
		return err
	}
	if err := os.Mkdir("/new/sys", 0o555); err != nil {
		return err
	}
	return b.addPrivate(b.setup.Home, 0o700)
}

// addPrivate shows a new folder of /private at a path.
func (b *rootBuilder) addPrivate(path string, mode fs.FileMode) error {
	source := "/private/files" + path
	if err := os.MkdirAll(source, 0o755); err != nil {
		return err
	}
	if err := os.Chmod(source, mode); err != nil {
		return err
	}
	if err := os.MkdirAll("/new"+path, 0o755); err != nil {
		return err
	}
	return unix.Mount(source, "/new"+path, "", unix.MS_BIND, "")
}

// layEtc puts our files in front of those of /etc.
func (b *rootBuilder) layEtc() error {
	for i := range b.setup.Etc {
		if err := placeFile("/ours", &b.setup.Etc[i]); err != nil {
			return err
		}
	}
	if err := os.MkdirAll("/new/etc", 0o755); err != nil {
		return err
	}
	return unix.Mount("overlay", "/new/etc", "overlay", privateFlags|unix.MS_RDONLY, "lowerdir=/ours/etc:/old/etc,userxattr")
}

// deviceNames are the devices that programs expect.
var deviceNames = []string{"null", "zero", "full", "random", "urandom", "tty"}

func (b *rootBuilder) makeDevices() error {
	if err := os.MkdirAll("/new/dev", 0o755); err != nil {
		return err
	}
	for _, name := range deviceNames {
		if err := makeTarget("/old/dev/"+name, "/new/dev/"+name); err != nil {
			return err
		}
		if err := unix.Mount("/old/dev/"+name, "/new/dev/"+name, "", unix.MS_BIND, ""); err != nil {
			return err
		}
	}
	for name, target := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		if err := os.Symlink(target, "/new/dev/"+name); err != nil {
			return err
		}
	}
	if err := os.Mkdir("/new/dev/pts", 0o755); err != nil {
		return err
	}
	_ = unix.Mount("devpts", "/new/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620") // few servers want a terminal
	return b.addPrivate("/dev/shm", fs.ModeSticky|0o777)
}

// hiddenProc are files of /proc that tell of the machine and not of processes.
var hiddenProc = []string{"kcore", "keys", "key-users", "timer_list", "sched_debug", "latency_stats", "kallsyms", "kmsg", "sysrq-trigger", "config.gz", "modules", "mounts.old"}

func (b *rootBuilder) mountProc() error {
	if err := os.MkdirAll("/new/proc", 0o755); err != nil {
		return err
	}
	if err := unix.Mount("proc", "/new/proc", "proc", privateFlags|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("%w (a container hides parts of /proc, which forbids a new one; Docker shows it with --security-opt systempaths=unconfined)", err)
	}
	for _, name := range hiddenProc {
		if _, err := os.Lstat("/new/proc/" + name); err == nil {
			if err := unix.Mount("/old/dev/null", "/new/proc/"+name, "", unix.MS_BIND, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// showDirs shows folders of the command as copies: what is written goes to /private, and a socket
// of this machine that lies in them cannot be connected to.
func (b *rootBuilder) showDirs() error {
	for _, d := range b.setup.Dirs {
		if err := b.showDir(d); err != nil {
			return fmt.Errorf("%s: %w", d.Path, err)
		}
	}
	return nil
}

func (b *rootBuilder) showDir(d shown) error {
	lower := "/old" + d.Path
	if d.Mount && len(b.mounts) > 0 {
		lower = fmt.Sprintf("/lower/%d", b.copies)
		if err := os.MkdirAll(lower, 0o755); err != nil {
			return err
		}
		if err := unix.MoveMount(int(b.nextMount().Fd()), "", unix.AT_FDCWD, lower, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return err
		}
	}
	info, err := os.Stat(lower)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	upper, work := fmt.Sprintf("/private/copies/%d/upper", b.copies), fmt.Sprintf("/private/copies/%d/work", b.copies)
	b.copies++
	for _, dir := range []string{upper, work, "/new" + d.Path} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if err := os.Chmod(upper, info.Mode().Perm()|0o700); err != nil {
		return err
	}
	options := "lowerdir=" + escapeOverlay(lower) + ",upperdir=" + upper + ",workdir=" + work + ",userxattr"
	err = unix.Mount("overlay", "/new"+d.Path, "overlay", privateFlags, options)
	if err == nil {
		return nil
	}
	b.held = append(b.held, Protection{Name: "copy of " + d.Path, Detail: "it is shown read-only, and sockets in it can be connected to: " + err.Error()})
	return bindReadOnly(lower, "/new"+d.Path)
}

func escapeOverlay(path string) string {
	return strings.NewReplacer(`\`, `\\`, ":", `\:`, ",", `\,`).Replace(path)
}

// nextMount is the next of the mounts that came with the setup.
func (b *rootBuilder) nextMount() *os.File {
	fd := b.mounts[0]
	b.mounts = b.mounts[1:]
	return fd
}

func (b *rootBuilder) showFiles() error {
	for _, f := range b.setup.Binds {
		if err := b.showFile(f); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return nil
}

func (b *rootBuilder) showFile(f shown) error {
	if f.Mount && len(b.mounts) > 0 {
		if err := makeFile("/new" + f.Path); err != nil {
			return err
		}
		return attachReadOnly(int(b.nextMount().Fd()), "/new"+f.Path)
	}
	info, err := os.Lstat("/old" + f.Path)
	switch {
	case err != nil:
		return nil // it may be behind a link that is followed inside
	case info.Mode()&fs.ModeSymlink != 0:
		return b.showLink(f.Path)
	case info.Mode().IsRegular():
		return bindReadOnly("/old"+f.Path, "/new"+f.Path)
	}
	return nil
}

func (b *rootBuilder) showLink(path string) error {
	if err := os.MkdirAll(filepath.Dir("/new"+path), 0o755); err != nil {
		return err
	}
	if err := copyLink("/old"+path, "/new"+path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func (b *rootBuilder) placeFiles() error {
	for i := range b.setup.Files {
		if err := placeFile("/new", &b.setup.Files[i]); err != nil {
			return fmt.Errorf("%s: %w", b.setup.Files[i].Path, err)
		}
	}
	return nil
}

// placeFile writes a file, folder or link below a root.
func placeFile(root string, f *File) error {
	path := root + filepath.Clean("/"+f.Path)
	if f.Mode.IsDir() {
		return os.MkdirAll(path, f.permissions(0o700))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if f.Link != "" {
		return os.Symlink(f.Link, path)
	}
	if err := os.WriteFile(path, f.Data, f.permissions(0o600)); err != nil {
		return err
	}
	return os.Chmod(path, f.permissions(0o600))
}

func (f *File) permissions(usual fs.FileMode) fs.FileMode {
	if f.Mode.Perm() == 0 {
		return usual
	}
	return f.Mode.Perm()
}

// enterRoot makes the new root the only one there is, and closes it against changes.
func (b *rootBuilder) enterRoot() error {
	if err := unix.Mount("", "/new", "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|privateFlags, ""); err != nil {
		return err
	}
	if err := os.Chdir("/new"); err != nil {
		return err
	}
	// The old root, and with it everything that is only there, is put on top of the new one and
	// taken away.
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return err
	}
	unix.Umask(0o022)
	return os.Chdir("/")
}
