package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"gauntlet/internal/wire"
	"gauntlet/trace"
)

// A traceFile is a trace that grows while a command works: what is recorded is in the file
// at once, and nothing of it in memory.
type traceFile struct {
	name     string   // "-" for standard output
	file     *os.File // nil for standard output
	recorder *trace.Recorder
	// credentials names what we are known by.
	credentials *trace.Labels

	mu     sync.Mutex
	given  []string // secrets, as NAME=VALUE, that no message shows
	secret *strings.Replacer
	tapes  []*wire.Tape
}

func traceFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "trace", "", "record every message, both ways, in this `FILE`, - for standard output (default none)")
}

// createTrace begins a trace. One that is there is replaced, by a file that only its owner
// can read.
func (a *app) createTrace(name string) (*traceFile, error) {
	t := &traceFile{name: name, secret: strings.NewReplacer(), credentials: trace.NewLabels("c")}
	w, f, err := a.newTrace(name, trace.Header{})
	if err != nil {
		return nil, fmt.Errorf("--trace: %s: %w", name, reason(err))
	}
	t.file = f
	t.recorder = trace.NewRecorder(untilBroken(w.Write), trace.RecorderOptions{Redact: t.redact})
	return t, nil
}

// newTrace begins a file of this name, or standard output for "-", whose file is nil.
func (a *app) newTrace(name string, h trace.Header) (*trace.Writer, *os.File, error) {
	h.Tool = "gauntlet " + version()
	if name == "-" {
		w, err := trace.NewWriterOf(a.host.Stdout, h)
		return w, nil, err
	}
	f, err := createPrivate(name)
	if err != nil {
		return nil, nil, err
	}
	w, err := trace.NewWriterOf(f, h)
	if err != nil {
		_ = f.Close() // the first error is the one to tell
		return nil, nil, err
	}
	return w, f, nil
}

// untilBroken stops at the first error: behind half a line no other can be read.
func untilBroken(write func(*trace.Message) error) func(*trace.Message) error {
	var broken error
	return func(m *trace.Message) error {
		if broken == nil {
			broken = write(m)
		}
		return broken
	}
}

// createPrivate creates a file with mode 0600, new also where the name stands for an old
// one: that may be readable for others, or open in their hands. As with other outputs a
// link goes on pointing to the file, and a device or a pipe is written to.
func createPrivate(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return os.OpenFile(name, os.O_WRONLY, 0)
		}
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
		if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	// O_EXCL follows no link that somebody else put there in between.
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// tap records one connection of ours to a server, under a session label of its own. No
// message shows a value of secrets, given as NAME=VALUE; who is what the server knows us by,
// if anything, for a label. A nil traceFile records nothing.
func (t *traceFile) tap(server string, secrets, who []string) wire.Tap {
	if t == nil {
		return nil
	}
	t.hide(secrets)
	about := trace.Message{Server: server, Role: trace.AsClient}
	if credential := t.credentials.Of(strings.Join(who, "\n")); credential != "" {
		about.HTTP = &trace.HTTP{Credential: credential}
	}
	return t.tape(about).Record
}

// hide keeps values, as NAME=VALUE, out of everything that is recorded from now on.
func (t *traceFile) hide(given []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.given = append(t.given, given...)
	t.secret = wire.Redactor(t.given)
}

// tape returns what records one connection, under a session label of its own.
func (t *traceFile) tape(about trace.Message) *wire.Tape {
	t.mu.Lock()
	defer t.mu.Unlock()
	about.Session = "s" + strconv.Itoa(len(t.tapes)+1)
	tape := wire.NewTape(t.recorder, about)
	t.tapes = append(t.tapes, tape)
	return tape
}

func (t *traceFile) redact(s string) string {
	t.mu.Lock()
	secret := t.secret
	t.mu.Unlock()
	return secret.Replace(s)
}

// close ends the trace. The error says why it is incomplete. No connection may be in use
// any more. A nil traceFile is complete.
func (t *traceFile) close() error {
	if t == nil {
		return nil
	}
	var err error
	for _, tape := range t.tapes {
		if err == nil {
			err = tape.Err()
		}
	}
	if t.file != nil {
		if closed := t.file.Close(); err == nil {
			err = closed
		}
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("the trace %s is incomplete: %w", t.name, reason(err))
}
