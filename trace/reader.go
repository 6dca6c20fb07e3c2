package trace

import (
	"bufio"
	"cmp"
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

// MaxProblems limits the unreadable lines that a Trace lists; the rest is counted.
const MaxProblems = 100

// Limits bound what is read. Zero fields mean the defaults.
type Limits struct {
	Payload  int // bytes of a message's text
	Messages int // per file, and per trace for Read
	// Skip selects messages that [Read] neither keeps nor counts. nil skips none.
	Skip func(*Message) bool
}

func (l Limits) orDefaults() Limits {
	l.Payload = cmp.Or(l.Payload, DefaultPayload)
	l.Messages = cmp.Or(l.Messages, DefaultMessages)
	return l
}

// maxLine returns the longest line that the longest payload can need: two bytes per byte plus the other members.
func (l Limits) maxLine() int { return 2*l.Payload + 1<<20 }

// A LineError is an unreadable line. Reading can continue after it.
type LineError struct {
	Line int // from 1; the header is line 1
	Msg  string
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Msg) }

// ErrNotTrace is returned for a file that does not begin like a trace.
var ErrNotTrace = errors.New("not a trace")

// A Reader reads a trace line by line.
type Reader struct {
	Header Header

	// OpenNext opens a further file of the trace by its base name. If it is nil, a trace that continues in another file
	// ends with a LineError.
	OpenNext func(name string) (io.ReadCloser, error)

	in     *bufio.Reader
	limits Limits
	line   int
	count  int // lines of messages in all files, read or not
	first  int // count at the start of the file
	last   int // Seq of the last message read
	tree   rawjson.Tree
	words  map[string]string
	seen   []string // buffer for memberDecoder.seen

	file string    // name of the current further file, "" for the first
	next io.Closer // the current further file
	end  *End      // last line of the file, once read
	done bool      // the end of the file was checked
}

// NewReader reads the header of r. It returns ErrNotTrace if there is none, and an error if its version is not 1.y.
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
	// Anything but a plain false counts as marked: a typo must not lose the mark.
	if mark := h.Get("redacted"); mark.Exists() {
		yes, plain := mark.Bool()
		r.Header.Redacted = yes || !plain
	}
	if !strings.HasPrefix(r.Header.Version, "1.") {
		return fmt.Errorf("version %.20q of the form; this reader knows 1.y", r.Header.Version)
	}
	return nil
}

// Next returns the next message, and io.EOF after the last. After a *LineError the next call continues with the following line;
// other errors are final. Empty lines are skipped. A gap in the recording and a missing or wrong end are LineErrors, too.
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
		if _, tooLong := errors.AsType[*LineError](err); tooLong {
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

// nextLine returns the next line without its newline.
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

// skipLine skips the rest of an overlong line.
func (r *Reader) skipLine(err error) error {
	for err == bufio.ErrBufferFull {
		_, err = r.in.ReadSlice('\n')
	}
	if err != nil && err != io.EOF {
		return fmt.Errorf("trace: %w", err)
	}
	return &LineError{r.line, fmt.Sprintf("the line is longer than %d bytes", r.limits.maxLine())}
}

// Read reads a whole single-file trace. Unreadable lines become Problems; an error comes from the reader or its limits,
// and the trace read so far is returned with it.
func Read(in io.Reader, limits Limits) (*Trace, error) {
	return ReadParts(in, limits, nil)
}

// ReadParts is Read for a trace that may continue in further files, which next opens.
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
