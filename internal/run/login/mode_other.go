//go:build !unix

package login

import "io/fs"

// othersCanRead is false where modes do not say it: the folder of the user is theirs alone.
func othersCanRead(fs.FileInfo) bool { return false }

// isOurs is true for the same reason.
func isOurs(fs.FileInfo) bool { return true }
