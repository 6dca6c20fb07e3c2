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
	Messages int // messages of one file, and of a trace that is read whole
	// Skip, unless nil, picks messages that [Read] does not keep and does not count, where most of
	// a long trace is of no use to its reader.
	Skip func(*Message) bool
}

func (l Limits) orDefaults() Limits {
	if l.Payload == 0 {
		l.Payload = DefaultPayload
	}
	if l.Messages == 0 {
		l.Messages = DefaultMessages
	}
	return l
}

// maxLine returns the longest line that a message of the longest payload can need: two bytes
// for each of it, and what stands around it.
func (l Limits) maxLine() int { return 2*l.Payload + 1<<20 }

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

	// OpenNext opens a further file of the trace by its name, which has no folder in it. nil is
	// for a reader that has the first file only: where the trace goes on, the end of that file
	// is a LineError.
	OpenNext func(name string) (io.ReadCloser, error)

	in     *bufio.Reader
	limits Limits
	line   int
	count  int // lines of messages, read or not, of all files
	first  int // count when the file began
	last   int // the Seq read last
	tree   rawjson.Tree
	words  map[string]string
	seen   []string // memory of memberDecoder.seen

	file string    // the name of the further file that is being read, "" for the first
	next io.Closer // that file
	end  *End      // the last line of the file, once it was read
	done bool      // the end of the file was judged
}

// NewReader reads the header line of r. It fails with ErrNotTrace where there is none, and
// where its version is not 1.y.
func NewReader(r io.Reader, limits Limits) (*Reader, error) {
	t := &Reader{in: bufio.NewReaderSize(r, 64<<10), limits: limits.orDefaults(), words: map[string]string{}}
	text, err := t.nextLine()
	if err != nil {
		if err == io.EOF {
			err = errors.New("the file is empty")
		}
		return nil, fmt.Errorf("%w: %v", ErrNotTrace, err)
	}
	if err := t.decodeHeader(text); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotTrace, err)
	}
	return t, nil
}

func (r *Reader) decodeHeader(text string) error {
	if err := r.tree.Parse(text, 0); err != nil {
		return fmt.Errorf("the first line is not JSON: %w", err)
	}
	h := r.tree.Root()
	if got := h.Get("format").Text(); got != format {
		return fmt.Errorf("the first line does not say \"format\": %q", format)
	}
	r.Header = Header{Version: strings.Clone(h.Get("version").Text()), Tool: strings.Clone(h.Get("tool").Text()), Imported: strings.Clone(h.Get("imported").Text())}
	if n, ok := h.Get("part").Int(); ok && n > 0 && n < 1<<31 {
		r.Header.Part = int(n)
	}
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
// over. A gap in the recording, and an end that is missing or says something else than was
// read, are LineErrors too.
func (r *Reader) Next() (Message, error) {
	for {
		text, err := r.nextLine()
		if err == io.EOF && !r.done {
			r.done = true
			if why := r.checkEnd(); why != "" {
				return Message{}, &LineError{r.line, why}
			}
			if r.end != nil && r.end.Next != "" {
				if err := r.openNext(); err != nil {
					return Message{}, &LineError{r.line, fmt.Sprintf("the trace goes on in %.200q, which cannot be read: %v", r.end.Next, err)}
				}
				continue
			}
		}
		var tooLong *LineError
		if errors.As(err, &tooLong) {
			r.count++
		}
		if err != nil {
			return Message{}, err
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		if marker, err := r.decodeMarker(text); err != nil {
			return Message{}, &LineError{r.line, err.Error()}
		} else if marker {
			continue
		}
		if r.count++; r.count-r.first > r.limits.Messages {
			return Message{}, errTooMany(r.limits)
		}
		m, err := r.decodeMessage(text)
		if err != nil {
			return Message{}, &LineError{r.line, err.Error()}
		}
		r.last = m.Seq
		return m, nil
	}
}

// nextLine returns the next line without its end.
func (r *Reader) nextLine() (string, error) {
	var long []byte
	r.line++
	for {
		part, err := r.in.ReadSlice('\n')
		if len(long)+len(part) > r.limits.maxLine() {
			return "", r.skipLine(err)
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

// skipLine reads to the end of a line that is too long.
func (r *Reader) skipLine(err error) error {
	for err == bufio.ErrBufferFull {
		_, err = r.in.ReadSlice('\n')
	}
	if err != nil && err != io.EOF {
		return fmt.Errorf("trace: %w", err)
	}
	return &LineError{r.line, fmt.Sprintf("the line is longer than %d bytes", r.limits.maxLine())}
}

// Read reads a whole trace of one file. Lines that could not be read are its Problems; an
// error is one of the reader or of its limits, and what was read before it is returned as well.
func Read(in io.Reader, limits Limits) (*Trace, error) {
	return ReadParts(in, limits, nil)
}

// ReadParts is Read for a trace that may go on in further files, which next opens.
func ReadParts(in io.Reader, limits Limits, next func(name string) (io.ReadCloser, error)) (*Trace, error) {
	r, err := NewReader(in, limits)
	if err != nil {
		return nil, err
	}
	r.OpenNext = next
	defer r.Close()
	t := &Trace{Header: r.Header}
	for {
		m, err := r.Next()
		var bad *LineError
		switch {
		case err == nil && r.limits.Skip != nil && r.limits.Skip(&m):
			continue
		case err == nil && len(t.Messages)+t.Unread >= r.limits.Messages:
			return t, errTooMany(r.limits)
		case err == nil:
			if r.file != "" && (len(t.Files) == 0 || t.Files[len(t.Files)-1].Name != r.file) {
				t.Files = append(t.Files, FilePart{r.file, len(t.Messages)})
			}
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

func errTooMany(l Limits) error { return fmt.Errorf("the trace has more than %d messages", l.Messages) }
