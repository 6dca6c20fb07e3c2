package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"gauntlet/internal/run/userfile"
	"gauntlet/result"
)

// cacheDirectory is where files of one kind are kept between runs.
func (a *app) cacheDirectory(kind string) (string, error) {
	if dir := a.getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "gauntlet", kind), nil
	}
	for _, place := range [][]string{{"LOCALAPPDATA"}, {"HOME", ".cache"}} {
		if dir := a.getenv(place[0]); dir != "" {
			return filepath.Join(append(append([]string{dir}, place[1:]...), "gauntlet", kind)...), nil
		}
	}
	return "", errors.New("there is no cache directory")
}

// lastReport is the file that holds the findings of the last run in the working directory.
func (a *app) lastReport() (string, error) {
	dir, err := a.cacheDirectory("last")
	if err != nil {
		return "", err
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(here))
	return filepath.Join(dir, hex.EncodeToString(sum[:8])+".json"), nil
}

// keepFindings keeps what suppress needs of a report, readable by the user alone. A run does not fail where it
// cannot be kept.
func (a *app) keepFindings(r *result.Report) {
	name, err := a.lastReport()
	if err != nil || os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	kept := result.Report{SchemaVersion: r.SchemaVersion, Tool: r.Tool, Findings: r.Findings, Suppressed: r.Suppressed}
	_ = userfile.WritePrivate(name, nil, func(w io.Writer) error { return json.NewEncoder(w).Encode(&kept) })
}
