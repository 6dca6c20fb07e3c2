package proberun

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"gauntlet/internal/run/launch"
)

func TestLastFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the sandbox is for Linux")
	}
	work := t.TempDir()
	docs := filepath.Join(t.TempDir(), "docs")
	for _, dir := range []string{docs, filepath.Join(docs, "drafts"), filepath.Join(work, "data")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(work, "server.py"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		command []string
		want    string
	}{
		{"an argument", []string{"python3", "server.py", docs}, docs},
		{"an option", []string{"python3", "server.py", "--root=" + docs}, docs},
		{"a folder within another", []string{"python3", "server.py", docs, filepath.Join(docs, "drafts")}, ""},
		{"a folder within the working directory", []string{"python3", "server.py", "data"}, ""},
		{"a file", []string{"python3", "server.py"}, ""},
		{"the working directory", []string{"python3", "server.py", "."}, ""},
		{"a folder above", []string{"python3", "server.py", filepath.Dir(work)}, ""},
		{"a folder of the system", []string{"python3", "server.py", "/usr/lib"}, ""},
		{"a folder that is not there", []string{"python3", "server.py", "none"}, ""},
		{"no arguments", []string{"server"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := lastFolder(launch.Server{Command: tt.command, Dir: work}); got != tt.want {
				t.Errorf("lastFolder(%q) = %q, want %q", tt.command, got, tt.want)
			}
		})
	}
}
