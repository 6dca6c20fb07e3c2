package tracefile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"

	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/leaf/secret"
	"gauntlet/internal/run/userfile"
	"gauntlet/rawjson"
	"gauntlet/report"
	"gauntlet/trace"
)

// An Input is a trace read message by message.
type Input struct {
	Header trace.Header
	// Unread counts the unreadable lines so far.
	Unread int

	name   string
	reader *trace.Reader
	file   io.Closer
}

// Open opens a trace, or stdin for "-". The caller must call Close.
func Open(name string, stdin io.Reader) (*Input, error) {
	in, err := userfile.Open(name, stdin)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, userfile.Reason(err))
	}
	r, err := trace.NewReader(in, trace.Limits{})
	if err != nil {
		_ = in.Close() // the first error is reported
		return nil, fmt.Errorf("%s: %w", name, userfile.Reason(err))
	}
	r.OpenNext = openNext(name)
	return &Input{name: name, Header: r.Header, reader: r, file: in}, nil
}

// Each calls do with every readable message; its error ends the iteration. The first unreadable lines are passed to unread; all are
// counted.
func (t *Input) Each(unread func(*trace.LineError), do func(*trace.Message) error) error {
	for {
		m, err := t.reader.Next()
		var bad *trace.LineError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			if t.Unread++; t.Unread <= trace.MaxProblems {
				unread(bad)
			}
		case err != nil:
			return fmt.Errorf("%s: %w", t.name, userfile.Reason(err))
		default:
			if err := do(&m); err != nil {
				return err
			}
		}
	}
}

// Close closes the file.
func (t *Input) Close() {
	t.reader.Close()
	_ = t.file.Close()
}

// openNext returns a function that opens a trace's further files, beside its first; nil for standard input.
func openNext(first string) func(name string) (io.ReadCloser, error) {
	if first == "-" {
		return nil
	}
	return func(name string) (io.ReadCloser, error) {
		f, err := userfile.Open(filepath.Join(filepath.Dir(first), name), nil)
		if err != nil {
			return nil, userfile.Reason(err)
		}
		return f, nil
	}
}

// A Filter selects messages by exact names. An empty part selects all.
type Filter struct{ Servers, Methods, Actors []string }

// Picks reports whether the filter selects a message.
func (f *Filter) Picks(m *trace.Message) bool {
	return containsOrEmpty(f.Servers, m.Server) && containsOrEmpty(f.Methods, m.Method) && containsOrEmpty(f.Actors, m.Actor)
}

func containsOrEmpty(names []string, name string) bool {
	return len(names) == 0 || slices.Contains(names, name)
}

// A Count counts a trace's messages.
type Count struct{ All, Shown, Requests, Failed, Strays, Invalid int }

// Add counts a shown message. The caller counts All.
func (c *Count) Add(m *trace.Message) {
	c.Shown++
	switch {
	case m.Kind == trace.Request:
		c.Requests++
	case m.Kind == trace.Error:
		c.Failed++
	case m.Kind == trace.Invalid && !m.IsBareRequest():
		c.Invalid++
	}
	if m.Stray != "" {
		c.Strays++
	}
}

// Text returns the count on one line; unread is the number of unreadable lines.
func (c *Count) Text(unread int) string {
	text := fmt.Sprintf("%d messages", c.Shown)
	if c.Shown != c.All {
		text = fmt.Sprintf("%d of %d messages", c.Shown, c.All)
	}
	text += fmt.Sprintf(": requests %d, errors %d", c.Requests, c.Failed)
	for _, part := range []struct {
		n    int
		what string
	}{{c.Strays, "strays"}, {c.Invalid, "invalid"}, {unread, "lines unread"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %s %d", part.what, part.n)
		}
	}
	return text
}

