package runstate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/run/userfile"
	"gauntlet/result"
)

// LastReport returns the file with the findings of the last run in the working directory.
func LastReport(getenv func(string) string) (string, error) {
	dir, err := userfile.CacheDirectory("last", getenv)
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

// FindReport is LastReport if a run has left one; otherwise it fails.
func FindReport(getenv func(string) string) (string, error) {
	last, err := LastReport(getenv)
	if err == nil {
		_, err = os.Stat(last)
	}
	if err != nil {
		return "", errors.New("no run in this directory has left findings")
	}
	return last, nil
}

// ReadReport reads the named JSON report, "-" for standard input, "" for the last run's in the working directory. Its errors say
// which.
func ReadReport(name string, getenv func(string) string, read func(name string) (string, error)) (*result.Report, error) {
	shown := name
	switch name {
	case "-":
		shown = "standard input"
	case "":
		last, err := FindReport(getenv)
		if err != nil {
			return nil, fmt.Errorf("%w: name a JSON report with --from, as gauntlet scan --report json=FILE writes it", err)
		}
		shown, name = "the last run", last
	}
	text, err := read(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, userfile.Reason(err))
	}
	r, err := ParseReport(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	return r, nil
}

// ParseReport parses a JSON report of version 1.
func ParseReport(text string) (*result.Report, error) {
	r := new(result.Report)
	if err := json.Unmarshal([]byte(text), r); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(r.SchemaVersion, "1.") {
		return nil, errors.New("it is not a JSON report of gauntlet scan, version 1")
	}
	return r, nil
}

// KeepFindings stores what suppress needs of a report, readable by the user alone. Failures are ignored.
func KeepFindings(r *result.Report, getenv func(string) string) {
	name, err := LastReport(getenv)
	if err != nil || os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	kept := result.Report{SchemaVersion: r.SchemaVersion, Tool: r.Tool, Findings: r.Findings, Suppressed: r.Suppressed}
	_ = userfile.WritePrivate(name, nil, func(w io.Writer) error { return json.NewEncoder(w).Encode(&kept) })
}
