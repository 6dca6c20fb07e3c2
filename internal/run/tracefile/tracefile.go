// Package tracefile records conversations in files: a trace that grows while a command works,
// so that what was recorded is on disk at once and not in memory. It reads traces message by
// message as well, however long they are.
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

// A File is a trace that is being recorded. A nil File records nothing. Several connections
// may be recorded at the same time.
type File struct {
	name     string // "-" for standard output
	writer   *Writer
	recorder *trace.Recorder
	report   func(string)
	// credentials labels what servers know us by.
	credentials *trace.Labels
	lost        atomic.Pointer[error] // why the first message was lost; nil if none was

	mu       sync.Mutex
	given    []string // secrets, as NAME=VALUE, that no message shows
	secret   *redact.Redactor
	sessions int
}

// Create begins the trace of this name, "-" for stdout; tool is the program that records it.
// A file that exists is replaced by one that only its owner can read. report is told at once
// when messages are lost and when recording goes on; nil tells nobody.
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

// write is the sink of the recorder, which calls it once at a time.
func (t *File) write(m *trace.Message) error {
	before := t.writer.gap
	err := t.writer.Write(m)
	switch {
	case err != nil && before == 0:
		t.lost.CompareAndSwap(nil, &err)
		t.report(fmt.Sprintf("the trace %s is incomplete: messages are not recorded from here on: %v", t.name, userfile.Reason(err)))
	case err == nil && before > 0:
		t.report(fmt.Sprintf("the trace %s goes on: %d messages are missing in it", t.name, t.writer.Lost()))
	}
	return err
}

// Complete returns why a message is missing in the trace, nil if none is. A nil File lacks
// nothing.
func (t *File) Complete() error {
	if t == nil {
		return nil
	}
	if err := t.lost.Load(); err != nil {
		return fmt.Errorf("the trace %s is incomplete: %w", t.name, userfile.Reason(*err))
	}
	return nil
}

// Record records a message that went over no connection of ours.
func (t *File) Record(m trace.Message) {
	if t != nil {
		t.recorder.Record(m)
	}
}

// Recorder is for engines that record by themselves.
func (t *File) Recorder() *trace.Recorder { return t.recorder }

// Tap records one connection to a server, under a session label of its own; role says whose
// conversation it is a part of. No message shows a value of secrets, given as NAME=VALUE.
// credentials is what the server knows us by, nil for nothing: a label stands for it.
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

// StrictTap is Tap for a connection over which nothing may go unrecorded: a message that could
// not be recorded is not sent.
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

// Hide keeps values, as NAME=VALUE, out of everything that is recorded from now on. Values that
// are hidden already cost nothing: every connection of a long run names them again.
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

// Close ends the trace. The error says why it is incomplete. No connection may be in use any
// more. A nil File is complete.
func (t *File) Close() error {
	if t == nil {
		return nil
	}
	if err := t.writer.Close(0, ""); err != nil {
		return fmt.Errorf("the trace %s is incomplete: %w", t.name, userfile.Reason(err))
	}
	return nil
}
