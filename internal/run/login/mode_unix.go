//go:build unix

package login

import (
	"io/fs"
	"os"
	"syscall"
)

// othersCanRead reports whether others may read or change a file.
func othersCanRead(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }

// isOurs reports whether a file belongs to the current user.
func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
