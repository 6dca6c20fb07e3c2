package proberun

import (
	"os/exec"
	"strings"
	"testing"
)

// git itself takes the planted repository for one, with a commit, a tag and a remote it can fetch from.
func TestPlantedRepository(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	l := newLayout(t.TempDir(), randomWord, nil)
	if err := l.write(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ args, want string }{
		{"log --oneline", "First commit"},
		{"tag", "v1.0.0"},
		{"show HEAD:README.md", "# Example"},
		{"fetch origin", ""},
		{"fsck --strict", ""},
	} {
		cmd := exec.Command("git", append([]string{"-c", "safe.directory=*", "-C", l.place.Root}, strings.Fields(tt.args)...)...)
		cmd.Env = []string{"HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "PATH=/usr/bin:/bin:/usr/local/bin"}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), tt.want) {
			t.Errorf("git %s: %s, %v; want %q", tt.args, out, err, tt.want)
		}
	}
}
