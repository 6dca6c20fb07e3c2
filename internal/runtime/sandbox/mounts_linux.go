package sandbox

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// takeMounts makes mounts of what is to be shown, where we are root: the server is a user to whom
// nothing belongs, and in these mounts what belongs to root belongs to that user. pid is the first
// process of the sandbox. Without root, or where a file system cannot do that, the first
// process takes what it finds.
func (s *setup) takeMounts(pid int) (fds []int) {
	if os.Geteuid() != 0 {
		return nil
	}
	users, err := os.Open("/proc/" + strconv.Itoa(pid) + "/ns/user")
	if err != nil {
		return nil
	}
	defer users.Close()
	for _, list := range [][]shown{s.Dirs, s.Binds} {
		for i := range list {
			if len(fds) == maxFiles-4 {
				return fds
			}
			if fd, ok := takeMount(list[i].Path, int(users.Fd())); ok {
				fds = append(fds, fd)
				list[i].Mount = true
			}
		}
	}
	return fds
}

// takeMount makes a mount of a folder or a regular file.
func takeMount(path string, users int) (fd int, ok bool) {
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink != 0 {
		return 0, false // the first process shows links as links
	}
	fd, err := unix.OpenTree(unix.AT_FDCWD, filepath.Clean(path), unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return 0, false
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_IDMAP, Userns_fd: uint64(users)}
	_ = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &attr) // a file system without it shows what everybody may read
	return fd, true
}
