package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"gauntlet/rawjson"
)

// The defaults of Limits.
const (
	DefaultPayload  = 64 << 20
	DefaultMessages = 1_000_000
)

// MaxProblems is how many unreadable lines a Trace names; the rest is counted.
const MaxProblems = 100

// Limits bound what is read. A zero field means its default.
type Limits struct {
	Payload  int // longest text of a message, in bytes
	Messages int // messages of a trace
}

func (l Limits) withDefaults() Limits {
	if l.Payload == 0 {
		l.Payload = DefaultPayload
	}
	if l.Messages == 0 {
		l.Messages = DefaultMessages
	}
	return l
}

// line returns the longest line that a message of the longest payload can need: two bytes
// for each of it, and what stands around it.
func (l Limits) line() int { return 2*l.Payload + 1<<20 }

// A LineError says that one line could not be read. The lines behind it still can.
type LineError struct {
	Line int // from 1; the header is line 1
	Msg  string
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Msg) }

// ErrNotTrace says that a file does not begin like a trace.
var ErrNotTrace = errors.New("not a trace")

// A Reader reads a trace line by line.
type Reader struct {
	Header Header

	in     *bufio.Reader
	limits Limits
	line   int
	count  int
	last   int // the Seq read last
	tree   rawjson.Tree
	words  map[string]string
	seen   []string // memory of decoder.seen
}

// NewReader reads the header line of r. It fails with ErrNotTrace where there is none, and
// where its version is not 1.y.
func NewReader(r io.Reader, limits Limits) (*Reader, error) {
	t := &Reader{in: bufio.NewReaderSize(r, 64<<10), limits: limits.withDefaults(), words: map[string]string{}}
	text, err := t.next()
	if err != nil {
		if err == io.EOF {
			err = errors.New("the file is empty")
		}
		return nil, fmt.Errorf("%w: %v", ErrNotTrace, err)
	}
	if err := t.header(text); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotTrace, err)
	}
	return t, nil
}

func (r *Reader) header(text string) error {
	if err := r.tree.Parse(text, 0); err != nil {
		return fmt.Errorf("the first line is not JSON: %w", err)
	}
	h := r.tree.Root()
	if got := h.Get("format").Text(); got != format {
		return fmt.Errorf("the first line does not say \"format\": %q", format)
	}
	r.Header = Header{Version: strings.Clone(h.Get("version").Text()), Tool: strings.Clone(h.Get("tool").Text()), Imported: strings.Clone(h.Get("imported").Text())}
	// Whatever is not a plain no marks the trace: a mark must not get lost to a slip of the pen.
	if mark := h.Get("redacted"); mark.Exists() {
		yes, plain := mark.Bool()
		r.Header.Redacted = yes || !plain
	}
	if !strings.HasPrefix(r.Header.Version, "1.") {
		return fmt.Errorf("version %.20q of the form; this reader knows 1.y", r.Header.Version)
	}
	return nil
}

// Next returns the next message, and io.EOF behind the last. After a *LineError the next
// call goes on with the line behind it; every other error is final. Empty lines are passed
// over.
func (r *Reader) Next() (Message, error) {
	for {
		text, err := r.next()
		if err != nil {
			return Message{}, err
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		if r.count++; r.count > r.limits.Messages {
			return Message{}, fmt.Errorf("the trace has more than %d messages", r.limits.Messages)
		}
		m, err := r.message(text)
		if err != nil {
			return Message{}, &LineError{r.line, err.Error()}
		}
		r.last = m.Seq
		return m, nil
	}
}

// next returns the next line without its end.
func (r *Reader) next() (string, error) {
	var long []byte
	r.line++
	for {
		part, err := r.in.ReadSlice('\n')
		if len(long)+len(part) > r.limits.line() {
			return "", r.skip(err)
		}
		switch {
		case err == bufio.ErrBufferFull:
			long = append(long, part...)
			continue
		case err == io.EOF && len(long)+len(part) == 0:
			return "", io.EOF
		case err != nil && err != io.EOF:
			return "", fmt.Errorf("trace: %w", err)
		}
		if long != nil {
			part = append(long, part...)
		}
		return strings.TrimSuffix(string(part), "\n"), nil
	}
}

// skip reads to the end of a line that is too long.
func (r *Reader) skip(err error) error {
	for err == bufio.ErrBufferFull {
		_, err = r.in.ReadSlice('\n')
	}
	if err != nil && err != io.EOF {
		return fmt.Errorf("trace: %w", err)
	}
	return &LineError{r.line, fmt.Sprintf("the line is longer than %d bytes", r.limits.line())}
}

// Read reads a whole trace. Lines that could not be read are its Problems; an error is one
// of the reader or of its limits, and what was read before it is returned as well.
func Read(in io.Reader, limits Limits) (*Trace, error) {
	r, err := NewReader(in, limits)
	if err != nil {
		return nil, err
	}
	t := &Trace{Header: r.Header}
	for {
		m, err := r.Next()
		var bad *LineError
		switch {
		case err == nil:
			t.Messages, t.Lines = append(t.Messages, m), append(t.Lines, r.line)
		case err == io.EOF:
			return t, nil
		case errors.As(err, &bad):
			if t.Unread++; len(t.Problems) < MaxProblems {
				t.Problems = append(t.Problems, *bad)
			}
		default:
			return t, err
		}
	}
}
