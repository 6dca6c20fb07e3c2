// Package fleet runs a plan over many targets: it makes jobs of the plan, has workers do them in processes of their own, and
// collects what came of each. The queue and the results are in package broker.
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
	"gauntlet/internal/runtime/broker"
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

// A Server is NATS as a plan's owner or a worker reaches it.
type Server struct {
	Client   *broker.Client
	embedded *broker.Embedded // nil where another process has it
}

// Close ends the connection, and the embedded server if this process has it.
func (s *Server) Close() {
	s.Client.Close()
	if s.embedded != nil {
		s.embedded.Close()
	}
}

// An address says where the embedded server of a home is, or was: one that is begun anew takes the same port if it can.
type address struct {
	Port  int    `json:"port"`
	Token string `json:"token"`
}

func (h Home) address() (at address) {
	if text, err := userfile.ReadText(h.file("server.json"), nil, maxSmallFile); err != nil || json.Unmarshal([]byte(text), &at) != nil {
		return address{}
	}
	return at
}

// Join reaches NATS at access, or the embedded server of this home that another process has if access has no address.
func (h Home) Join(access broker.Access) (*Server, error) {
	embedded := access.URL == ""
	if embedded {
		access.URL = fmt.Sprint("nats://127.0.0.1:", h.address().Port)
		access.Token = func() string { return h.address().Token }
	}
	c, err := broker.Connect(access)
	if err != nil && embedded {
		return nil, fmt.Errorf("%s: no program runs this plan on this machine: begin it with gauntlet-fleet run", h.Dir)
	}
	if err != nil {
		return nil, err
	}
	return &Server{Client: c}, nil
}

// Begin reaches NATS at access, or starts the embedded server of this home if access has no address.
func (h Home) Begin(access broker.Access) (*Server, error) {
	if access.URL != "" {
		return h.Join(access)
	}
	if s, err := h.Join(access); err == nil {
		s.Close()
		return nil, fmt.Errorf("another process has the server of %s open: it runs the plan, or looks at it", h.Dir)
	}
	if err := os.MkdirAll(h.Dir, 0o700); err != nil {
		return nil, err
	}
	at := address{Token: rand.Text()}
	e, err := broker.StartEmbedded(h.file("store"), h.address().Port, at.Token)
	if err != nil {
		return nil, err
	}
	at.Port = e.Port
	var s *Server
	if err = writeJSON(h.file("server.json"), at); err == nil {
		s, err = h.Join(access)
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	s.embedded = e
	return s, nil
}

// Look reaches the fleet of a plan that was begun before, whether a program runs it now or not.
func (h Home) Look(access broker.Access) (*Server, error) {
	if _, err := ReadKeys(h.file("plan.key"), true); errors.Is(err, userfile.ErrMissing) {
		return nil, fmt.Errorf("%s has no fleet yet: begin one with gauntlet-fleet run", h.Dir)
	}
	if s, err := h.Join(access); err == nil || access.URL != "" {
		return s, err
	}
	return h.Begin(access)
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
