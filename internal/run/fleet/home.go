// Package fleet runs a plan over many targets: it makes jobs of the plan, has workers do them in processes of their own, and
// collects what came of each. The queue and the results are in package broker.
package fleet

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/engine/fleetplan"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/broker"
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

const maxKeyFile = 4096

// OpenKeys reads the keys of the plan, and makes them and the directory if there are none.
func (h Home) OpenKeys() (*fleetplan.Keys, error) {
	text, err := userfile.ReadText(h.file("plan.key"), nil, maxKeyFile)
	if errors.Is(err, userfile.ErrMissing) {
		return h.makeKeys()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h.file("plan.key"), userfile.Reason(err))
	}
	keys, err := fleetplan.ParseKeys([]byte(text), true)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h.file("plan.key"), err)
	}
	return keys, nil
}

// ReadKeys reads the keys of a plan that was run before.
func (h Home) ReadKeys() (*fleetplan.Keys, error) {
	if _, err := os.Stat(h.file("plan.key")); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no fleet yet: begin one with gauntlet-fleet run", h.Dir)
	}
	return h.OpenKeys()
}

func (h Home) makeKeys() (*fleetplan.Keys, error) {
	if err := os.MkdirAll(h.Dir, 0o700); err != nil {
		return nil, userfile.Reason(err)
	}
	keys, err := fleetplan.NewKeys(rand.Reader)
	if err != nil {
		return nil, err
	}
	if err := writeJSON(h.WorkerKeys(), keys.Worker()); err != nil {
		return nil, err
	}
	return keys, writeJSON(h.file("plan.key"), keys)
}

func writeJSON(name string, v any) error {
	return userfile.WritePrivate(name, nil, func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
}

// ReadWorkerKeys reads a file with the keys of a worker.
func ReadWorkerKeys(name string) (*fleetplan.Keys, error) {
	text, err := userfile.ReadText(name, nil, maxKeyFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, userfile.Reason(err))
	}
	keys, err := fleetplan.ParseKeys([]byte(text), false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return keys, nil
}

// An Address is where the embedded server of a running fleet is.
type Address struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// A Server is NATS as a plan's owner reaches it: embedded, or a cluster.
type Server struct {
	Client   *broker.Client
	embedded *broker.Embedded
	address  string // the file that says where embedded is, "" for none
}

// Close ends the connection, and the embedded server if this process has it.
func (s *Server) Close() {
	s.Client.Close()
	if s.embedded != nil {
		s.embedded.Close()
		_ = os.Remove(s.address) // a later reader finds out that nobody answers there
	}
}

// Connect reaches NATS: at access where that names an address; else the embedded server of this home, which is the one of
// another process if one runs, and begun here otherwise.
func (h Home) Connect(access broker.Access) (*Server, error) {
	if access.URL != "" {
		c, err := broker.Connect(access)
		if err != nil {
			return nil, err
		}
		return &Server{Client: c}, nil
	}
	if s := h.findRunning(access); s != nil {
		return s, nil
	}
	return h.startEmbedded(access)
}

// current says where the embedded server of this home is and which token it wants, as far as that is known.
func (h Home) current() (address, token string) {
	text, err := userfile.ReadText(h.file("server.json"), nil, maxKeyFile)
	var at Address
	if err != nil || json.Unmarshal([]byte(text), &at) != nil {
		return "", ""
	}
	return at.URL, at.Token
}

// findRunning connects to the embedded server of another process, nil if there is none. The connection finds a server that is
// begun anew.
func (h Home) findRunning(access broker.Access) *Server {
	access.URL, access.Token = h.current()
	if access.URL == "" {
		return nil
	}
	access.Current = h.current
	c, err := broker.Connect(access)
	if err != nil {
		return nil // it ended without removing the file
	}
	return &Server{Client: c}
}

// Running reports whether another process has the embedded server of this home.
func (h Home) Running() bool {
	s := h.findRunning(broker.Access{Name: "gauntlet-fleet"})
	if s == nil {
		return false
	}
	s.Close()
	return true
}

func (h Home) startEmbedded(access broker.Access) (*Server, error) {
	if err := os.MkdirAll(h.Dir, 0o700); err != nil {
		return nil, userfile.Reason(err)
	}
	e, err := broker.StartEmbedded(h.file("store"))
	if err != nil {
		return nil, err
	}
	s := &Server{embedded: e, address: h.file("server.json")}
	access.Embedded = e
	if s.Client, err = broker.Connect(access); err != nil {
		e.Close()
		return nil, err
	}
	if err := writeJSON(s.address, Address{e.URL, e.Token}); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// A Listed job is one line of the list of all jobs of a plan, by which a report knows what was not done.
type Listed struct {
	ID       string             `json:"id"`
	Lane     fleetplan.LaneName `json:"lane"`
	Kind     fleetplan.Kind     `json:"kind"`
	Target   string             `json:"target"`
	Document string             `json:"document,omitempty"`
	Needs    []string           `json:"needs,omitempty"`
}

// A List is all that a plan asks for.
type List struct {
	Plan    string   `json:"plan"` // digest
	Name    string   `json:"name"`
	Round   string   `json:"round,omitempty"`
	Version string   `json:"version"`
	Jobs    []Listed `json:"-"`
	// Left are targets of which no job was made, and why.
	Left []Left `json:"left,omitempty"`
}

// A Left is a target that no job was made of.
type Left struct {
	Target string `json:"target"`
	Reason string `json:"reason"`
}

// maxListFile is the most that is read of a list of jobs, in bytes.
const maxListFile = 8 << 30

// WriteList writes the list of jobs: a line with its head, and a line a job.
func (h Home) WriteList(l *List) error {
	return userfile.WritePrivate(h.file("jobs.ndjson"), nil, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		enc := json.NewEncoder(b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(l); err != nil {
			return err
		}
		for i := range l.Jobs {
			if err := enc.Encode(&l.Jobs[i]); err != nil {
				return err
			}
		}
		return b.Flush()
	})
}

// ReadList reads what WriteList wrote.
func (h Home) ReadList() (*List, error) {
	f, err := os.Open(h.file("jobs.ndjson"))
	if err != nil {
		return nil, fmt.Errorf("%s has no list of jobs: begin the fleet with gauntlet-fleet run", h.Dir)
	}
	defer f.Close()
	l := &List{}
	d := json.NewDecoder(io.LimitReader(f, maxListFile))
	for err = d.Decode(l); err == nil && d.More(); {
		var j Listed
		err = d.Decode(&j)
		l.Jobs = append(l.Jobs, j)
	}
	if err != nil {
		return nil, fmt.Errorf("%s, after %d jobs: %w", f.Name(), len(l.Jobs), err)
	}
	return l, nil
}
