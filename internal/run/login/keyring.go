package login

import (
	"errors"
	"time"

	"github.com/zalando/go-keyring"
)

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

// inTime waits for the keyring at most keyringTime.
func inTime(ask func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	got := make(chan answer, 1)
	// Ends with the keyring's answer; the library cannot cancel it.
	go func() {
		text, err := ask()
		got <- answer{text, err}
	}()
	timer := time.NewTimer(keyringTime)
	defer timer.Stop()
	select {
	case a := <-got:
		return a.text, a.err
	case <-timer.C:
		return "", errSlow
	}
}
