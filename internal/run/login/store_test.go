package login

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gauntlet/internal/runtime/oauth"
)

// fakeRing is a keyring in memory.
type fakeRing struct {
	kept    map[string]string
	broken  bool
	longest int
}

var errRing = errors.New("no keyring")

func (r *fakeRing) get(origin string) (string, error) {
	if text, ok := r.kept[origin]; ok && !r.broken {
		return text, nil
	}
	return "", errRing
}

func (r *fakeRing) set(origin, text string) error {
	if r.broken || r.longest > 0 && len(text) > r.longest {
		return errRing
	}
	r.kept[origin] = text
	return nil
}

func (r *fakeRing) remove(origin string) error { delete(r.kept, origin); return nil }
func (r *fakeRing) works() bool                { return !r.broken }

func newStore(t *testing.T, r *fakeRing) *Store {
	t.Helper()
	if r == nil {
		return &Store{Path: filepath.Join(t.TempDir(), "gauntlet", "logins.json"), Place: File, ring: &fakeRing{broken: true}}
	}
	return &Store{Path: filepath.Join(t.TempDir(), "gauntlet", "logins.json"), Place: Automatic, ring: r}
}

func loginAt(server, token string) *oauth.Login {
	return &oauth.Login{Server: server, Access: token, Refresh: "refresh-" + token, Client: oauth.Registration{Issuer: "https://as.example", ID: "c"}}
}

// A login is used for its URL and what lies below, and for no other place of its origin.
func TestFindOfPaths(t *testing.T) {
	s := newStore(t, nil)
	for server, token := range map[string]string{"https://h.example/a": "a", "https://h.example/a/b": "ab", "https://other.example": "o"} {
		if err := s.Save(loginAt(server, token)); err != nil {
			t.Fatal(err)
		}
	}
	for server, want := range map[string]string{
		"https://h.example/a": "a", "https://h.example/a/": "a", "https://h.example/a/x": "a", "https://h.example/a/b/c": "ab", "https://H.example:443/a": "a",
		"https://h.example/ab": "", "https://h.example/": "", "http://h.example/a": "", "https://h.example:8443/a": "", "https://other.example/x": "o",
		"https://h.example/a/../b": "", "https://h.example/a/..": "", "https://h.example/a/%2e%2e/b": "", "https://h.example/a/%252e%252E/b": "", "https://h.example/a/..%2fb": "", "https://h.example/a/..%5cb": "", "https://h.example/a/..;x/b": "",
		"https://h.example/a/b/../../c": "", "https://h.example/a/...": "a", "https://h.example/a/b..c": "a", "https://h.example/a/x..": "a", "https://h.example/a/100%25": "a", "https://other.example/x/../y": "o",
	} {
		l, err := s.Find(server)
		got := ""
		if l != nil {
			got = l.Access
		}
		if err != nil || got != want {
			t.Errorf("%s: token %q, %v; want %q", server, got, err, want)
		}
	}
	if err := s.Remove("https://h.example/a"); err != nil {
		t.Fatal(err)
	}
	if l, _ := s.Find("https://h.example/a"); l != nil {
		t.Error("a login that was removed is found")
	}
}

// The file is its owner's alone, and one that is not is refused.
func TestFileIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes do not say it there")
	}
	s := newStore(t, nil)
	if err := s.Save(loginAt("https://h.example/a", "a")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{s.Path: 0o600, filepath.Dir(s.Path): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, %v; want %v", filepath.Base(path), info.Mode(), err, want)
		}
	}
	if err := os.Chmod(s.Path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Find("https://h.example/a"); err == nil || !strings.Contains(err.Error(), "can be read by others") {
		t.Errorf("a file that others can read: %v", err)
	}
}

// A file that another user put there is refused, although nobody else can read it.
func TestFileOfAnotherUser(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the folder of the user is theirs alone")
	}
	s := newStore(t, nil)
	if err := s.Save(loginAt("https://h.example/a", "a")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.Path)
	if err != nil || !isOurs(info) {
		t.Errorf("our own file is %v, %v", info, err)
	}
	switch err := os.Chown(s.Path, 12345, -1); {
	case err == nil:
		if _, err := s.Find("https://h.example/a"); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
			t.Errorf("a file of another user: %v", err)
		}
	case os.Geteuid() != 0: // who may give no file away looks at one of root
		if info, err := os.Stat("/"); err != nil || isOurs(info) {
			t.Errorf("the root folder is %v, %v", info, err)
		}
	default:
		t.Fatal(err)
	}
}

// With a keyring the file has no secret; without one, or where the keyring takes no such text, it has.
func TestKeyring(t *testing.T) {
	for _, tt := range []struct {
		name   string
		ring   *fakeRing
		inFile bool
	}{
		{"there is one", &fakeRing{kept: map[string]string{}}, false},
		{"there is none", &fakeRing{broken: true}, true},
		{"it takes short texts only", &fakeRing{kept: map[string]string{}, longest: 10}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t, tt.ring)
			if err := s.Save(loginAt("https://h.example/a", "topsecretvalue")); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(s.Path)
			if err != nil || strings.Contains(string(text), "topsecretvalue") != tt.inFile {
				t.Errorf("the file has %s, %v", text, err)
			}
			if l, err := s.Find("https://h.example/a"); err != nil || l == nil || l.Access != "topsecretvalue" {
				t.Errorf("found %v, %v", l, err)
			}
			if err := s.Remove("https://h.example/a"); err != nil {
				t.Fatal(err)
			}
			if len(tt.ring.kept) != 0 {
				t.Error("the keyring still has the login")
			}
		})
	}
	ring := &fakeRing{kept: map[string]string{}}
	moved := newStore(t, ring)
	for _, place := range []Place{File, Keyring, File} {
		moved.Place = place
		if err := moved.Save(loginAt("https://h.example/a", "a")); err != nil {
			t.Fatal(err)
		}
		where, err := moved.Origins()
		if err != nil || where["https://h.example"] != place || (len(ring.kept) == 1) != (place == Keyring) {
			t.Errorf("kept in %s, %v, with %d entries in the keyring; want %s", where, err, len(ring.kept), place)
		}
	}
	s := newStore(t, &fakeRing{broken: true})
	s.Place = Keyring
	if err := s.Save(loginAt("https://h.example/a", "a")); err == nil {
		t.Error("a login went into the file though the user wants the keyring")
	}
}
