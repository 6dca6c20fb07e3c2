package fetch

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func newFetcher(t *testing.T) *Fetcher {
	t.Helper()
	return &Fetcher{Cache: t.TempDir(), Environ: os.Environ(), Now: time.Now, Progress: func(string, ...any) {}}
}

// A checkout that holds a module of the name of pip runs nothing.
func TestPipIsNotTakenFromTheWorkingDirectory(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pip.py"), []byte("open('pwned', 'w')\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	_, _ = newFetcher(t).newPip(t.Context()) // fails where there is no pip
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("the pip.py of the working directory ran")
	}
}

// A repository cannot hide files from an archive, and a hook's variables do not lead us into the user's repository.
func TestGitShowsEveryFile(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	repository := t.TempDir()
	for name, text := range map[string]string{".gitattributes": "hidden.js export-ignore\nshown.js export-subst\n", "hidden.js": "x", "shown.js": "$Format:%H$", "package.json": `{"name": "x"}`} {
		if err := os.WriteFile(filepath.Join(repository, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "x"}} {
		if out, err := exec.Command("git", append([]string{"-C", repository}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	users := filepath.Join(t.TempDir(), "users.git")
	f := newFetcher(t)
	f.Environ = append(f.Environ, "GIT_DIR="+users)
	p, err := f.fetchGit(context.Background(), Spec{Kind: Git, Name: "file://" + repository, Text: "git:x"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(p.Dir, "hidden.js")); err != nil {
		t.Error("the archive lacks what the repository marks export-ignore")
	}
	if text, _ := os.ReadFile(filepath.Join(p.Dir, "shown.js")); string(text) != "$Format:%H$" {
		t.Errorf("a file was changed: %q", text)
	}
	if _, err := os.Stat(users); err == nil {
		t.Error("git used the repository that GIT_DIR names")
	}
}
