// Package fleet runs a plan over many targets: it makes jobs of the plan, has workers do them in processes of their own, and
// collects what came of each.
package fleet

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/run/userfile"
	"gauntlet/result"
)

// A Home is the directory beside a plan in which its keys, its list of jobs and, without a cluster, its store are.
type Home struct{ Dir string }

// HomeOf is the home of a plan file.
func HomeOf(plan string) Home {
	return Home{strings.TrimSuffix(plan, filepath.Ext(plan)) + ".fleet"}
}

func (h Home) file(name string) string { return filepath.Join(h.Dir, name) }

// WorkerKeys is the name of the file that workers on other machines need.
func (h Home) WorkerKeys() string { return h.file("worker.key") }

const maxSmallFile = 4096

// ReadKeys reads a file with the keys of an owner or of a worker.
func ReadKeys(name string, owner bool) (*Keys, error) {
	text, err := userfile.ReadText(name, nil, maxSmallFile)
	var keys *Keys
	if err == nil {
		keys, err = ParseKeys([]byte(text), owner)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, userfile.Reason(err))
	}
	return keys, nil
}

// OpenKeys reads the keys of the plan, and makes them and the directory if there are none.
func (h Home) OpenKeys() (*Keys, error) {
	keys, err := ReadKeys(h.file("plan.key"), true)
	if !errors.Is(err, userfile.ErrMissing) {
		return keys, err
	}
	if err := os.MkdirAll(h.Dir, 0o700); err != nil {
		return nil, err
	}
	if keys, err = NewKeys(rand.Reader); err != nil {
		return nil, err
	}
	return keys, errors.Join(writeJSON(h.WorkerKeys(), keys.Worker()), writeJSON(h.file("plan.key"), keys))
}

func writeJSON(name string, v any) error {
	return userfile.WritePrivate(name, nil, func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
}

// readList reads the list of all jobs of the plan, none of them done.
func (h Home) readList() (*result.Fleet, error) {
	name := h.file("jobs.json")
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l := &result.Fleet{}
	if err := json.NewDecoder(f).Decode(l); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}
