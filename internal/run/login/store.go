package login

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zalando/go-keyring"

	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/oauth"
)

// maxStore bounds the file of logins, in bytes.
const maxStore = 8 << 20

// A Place is where the logins' secrets are stored.
type Place string

// The places. Automatic is the keyring if there is one, else the file.
const (
	Automatic Place = "auto"
	Keyring   Place = "keyring"
	File      Place = "file"
)

// Places lists the places' flag values.
func Places() []string { return []string{string(Automatic), string(Keyring), string(File)} }

// A Store stores logins. It is safe for concurrent use in one process; of several processes the last writer wins.
type Store struct {
	// Path is the file of logins, which also lists those in the keyring.
	Path string
	// Place is where new logins are stored.
	Place Place

	mu   sync.Mutex
	ring ring // nil for the system's
}

type storeFile struct {
	Version int               `json:"version"`
	Origins map[string]*entry `json:"origins"`
}

// An entry holds one origin's logins, here or in the keyring.
type entry struct {
	Keyring bool          `json:"keyring,omitempty"`
	Logins  []oauth.Login `json:"logins,omitempty"`
}

const storeVersion = 1

// read reads the file; a missing one is empty. A file that others can read is rejected: its contents are no longer secret.
func (s *Store) read() (*storeFile, error) {
	all := &storeFile{Version: storeVersion, Origins: map[string]*entry{}}
	info, err := os.Stat(s.Path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return all, nil
	case err != nil:
		return nil, fmt.Errorf("the file of logins: %w", userfile.Reason(err))
	case othersCanRead(info):
		return nil, fmt.Errorf("the file of logins %s can be read by others: make it yours alone (chmod 600), and log in again if it was not", s.Path)
	case !info.Mode().IsRegular() || !isOurs(info):
		return nil, fmt.Errorf("the file of logins %s belongs to another user, or is no file: what it holds is theirs; remove it, or name another with GAUNTLET_LOGINS", s.Path)
	}
	text, err := userfile.ReadText(s.Path, nil, maxStore)
	if err != nil {
		return nil, fmt.Errorf("the file of logins: %w", userfile.Reason(err))
	}
	if err := json.Unmarshal([]byte(text), all); err != nil || all.Version != storeVersion || all.Origins == nil {
		return nil, fmt.Errorf("the file of logins %s is not one of this version of gauntlet", s.Path)
	}
	for origin, e := range all.Origins {
		if e == nil {
			delete(all.Origins, origin)
		}
	}
	return all, nil
}

func (s *Store) write(all *storeFile) error {
	if s.Path == "" {
		return errors.New("no user folder for logins was found: name a file with GAUNTLET_LOGINS")
	}
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o700); err != nil {
		return fmt.Errorf("the folder of logins: %w", userfile.Reason(err))
	}
	return userfile.WritePrivate(s.Path, nil, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(all)
	})
}

// loginsOf returns an entry's logins, wherever they are stored.
func (s *Store) loginsOf(origin string, e *entry) ([]oauth.Login, error) {
	if !e.Keyring {
		return e.Logins, nil
	}
	text, err := s.keyring().get(origin)
	if err != nil {
		return nil, fmt.Errorf("the login at %s is in the keyring, which cannot be read: %w", origin, err)
	}
	var logins []oauth.Login
	if err := json.Unmarshal([]byte(text), &logins); err != nil {
		return nil, fmt.Errorf("the entry of the keyring for %s is not a login", origin)
	}
	return logins, nil
}

// Find returns the login for a URL, or nil: of those at its origin, the one with the longest path that contains the URL.
func (s *Store) Find(server string) (*oauth.Login, error) {
	all, err := s.At(server)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(server)
	if err != nil {
		return nil, nil // connecting reports it
	}
	var best *oauth.Login
	for i := range all {
		if l := &all[i]; liesBelow(l.Server, u) && (best == nil || len(l.Server) > len(best.Server)) {
			best = l
		}
	}
	return best, nil
}

// At returns all logins at a server's origin.
func (s *Store) At(server string) ([]oauth.Login, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.read()
	if err != nil {
		return nil, err
	}
	origin := originOf(server)
	if e := all.Origins[origin]; e != nil {
		return s.loginsOf(origin, e)
	}
	return nil, nil
}

// liesBelow reports whether a URL is a login's server or below its path.
func liesBelow(server string, u *url.URL) bool {
	base, err := url.Parse(server)
	if err != nil || originOf(server) != originOf(u.String()) {
		return false
	}
	want, has := strings.TrimSuffix(base.Path, "/"), strings.TrimSuffix(u.Path, "/")
	return (has == want || strings.HasPrefix(has, want+"/")) && (want == "" || !climbs(u.EscapedPath()))
}

// climbs reports whether some server would read a part of the path, in any encoding, as a step up, which leads out of a server's
// path.
func climbs(path string) bool {
	for range 3 { // encoded repeatedly
		for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
			if name, _, _ := strings.Cut(part, ";"); name == ".." {
				return true
			}
		}
		plain, err := url.PathUnescape(path)
		if err != nil || plain == path {
			return false // nothing is left to decode
		}
		path = plain
	}
	return true
}

// Save stores a login, replacing the one for the same server.
func (s *Store) Save(l *oauth.Login) error {
	return s.change(l.Server, func(logins []oauth.Login) []oauth.Login {
		kept := slices.DeleteFunc(logins, func(o oauth.Login) bool { return o.Server == l.Server })
		return append(kept, *l)
	})
}

