// Package buildinfo says what this program was built from.
package buildinfo

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"gauntlet/report"
)

// A Build says what this program was built from.
type Build struct {
	Version  string `json:"version"`            // "devel" for a build outside a release
	Go       string `json:"go"`                 // of the compiler
	Platform string `json:"platform"`           // as in linux/amd64
	Commit   string `json:"commit,omitempty"`   // "" where the build did not know it
	Modified bool   `json:"modified,omitempty"` // the sources differed from the commit
}

// Read returns what the program knows of its build.
func Read() Build {
	b := Build{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// Write writes what the program was built from, as "json" or for a person.
func Write(w io.Writer, format string) error {
	b := Read()
	if format == "json" {
		return report.WriteJSON(w, b)
	}
	commit := "unknown"
	if b.Commit != "" {
		commit = b.Commit
	}
	if b.Modified {
		commit += " (modified)"
	}
	_, err := fmt.Fprintf(w, "gauntlet %s\ncommit   %s\ngo       %s %s\n", b.Version, commit, b.Go, b.Platform)
	return err
}
