package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gauntlet/internal/leaf/planted"
)

// Planted files lie in a directory of the agent's own, what it leaves there is told, and links lead nowhere.
func TestPlantedFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	outside := filepath.Join(t.TempDir(), "secret.txt")
	script := "cat docs/a.md; printf more >> main.py; mkdir out; printf new > out/b.md; ln -s " + outside + " link.md; ln -s / root; mkfifo pipe; pwd"
	for name, text := range map[string]string{outside: "secret", "agent.sh": script} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	exit, err := Run(t.Context(), Options{
		Command: []string{"sh", "agent.sh"}, Environ: os.Environ(),
		Files: []planted.File{{Path: "docs/a.md", Text: "Read me. "}, {Path: "main.py", Text: "x"}, {Path: "same.md", Text: "same"}},
	})
	if err != nil || exit.Code != 0 || exit.LeftCut {
		t.Fatalf("%+v, %v", exit, err)
	}
	var left []string
	for _, c := range exit.Left {
		left = append(left, c.Arguments["path"].(string)+": "+c.Arguments["content"].(string))
	}
	if want := []string{"main.py: xmore", "out/b.md: new"}; !slices.Equal(left, want) || !strings.HasPrefix(exit.Answer, "Read me. ") {
		t.Errorf("left %q, want %q; answer %q", left, want, exit.Answer)
	}
	dir := strings.TrimSpace(strings.TrimPrefix(exit.Answer, "Read me. "))
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("%s is still there", dir)
	}
}

// More files than are looked at, or a directory that is gone, are told.
func TestLeftFilesAreBounded(t *testing.T) {
	place, err := plantFiles(t.TempDir(), []planted.File{{Path: "a.md", Text: "a"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range mostLeftFiles + 1 {
		if err := os.WriteFile(filepath.Join(place.dir, strings.Repeat("x", i+1)), []byte(strings.Repeat("y", mostLeftText+1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left, cut := place.changedFiles()
	if len(left) != mostLeftFiles || !cut || len(left[0].Arguments["content"].(string)) != mostLeftText {
		t.Errorf("%d files, cut: %t", len(left), cut)
	}
	if err := os.RemoveAll(place.dir); err != nil {
		t.Fatal(err)
	}
	if _, cut := place.changedFiles(); !cut {
		t.Error("nothing is said of a directory that is gone")
	}
	if _, err := plantFiles(t.TempDir(), []planted.File{{Path: "a", Text: "a"}, {Path: "a", Text: "b"}}); err == nil {
		t.Error("a file was overwritten")
	}
}
