package trace

import (
	"errors"
	"fmt"
	"strings"

	"gauntlet/rawjson"
)

// Lines of a trace other than the header and messages: a gap says that messages are missing at its place, the end that
// none are missing after it.

// An End is the last line of a trace file.
type End struct {
	Lost int    // messages of the whole file that could not be recorded
	Why  string // the reason
	Next string // name of the file in the same folder that continues the trace, "" for none
}

// maxFileName limits the name of a further file, in bytes.
const maxFileName = 255

// Gap records that messages are missing here, and why.
func (w *Writer) Gap(lost int, why string) error {
	return w.writeMarker("gap", func(o *memberWriter) {
		o.appendNumber("lost", lost)
		o.appendText("why", why)
	})
}

// End writes the last line. Nothing can be written after it.
func (w *Writer) End(e End) error {
	err := w.writeMarker("end", func(o *memberWriter) {
		o.appendName("messages") // even if there are none
		o.b = fmt.Append(o.b, w.count)
		o.appendNumber("lost", e.Lost)
		o.appendText("why", e.Why)
		o.appendText("next", e.Next)
	})
	w.ended = err == nil
	return err
}

func (w *Writer) writeMarker(kind string, appendMembers func(*memberWriter)) error {
	if w.ended {
		return errEnded
	}
	o := memberWriter{append(append(append(w.line[:0], `{"`...), kind...), `":{`...), true}
	appendMembers(&o)
	w.line = append(o.b, "}}\n"...)
	if _, err := w.w.Write(w.line); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	return nil
}

var errEnded = errors.New("the trace has ended")

// decodeMarker decodes a gap or an end and reports whether the line is one. A gap is an error that says what is missing.
func (r *Reader) decodeMarker(text string) (marker bool, err error) {
	if r.end != nil {
		return true, errors.New("it stands behind the end of the trace")
	}
	// Avoid parsing messages, which are many and long.
	if !strings.HasPrefix(text, `{"gap"`) && !strings.HasPrefix(text, `{"end"`) || r.tree.Parse(text, 0) != nil {
		return false, nil
	}
	if gap := r.tree.Root().Get("gap"); gap.Kind() == rawjson.Object {
		return true, fmt.Errorf("messages were not recorded here: %d, %.200q", max(1, countOf(gap.Get("lost"))), gap.Get("why").Text())
	}
	end := r.tree.Root().Get("end")
	if end.Kind() != rawjson.Object {
		return false, nil
	}
	r.end = &End{Lost: countOf(end.Get("lost")), Why: strings.Clone(end.Get("why").Text()), Next: strings.Clone(end.Get("next").Text())}
	if n, ok := end.Get("messages").Int(); !ok {
		return true, errors.New("the end does not say how many messages there are")
	} else if read := r.count - r.first; n != int64(read) {
		return true, fmt.Errorf("the trace ends with %d messages and has %d", n, read)
	}
	return true, nil
}

// countOf returns a count, 0 for anything else.
func countOf(v rawjson.Value) int {
	if n, ok := v.Int(); ok && n > 0 && n < 1<<53 {
		return int(n)
	}
	return 0
}

// checkEnd says what is wrong with the end of a file, "" if nothing is.
func (r *Reader) checkEnd() string {
	switch {
	case r.end == nil && r.Header.Version != "1.0": // which had no last line
		return "the trace has no end: the recorder did not finish, or the file was truncated; what is missing is unknown"
	case r.end != nil && r.end.Lost > 0:
		return fmt.Sprintf("%d messages were not recorded: %.200q", r.end.Lost, r.end.Why)
	}
	return ""
}

func (r *Reader) openNext() error {
	name := r.end.Next
	switch {
	case r.OpenNext == nil:
		return errors.New("only one file was given")
	case len(name) > maxFileName || strings.ContainsAny(name, "/\\\x00") || name == "." || name == "..":
		return errors.New("it is no name of a file in the same folder")
	}
	in, err := r.OpenNext(name)
	if err != nil {
		return err
	}
	part := max(1, r.Header.Part)
	next, err := NewReader(in, r.limits)
	if err == nil && next.Header.Part != part+1 {
		err = fmt.Errorf("it is part %d of a trace, not part %d", next.Header.Part, part+1)
	}
	if err != nil {
		_ = in.Close() // the first error is more useful
		return err
	}
	r.Close()
	r.in, r.line, r.next, r.file = next.in, next.line, in, name
	r.Header.Part, r.Header.Redacted = part+1, r.Header.Redacted || next.Header.Redacted
	r.first, r.end, r.done = r.count, nil, false
	return nil
}

// Close closes the further file that is open, if any. The caller closes the first.
func (r *Reader) Close() {
	if r.next != nil {
		_ = r.next.Close() // read only
		r.next = nil
	}
}
