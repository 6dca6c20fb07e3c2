package userfile

import (
	"os"
	"path/filepath"
	"strings"
)

// IsFolder reports whether a name is that of a folder, there or to be made.
func IsFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir() || strings.HasSuffix(name, "/") || strings.HasSuffix(name, string(filepath.Separator))
}
