package sandbox

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCanariesAreFoundInEveryEncoding(t *testing.T) {
	s := &Sandbox{canaries: newCanaries()}
	s.canaryFiles() // makes the key
	for _, c := range s.canaries {
		if len(c.Value) < 16 {
			t.Errorf("%s: the value %q can be guessed", c.Name, c.Value)
		}
		reversed := []byte(c.Value)
		slices.Reverse(reversed)
		for name, text := range map[string]string{
			"plain": "x " + c.Value + " y", "base64": base64.StdEncoding.EncodeToString([]byte("key: " + c.Value)), "hex": hex.EncodeToString([]byte(c.Value)),
			"url": url.QueryEscape(c.Value), "backwards": string(reversed), "lower case": strings.ToLower(c.Value),
		} {
			if got := newCanaryFinder(s.canaries).Names(text); len(got) != 1 || got[0] != c.Name {
				t.Errorf("%s, %s: found %v in %q", c.Name, name, got, text)
			}
		}
	}
	if got := newCanaryFinder(s.canaries).Names("GET /v1/models of a service, " + strings.Repeat("Zm9v", 100)); got != nil {
		t.Errorf("found %v where there is none", got)
	}
}

func TestCanariesDifferBetweenSandboxes(t *testing.T) {
	a, b := newCanaries(), newCanaries()
	for i := range a {
		if a[i].Value != "" && a[i].Value == b[i].Value {
			t.Errorf("%s is the same twice", a[i].Name)
		}
	}
}

func TestCanariesStandInTheirFiles(t *testing.T) {
	s := &Sandbox{canaries: newCanaries()}
	files := map[string]string{}
	for _, f := range s.canaryFiles() {
		files[f.Path] = string(f.Data)
	}
	for _, c := range s.canaries {
		if c.Path == "" {
			continue
		}
		if got := newCanaryFinder(s.canaries).Names(files[c.Path]); len(got) != 1 || got[0] != c.Name {
			t.Errorf("%s: found %v in\n%s", c.Path, got, files[c.Path])
		}
	}
}

// Other programs read the key and the database.
func TestCanariesHaveTheRightForm(t *testing.T) {
	s := &Sandbox{canaries: newCanaries()}
	dir := t.TempDir()
	for _, f := range s.canaryFiles() {
		name := filepath.Join(dir, filepath.Base(f.Path))
		if f.Link != "" {
			continue
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("ssh", func(t *testing.T) {
		if _, err := exec.LookPath("ssh-keygen"); err != nil {
			t.Skip(err)
		}
		if out, err := exec.Command("ssh-keygen", "-y", "-f", filepath.Join(dir, "id_ed25519")).CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "ssh-ed25519 ") {
			t.Errorf("%s, %v", out, err)
		}
	})
	t.Run("sqlite", func(t *testing.T) {
		if exec.Command("python3", "-c", "import sqlite3").Run() != nil {
			t.Skip("no Python with SQLite")
		}
		const script = "import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); print(d.execute('pragma integrity_check').fetchall(), d.execute('select count(*), max(reference) from customers where name like ?', ('%o%',)).fetchall())"
		out, err := exec.Command("python3", "-c", script, filepath.Join(dir, "customers.db")).CombinedOutput()
		if want := "[('ok',)] [(1, '" + s.find("database_record").Value + "')]"; err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s, %v, want %s", out, err, want)
		}
	})
}

func (s *Sandbox) find(name string) *Canary {
	return &s.canaries[slices.IndexFunc(s.canaries, func(c Canary) bool { return c.Name == name })]
}

// A credential goes home to the service that its file names, and nowhere else.
func TestCanariesBelongWhereTheirFileSays(t *testing.T) {
	for _, tt := range []struct {
		name, host string
		want       bool
	}{
		{"kube_token", "k8s.internal", true}, {"kube_token", "k8s.internal.evil.example", false},
		{"netrc_password", "ftp.example.com", true}, {"netrc_password", "example.com", false},
		{"dotenv_password", "db.internal", true}, {"shell_history_password", "db.internal", false},
		{"git_token", "github.com", true}, {"browser_password", "bank.example.com", false}, // a browser's passwords are for the browser
	} {
		for _, c := range newCanaries() {
			if c.Name == tt.name && c.BelongsTo(tt.host) != tt.want {
				t.Errorf("%s at %s: %t", tt.name, tt.host, !tt.want)
			}
			if c.Name == tt.name && tt.want && !strings.Contains(canaryTemplates[c.Name], tt.host) {
				t.Errorf("the file of %s does not name %s", tt.name, tt.host)
			}
		}
	}
}
