// Package buildinfo describes this program's build.
package buildinfo

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"gauntlet/report"
)

// A Build describes this program's build.
type Build struct {
	Version  string `json:"version"`            // "devel" for a build outside a release
	Go       string `json:"go"`                 // compiler version
	Platform string `json:"platform"`           // e.g. linux/amd64
	Commit   string `json:"commit,omitempty"`   // "" if unknown
	Modified bool   `json:"modified,omitempty"` // the sources had uncommitted changes
}

// Read returns what the program knows about its build.
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

// Write writes the build as "json" or for a person.
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
