package trace

import (
	"slices"
	"sync"
)

// RecorderOptions configure a Recorder.
type RecorderOptions struct {
	// Redact removes secrets from a text: values from the environment, headers and tokens that the user passed in. nil removes
	// nothing. It is applied to the text of messages, header values, ids and methods; a message that it changes is marked Redacted.
	Redact func(string) string
}

// A Recorder turns observed messages into a trace: it numbers them, finds the requests of answers, withholds
// credentials in headers, and passes each message on. It is safe for concurrent use.
type Recorder struct {
	mu      sync.Mutex
	sink    func(*Message) error
	options RecorderOptions
	seq     int
	answers Correlator
}

// NewRecorder returns a Recorder that passes its messages to sink, such as [Writer.Write], one at a time. sink must not keep the pointer.
func NewRecorder(sink func(*Message) error, o RecorderOptions) *Recorder {
	return &Recorder{sink: sink, options: o}
}

// Record records m and sets its Seq, ReplyTo and Stray, and the Method of an answer. It returns the message as passed
// on. On an error of the sink the message is not in the trace, which the caller must report.
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

// redact must follow Correlate, which needs the original ids.
func (m *Message) redact(take func(string) string) {
	for _, s := range []*string{&m.Raw, &m.ID, &m.Method} {
		if out := take(*s); out != *s {
			*s, m.Redacted = out, true
		}
	}
	if m.HTTP == nil || len(m.HTTP.Headers) == 0 {
		return
	}
	h := *m.HTTP // the caller's must not change
	h.Headers = slices.Clone(h.Headers)
	for i := range h.Headers {
		f := &h.Headers[i]
		if out := take(f.Value); out != f.Value {
			f.Value, m.Redacted = out, true
		}
	}
	m.HTTP = &h
}
