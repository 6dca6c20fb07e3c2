package trace

import (
	"slices"
	"sync"
)

// RecorderOptions are the choices of a Recorder.
type RecorderOptions struct {
	// Redact takes secrets out of a text: values of the environment, of headers and tokens
	// that the recorder's user passed in. nil takes out nothing. It is asked for the text of
	// a message, for the values of headers and for ids and methods; where it changes one,
	// the message is marked Redacted.
	Redact func(string) string
}

// A Recorder turns what an engine sees into a trace. It numbers messages, finds the request that an
// answer belongs to, withholds the credentials in headers, and hands each message on. It may be
// used from several goroutines at once.
type Recorder struct {
	mu      sync.Mutex
	sink    func(*Message) error
	options RecorderOptions
	seq     int
	answers Correlator
}

// NewRecorder returns a Recorder that hands its messages to sink, such as [Writer.Write],
// one after another. sink must not keep the pointer.
func NewRecorder(sink func(*Message) error, o RecorderOptions) *Recorder {
	return &Recorder{sink: sink, options: o}
}

// Record adds m, whose Seq, ReplyTo and Stray are set here, as is the Method of an answer.
// It returns the message as it was handed on, and the error of the sink: then the message is
// not in the trace, and an engine says so in its report.
func (r *Recorder) Record(m Message) (Message, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	m.Seq = r.seq
	r.answers.Correlate(&m)
	m.HTTP = withholdSecrets(m.HTTP)
	if r.options.Redact != nil {
		m.redact(r.options.Redact)
	}
	return m, r.sink(&m)
}

// redact is called behind Correlate, which needs the ids as they came.
func (m *Message) redact(take func(string) string) {
	for _, s := range []*string{&m.Raw, &m.ID, &m.Method} {
		if out := take(*s); out != *s {
			*s, m.Redacted = out, true
		}
	}
	if m.HTTP == nil || len(m.HTTP.Headers) == 0 {
		return
	}
	h := *m.HTTP // the caller's stays as it is
	h.Headers = slices.Clone(h.Headers)
	for i := range h.Headers {
		f := &h.Headers[i]
		if out := take(f.Value); out != f.Value {
			f.Value, m.Redacted = out, true
		}
	}
	m.HTTP = &h
}