// Remove deletes the login for a server.
func (s *Store) Remove(server string) error {
	return s.change(server, func(logins []oauth.Login) []oauth.Login {
		return slices.DeleteFunc(logins, func(o oauth.Login) bool { return o.Server == server })
	})
}

func (s *Store) change(server string, how func([]oauth.Login) []oauth.Login) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.read()
	if err != nil {
		return err
	}
	origin := originOf(server)
	e := all.Origins[origin]
	if e == nil {
		e = &entry{Keyring: s.Place == Keyring || s.Place == Automatic && s.keyring().works()}
	}
	var logins []oauth.Login
	if all.Origins[origin] != nil {
		if logins, err = s.loginsOf(origin, e); err != nil {
			return err
		}
	}
	logins = how(logins)
	if err := s.move(origin, e); err != nil {
		return err
	}
	all.Origins[origin] = e
	if len(logins) == 0 {
		delete(all.Origins, origin)
	}
	if err := s.place(origin, e, logins); err != nil {
		return err
	}
	return s.write(all)
}

// move changes where an origin's logins are stored if the user names another place.
func (s *Store) move(origin string, e *entry) error {
	if s.Place == Automatic || e.Keyring == (s.Place == Keyring) {
		return nil
	}
	e.Keyring = s.Place == Keyring
	if e.Keyring {
		return nil
	}
	return s.keyring().remove(origin)
}

// place stores logins. If the keyring rejects the text, e.g. for its length, they go to the file unless the user asked for the
// keyring.
func (s *Store) place(origin string, e *entry, logins []oauth.Login) error {
	if !e.Keyring {
		e.Logins = logins
		return nil
	}
	if len(logins) == 0 {
		return s.keyring().remove(origin)
	}
	text, err := json.Marshal(logins)
	if err != nil {
		return err
	}
	err = s.keyring().set(origin, string(text))
	if err == nil {
		e.Logins = nil
		return nil
	}
	if s.Place == Keyring {
		return fmt.Errorf("the keyring did not store the login: %w", err)
	}
	_ = s.keyring().remove(origin) // the previous entry is outdated
	e.Keyring, e.Logins = false, logins
	return nil
}

// Origins returns the origins with logins, and where each is stored.
func (s *Store) Origins() (map[string]Place, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.read()
	if err != nil {
		return nil, err
	}
	out := map[string]Place{}
	for origin := range maps.Keys(all.Origins) {
		out[origin] = File
		if all.Origins[origin].Keyring {
			out[origin] = Keyring
		}
	}
	return out, nil
}

// originOf returns a URL's scheme, host and port in canonical spelling, without a trailing slash.
func originOf(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return ""
	}
	host := strings.ToLower(u.Host)
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	return u.Scheme + "://" + host
}

// UsualPlace returns the default place of logins: the file if the user names one, or if the keyring is a desktop service that is
// not running and must not be started for us.
func UsualPlace(getenv func(string) string) Place {
	desktop := runtime.GOOS != "darwin" && runtime.GOOS != "windows"
	if getenv("GAUNTLET_LOGINS") != "" || desktop && getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return File
	}
	return Automatic
}

// FileName returns the file of logins: GAUNTLET_LOGINS, or one in the configuration folder; or "".
func FileName(getenv func(string) string) string {
	if named := getenv("GAUNTLET_LOGINS"); named != "" {
		return named
	}
	home := getenv("HOME")
	folder := cmp.Or(getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	if home == "" && getenv("XDG_CONFIG_HOME") == "" && getenv("APPDATA") == "" {
		return "" // not in the current directory, which may be anybody's
	}
	switch runtime.GOOS {
	case "darwin":
		folder = filepath.Join(home, "Library", "Application Support")
	case "windows":
		folder = getenv("APPDATA")
	}
	return filepath.Join(folder, "gauntlet", "logins.json")
}

// service is the name of our keyring entries.
const service = "gauntlet"

// keyringTime bounds keyring operations: one waiting for an absent user would block everything.
const keyringTime = 20 * time.Second

type ring interface {
	get(origin string) (string, error)
	set(origin, text string) error
	remove(origin string) error
	works() bool
}

func (s *Store) keyring() ring {
	if s.ring != nil {
		return s.ring
	}
	return systemRing{}
}

// systemRing is the system's keyring: Keychain, Credential Manager, Secret Service.
type systemRing struct{}

var errSlow = errors.New("the keyring did not answer in time")

func (systemRing) get(origin string) (string, error) {
	return inTime(func() (string, error) { return keyring.Get(service, origin) })
}

func (systemRing) set(origin, text string) error {
	_, err := inTime(func() (string, error) { return "", keyring.Set(service, origin, text) })
	return err
}

func (systemRing) remove(origin string) error {
	_, err := inTime(func() (string, error) { return "", keyring.Delete(service, origin) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}

// works reports whether there is a keyring, even one without our entry.
func (r systemRing) works() bool {
	_, err := r.get("none")
	return err == nil || errors.Is(err, keyring.ErrNotFound)
}

// inTime waits for the keyring at most keyringTime; the library cannot cancel it.
func inTime(ask func() (string, error)) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), keyringTime)
	defer cancel()
	text, err := interrupt.Try(ctx, ask)
	if errors.Is(err, interrupt.Err) {
		return "", errSlow
	}
	return text, err
}
