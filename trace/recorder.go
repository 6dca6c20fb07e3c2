package trace

import (
	"slices"
	"strconv"
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
	m.replaceTexts(take, &m.Raw, &m.ID, &m.Method)
	m.replaceHeaders(take)
}

// replaceTexts replaces texts of the message by f's results, and marks it Redacted if one differs.
func (m *Message) replaceTexts(f func(string) string, texts ...*string) {
	for _, s := range texts {
		if out := f(*s); out != *s {
			*s, m.Redacted = out, true
		}
	}
}

// replaceHeaders is replaceTexts for the values of header fields.
func (m *Message) replaceHeaders(f func(string) string) {
	if m.HTTP == nil {
		return
	}
	h := *m.HTTP // the caller's must not change
	h.Headers = slices.Clone(h.Headers)
	for i := range h.Headers {
		m.replaceTexts(f, &h.Headers[i].Value)
	}
	m.HTTP = &h
}

// maxLabels limits the memory of Labels: a peer may send a new credential with every request.
const maxLabels = 100_000

// Labels name secrets, such as session ids and credentials, without revealing them. The first secret is the prefix and 1,
// the next one 2, and so on; the same secret keeps its name. A trace contains only the names. It is safe for concurrent use.
type Labels struct {
	prefix string
	mu     sync.Mutex
	names  map[string]string
}

// NewLabels returns Labels with a prefix such as "s" or "c".
func NewLabels(prefix string) *Labels { return &Labels{prefix: prefix, names: map[string]string{}} }

// Of returns the label of a secret, "" for the empty one. Beyond 100,000 secrets all new
// ones share a label, the prefix and a question mark.
func (l *Labels) Of(secret string) string {
	if secret == "" {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	name, ok := l.names[secret]
	switch {
	case ok:
		return name
	case len(l.names) == maxLabels:
		return l.prefix + "?"
	}
	name = l.prefix + strconv.Itoa(len(l.names)+1)
	l.names[secret] = name
	return name
}
