package userfile

import (
	"errors"
	"path/filepath"
)

// CacheDirectory returns the directory for one kind of cached file.
func CacheDirectory(kind string, getenv func(string) string) (string, error) {
	if dir := getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "gauntlet", kind), nil
	}
	for _, place := range [][]string{{"LOCALAPPDATA"}, {"HOME", ".cache"}} {
		if dir := getenv(place[0]); dir != "" {
			return filepath.Join(append(append([]string{dir}, place[1:]...), "gauntlet", kind)...), nil
		}
	}
	return "", errors.New("there is no cache directory")
}
