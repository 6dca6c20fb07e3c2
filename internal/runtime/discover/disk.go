package discover

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Disk is this machine's file system.
type Disk struct{}

// Mode returns a file's mode, links followed.
func (Disk) Mode(path string) (fs.FileMode, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Mode(), nil
}

// ReadFile reads the first limit bytes of a file.
func (Disk) ReadFile(path string, limit int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	return io.ReadAll(io.LimitReader(f, int64(limit)))
}

// ReadDir returns the names in a folder, sorted.
func (Disk) ReadDir(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// Resolve returns the absolute path with links resolved: only those can be compared with each other.
func (Disk) Resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}
