package tracefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/run/userfile"
	"gauntlet/trace"
)

// Limits beyond which a trace continues in another file.
const (
	maxMessages = trace.DefaultMessages // per file: readers' limit
	maxBytes    = 1 << 30
	// maxParts bounds the search for a free name.
	maxParts = 10_000
)

// A Writer writes a trace into one file, and further ones if it gets long. Messages that cannot be written are counted, and the
// count is written as soon as possible. It is not safe for concurrent use.
type Writer struct {
	name   string // "-" for standard output
	header trace.Header
	limits struct{ messages, bytes int }
	create func(name string) (output, error)

	out      *wholeLines
	file     io.Closer // nil for standard output
	lines    *trace.Writer
	messages int   // in this file
	lost     int   // in this file
	allLost  int   // in all files
	gap      int   // lost since the latest message written
	why      error // why the latest message was lost, or nil
}

// An output is a file that a Writer writes.
type output interface {
	io.WriteCloser
	io.Seeker
	Truncate(size int64) error
}

// NewWriter begins a trace with this header in a new file, or in stdout for "-". An existing file is replaced by one that only its
// owner can read.
func NewWriter(name string, stdout io.Writer, h trace.Header) (*Writer, error) {
	w := &Writer{name: name, header: h, create: createNew}
	w.limits.messages, w.limits.bytes = maxMessages, maxBytes
	if name == "-" {
		return w, w.begin(stdout, nil)
	}
	f, err := userfile.CreatePrivate(name)
	if err != nil {
		return nil, err
	}
	if err := w.begin(f, f); err != nil {
		_ = f.Close() // the first error is reported
		return nil, err
	}
	return w, nil
}

func createNew(name string) (output, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func (w *Writer) begin(to io.Writer, file io.Closer) error {
	out := &wholeLines{to: to}
	lines, err := trace.NewWriterOf(out, w.header)
	if err != nil {
		return err
	}
	w.out, w.file, w.lines, w.messages, w.lost = out, file, lines, 0, 0
	return nil
}

// Write writes a message. The error says why it is not in the trace; later ones may succeed.
func (w *Writer) Write(m *trace.Message) error {
	err := w.write(m)
	if err != nil {
		w.lost++
		w.allLost++
		w.gap++
		w.why = err
	}
	return err
}

func (w *Writer) write(m *trace.Message) error {
	if w.name != "-" && (w.messages >= w.limits.messages || w.out.size >= int64(w.limits.bytes)) {
		if err := w.rotate(); err != nil {
			return err
		}
	}
	if err := w.closeGap(); err != nil {
		return err
	}
	if err := w.lines.Write(m); err != nil {
		return err
	}
	w.messages++
	return nil
}

// closeGap records how many messages were lost, if any.
func (w *Writer) closeGap() error {
	if w.gap == 0 {
		return nil
	}
	if err := w.lines.Gap(w.gap, userfile.Reason(w.why).Error()); err != nil {
		return err
	}
	w.gap = 0
	return nil
}

// rotate continues in the next file with a free name.
func (w *Writer) rotate() error {
	ext := filepath.Ext(w.name)
	for n := max(1, w.header.Part) + 1; n < maxParts; n++ {
		name := fmt.Sprintf("%s.%d%s", strings.TrimSuffix(w.name, ext), n, ext)
		next, err := w.create(name)
		if errors.Is(err, os.ErrExist) {
			continue // another file, perhaps of an earlier run
		}
		if err != nil {
			return err
		}
		old, lines, lost := w.file, w.lines, w.lost
		w.header.Part = max(1, w.header.Part) + 1
		if err := w.begin(next, next); err != nil {
			w.header.Part--
			_ = next.Close() // the first error is reported
			_ = os.Remove(name)
			return err
		}
		err = lines.End(trace.End{Lost: lost, Why: w.reason(), Next: filepath.Base(name)})
		return errors.Join(err, old.Close())
	}
	return fmt.Errorf("a trace has at most %d files", maxParts)
}

func (w *Writer) reason() string {
	if w.why == nil {
		return ""
	}
	return userfile.Reason(w.why).Error()
}

// Close ends the trace and closes the file. lost counts missing messages beyond those for which Write failed. The error says why
// the trace is incomplete.
func (w *Writer) Close(lost int, why string) error {
	err := w.closeGap()
	if err == nil {
		if lost == 0 {
			why = w.reason()
		}
		err = w.lines.End(trace.End{Lost: w.lost + lost, Why: why})
	}
	if w.file != nil {
		err = errors.Join(err, w.file.Close())
	}
	if err == nil && w.allLost > 0 {
		err = fmt.Errorf("%d messages could not be recorded: %w", w.allLost, userfile.Reason(w.why))
	}
	return err
}

// wholeLines removes a partial line, as a full disk leaves it, so that later output is readable. If that is not possible, nothing
// more is written.
type wholeLines struct {
	to     io.Writer
	size   int64 // of complete lines
	broken error
}

func (o *wholeLines) Write(b []byte) (int, error) {
	if o.broken != nil {
		return 0, o.broken
	}
	n, err := o.to.Write(b)
	if err == nil {
		o.size += int64(n)
		return n, nil
	}
	file, ok := o.to.(output)
	if n > 0 && (!ok || file.Truncate(o.size) != nil) {
		o.broken = err
		return n, err
	}
	if ok {
		if _, seekErr := file.Seek(o.size, io.SeekStart); seekErr != nil && n > 0 {
			o.broken = err
		}
	}
	return n, err
}