// ReadConversation is Read without server messages that neither answer nor ask anything, of which there may be any number and which
// no check examines; of those that cannot be read, [trace.MaxProblems] stay. It also returns the servers that flooded their client.
func ReadConversation(name string, stdin io.Reader) (t *trace.Trace, floods []string, err error) {
	type connection struct{ server, session string }
	meters := map[connection]*trace.FloodMeter{}
	var tree rawjson.Tree
	unreadable := 0
	skip := func(m *trace.Message) bool {
		if !m.Unasked() {
			return false
		}
		if unreadable < trace.MaxProblems && m.Unreadable(&tree) {
			unreadable++
			return false
		}
		at := connection{m.Server, m.Session}
		if meters[at] == nil && len(meters) < maxMeters {
			meters[at] = new(trace.FloodMeter)
		}
		if f := meters[at]; f != nil && f.Count(m.Time) && len(floods) < trace.MaxProblems {
			floods = append(floods, fmt.Sprintf("message %d: %s floods its client: more than %d messages within %s that answer nothing", m.Seq, cmp.Or(m.Server, "the server"), trace.FloodMessages, trace.FloodWindow))
		}
		return true
	}
	t, err = read(name, stdin, trace.Limits{Skip: skip})
	return t, floods, err
}

const maxMeters = 10_000

// Read reads a whole trace with its further files, or stdin for "-"; see [trace.Read]. With a nil stdin every name is a file.
func Read(name string, stdin io.Reader) (*trace.Trace, error) {
	return read(name, stdin, trace.Limits{})
}

func read(name string, stdin io.Reader, limits trace.Limits) (*trace.Trace, error) {
	if name == "-" && stdin == nil {
		name = "./-"
	}
	in, err := userfile.Open(name, stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return trace.ReadParts(in, limits, openNext(name))
}

// Show passes every message to a timeline, marks those that the filter selects, and counts them. Unreadable lines go to unread as in
// [Input.Each]. The timeline is flushed even after an error.
func (t *Input) Show(ctx context.Context, f *Filter, timeline *report.Timeline, unread func(*trace.LineError)) (Count, error) {
	sum := Count{}
	err := t.Each(unread, func(m *trace.Message) error {
		if sum.All++; !f.Picks(m) {
			timeline.Skip(m)
			return ctx.Err()
		}
		sum.Add(m)
		return timeline.Add(m)
	})
	if flushed := timeline.Flush(); err == nil {
		err = flushed
	}
	return sum, err
}

// A SecretRemover replaces secrets in texts by labels, the same label for the same secret.
type SecretRemover struct {
	given    *redact.Redactor
	patterns []*regexp.Regexp
	labels   *trace.Labels
}

// NewSecretRemover removes values given as NAME=VALUE, matches of the patterns (RE2), and likely secrets.
func NewSecretRemover(given, patterns []string) (*SecretRemover, error) {
	r := &SecretRemover{given: redact.New(given), labels: trace.NewLabels("secret-")}
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		switch {
		case err != nil:
			return nil, err
		case re.MatchString(""):
			return nil, fmt.Errorf("%q matches the empty text, which stands everywhere", p)
		}
		r.patterns = append(r.patterns, re)
	}
	return r, nil
}

// Remove returns a text without secrets.
func (r *SecretRemover) Remove(text string) string {
	text = r.given.Replace(text)
	for _, re := range r.patterns {
		text = re.ReplaceAllStringFunc(text, r.labelOf)
	}
	return secret.Replace(text, r.labelOf)
}

func (r *SecretRemover) labelOf(s string) string { return "[" + r.labels.Of(s) + "]" }

// Copy writes the rest of a trace to a file, - for stdout, without secrets and with a header that says so. It returns how many of
// how many messages had any. unread is called with unreadable lines; they are missing from the copy, which says so too. It ends
// early with ctx.
func (r *SecretRemover) Copy(ctx context.Context, in *Input, file string, stdout io.Writer, tool string, unread func(*trace.LineError)) (changed, all int, err error) {
	header := in.Header
	header.Redacted, header.Tool, header.Part = true, tool, 0
	w, err := NewWriter(file, stdout, header)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", file, userfile.Reason(err))
	}
	err = in.Each(unread, func(m *trace.Message) error {
		if all++; m.Rewrite(r.Remove) {
			changed++
		}
		if err := w.Write(m); err != nil {
			return err
		}
		return ctx.Err()
	})
	if closed := w.Close(in.Unread, "lines that could not be read are not in this copy"); err == nil {
		err = closed
	}
	if err != nil {
		return 0, 0, fmt.Errorf("the copy is incomplete: %w", userfile.Reason(err))
	}
	return changed, all, nil
}
