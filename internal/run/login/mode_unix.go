//go:build unix

package login

import "io/fs"

// othersCanRead reports whether somebody else may read or change a file.
func othersCanRead(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
