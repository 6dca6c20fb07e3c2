package userfile

import (
	"os"
	"path/filepath"
	"strings"
)

// IsFolder reports whether a name is a folder, existing or to be created.
func IsFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir() || strings.HasSuffix(name, "/") || strings.HasSuffix(name, string(filepath.Separator))
}
