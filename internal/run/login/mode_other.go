//go:build !unix

package login

import "io/fs"

// othersCanRead is false where modes do not tell: the user's folder is private.
func othersCanRead(fs.FileInfo) bool { return false }

// isOurs is true for the same reason.
func isOurs(fs.FileInfo) bool { return true }
