// Package tracefile records messages in trace files that grow while a command works, so that they are on disk at once and not in
// memory. It also reads traces of any length message by message.
package tracefile

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/wire"
	"gauntlet/trace"
)

// A File is a trace being recorded. A nil File records nothing. Several connections may be recorded concurrently.
type File struct {
	name     string // "-" for standard output
	writer   *Writer
	recorder *trace.Recorder
	report   func(string)
	// credentials labels what servers know us by.
	credentials *trace.Labels
	lost        atomic.Pointer[error] // why the first message was lost; nil if none was

	mu       sync.Mutex
	given    []string // secrets hidden in messages, as NAME=VALUE
	secret   *redact.Redactor
	sessions int
}

// Create begins a trace file, "-" for stdout; tool is the recording program. An existing file is replaced by one that only its
// owner can read. report, if not nil, is called when messages are lost and when recording resumes.
func Create(name string, stdout io.Writer, tool string, report func(string)) (*File, error) {
	w, err := NewWriter(name, stdout, trace.Header{Tool: tool})
	if err != nil {
		return nil, fmt.Errorf("--record: %s: %w", name, userfile.Reason(err))
	}
	return newFile(name, w, report), nil
}

func newFile(name string, w *Writer, report func(string)) *File {
	if report == nil {
		report = func(string) {}
	}
	t := &File{name: name, writer: w, report: report, secret: redact.New(nil), credentials: trace.NewLabels("c")}
	t.recorder = trace.NewRecorder(t.write, trace.RecorderOptions{Redact: t.redactGiven})
	return t
}

// write is the recorder's sink, called once at a time.
func (t *File) write(m *trace.Message) error {
	before := t.writer.gap
	err := t.writer.Write(m)
	switch {
	case err != nil && before == 0:
		t.lost.CompareAndSwap(nil, &err)
		t.report(fmt.Sprintf("the trace %s is incomplete: messages are not recorded from here on: %v", t.name, userfile.Reason(err)))
	case err == nil && before > 0:
		t.report(fmt.Sprintf("the trace %s goes on: %d messages are missing in it", t.name, t.writer.allLost))
	}
	return err
}

// Complete returns why a message is missing from the trace, or nil. A nil File lacks nothing.
func (t *File) Complete() error {
	if t == nil {
		return nil
	}
	if err := t.lost.Load(); err != nil {
		return fmt.Errorf("the trace %s is incomplete: %w", t.name, userfile.Reason(*err))
	}
	return nil
}

// Record records a message that was not on one of our connections.
func (t *File) Record(m trace.Message) {
	if t != nil {
		t.recorder.Record(m)
	}
}

// Recorder returns the recorder, for engines that record themselves.
func (t *File) Recorder() *trace.Recorder { return t.recorder }

// Tap records one connection to a server, under its own session label; role says which side it belongs to. No message shows a value
// of secrets, given as NAME=VALUE. credentials is what the server knows us by, or nil; a label replaces it.
func (t *File) Tap(server string, role trace.Role, secrets, credentials []string) wire.Tap {
	if t == nil {
		return nil
	}
	t.Hide(secrets)
	about := trace.Message{Server: server, Role: role}
	if label := t.credentials.Of(strings.Join(credentials, "\n")); label != "" {
		about.HTTP = &trace.HTTP{Credential: label}
	}
	t.mu.Lock()
	t.sessions++
	about.Session = "s" + strconv.Itoa(t.sessions)
	t.mu.Unlock()
	return wire.NewTape(t.recorder, about).Record
}

// StrictTap is Tap for a connection on which nothing may go unrecorded: a message that cannot be recorded is not sent.
func (t *File) StrictTap(server string, role trace.Role, secrets, credentials []string) wire.Tap {
	tap := t.Tap(server, role, secrets, credentials)
	if tap == nil {
		return nil
	}
	return func(p wire.Passage) {
		tap(p)
		if err := t.Complete(); err != nil && p.Refuse != nil {
			p.Refuse(err)
		}
	}
}

// Hide hides values, as NAME=VALUE, in everything recorded from now on. Known values are skipped: every connection of a long run
// names them again.
func (t *File) Hide(given []string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	before := len(t.given)
	for _, g := range given {
		if !slices.Contains(t.given, g) {
			t.given = append(t.given, g)
		}
	}
	if len(t.given) > before {
		t.secret = redact.New(t.given)
	}
}

func (t *File) redactGiven(s string) string {
	t.mu.Lock()
	secret := t.secret
	t.mu.Unlock()
	return secret.ReplaceJSON(s)
}

// Close ends the trace. The error says why it is incomplete. No connection may still be in use. A nil File is complete.
func (t *File) Close() error {
	if t == nil {
		return nil
	}
	if err := t.writer.Close(0, ""); err != nil {
		return fmt.Errorf("the trace %s is incomplete: %w", t.name, userfile.Reason(err))
	}
	return nil
}
