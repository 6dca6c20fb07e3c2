package peer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"gauntlet/internal/wire"
)

// A Snapshot is what a server said about itself. Its texts are parts of the messages as
// received.
type Snapshot struct {
	Era      Era     // Legacy or Modern: what the server was found to speak
	Revision string  // the protocol revision agreed on
	Init     string  // the result of initialize, of server/discover in the stateless era
	Lists    [4]List // in the order of catalog.Kinds
	Hints    []Hint  // for caches, in the order met
	Errors   []Gap   // in the order met; more than one may belong to a method
	Noise    wire.Noise
}

// A Hint is what a server of the stateless era allows caches to do with one answer. Pages
// of one list stand once if they agree.
type Hint struct {
	Method     string
	TTL, Scope string // the raw values of ttlMs and cacheScope, "" if absent
}

// A List is one of a server's lists. Present tells an empty list from one not offered.
type List struct {
	Present bool
	Items   []string // each definition as received
}

// A Gap is something that was asked for and not fully read. Absent says that the server
// answered that it has no such list, which leaves nothing unread.
type Gap struct {
	Method  string
	Message string
	Absent  bool
}

// Bytes returns the snapshot as WriteTo writes it.
func (s *Snapshot) Bytes() []byte {
	var b bytes.Buffer
	_, _ = s.WriteTo(&b) // a Buffer takes everything
	return b.Bytes()
}

// WriteTo writes the snapshot as a JSON object that catalog.Parse reads. Everything the
// server said stands in it unchanged, one definition a line: server, protocolVersion,
// capabilities, instructions, tools, prompts, resources, resourceTemplates. What the
// server did not say is absent, and a list that it answered empty is []. In the stateless
// era protocolVersion is what the lists were asked for in, and supportedVersions stands
// beside it. Behind that come, if there are any, in _meta what caches may do, capture_errors
// and the first lines of stdout_noise with their count.
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) {
	count := &counter{w: w}
	b := &object{w: bufio.NewWriterSize(count, 64<<10)}
	b.w.WriteByte('{')
	s.opening(b)
	for i, l := range s.Lists {
		if l.Present || len(l.Items) > 0 {
			b.list(lists[i].member, l.Items)
		}
	}
	s.hints(b)
	s.errors(b)
	if s.Noise.Count > 0 {
		quoted := make([]string, len(s.Noise.Lines))
		for i, line := range s.Noise.Lines {
			quoted[i] = text(line)
		}
		b.list("stdout_noise", quoted)
		b.member("stdout_noise_count")
		b.w.WriteString(strconv.Itoa(s.Noise.Count))
	}
	b.w.WriteString("\n}\n")
	err := b.w.Flush()
	return count.n, err
}

// opening writes what the server said about itself before any list.
func (s *Snapshot) opening(b *object) {
	// Repeated members stay repeated: clients differ in which one they take.
	copyAll := func(name string, values []string) {
		for _, raw := range values {
			b.member(name)
			b.w.WriteString(raw)
		}
	}
	if s.Era == Modern {
		for _, meta := range all(s.Init, "_meta") {
			copyAll("server", all(meta, metaPrefix+"serverInfo"))
		}
		copyAll("protocolVersion", []string{text(s.Revision)})
		copyAll("supportedVersions", all(s.Init, "supportedVersions"))
	} else {
		copyAll("server", all(s.Init, "serverInfo"))
		copyAll("protocolVersion", all(s.Init, "protocolVersion"))
	}
	copyAll("capabilities", all(s.Init, "capabilities"))
	copyAll("instructions", all(s.Init, "instructions"))
}

// hints writes what caches may do, by method.
func (s *Snapshot) hints(b *object) {
	if len(s.Hints) == 0 {
		return
	}
	b.member("_meta")
	b.w.WriteString("{\"gauntlet/cacheHints\": ")
	for i, h := range s.Hints {
		b.w.WriteString(map[bool]string{true: "{\n", false: ",\n"}[i == 0])
		b.w.WriteString(text(h.Method) + ": {")
		if h.TTL != "" {
			b.w.WriteString(`"ttlMs": ` + h.TTL)
		}
		if h.Scope != "" {
			if h.TTL != "" {
				b.w.WriteString(", ")
			}
			b.w.WriteString(`"cacheScope": ` + h.Scope)
		}
		b.w.WriteByte('}')
	}
	b.w.WriteString("\n}}")
}

// errors writes the gaps, those of one method joined, since names are unique there.
func (s *Snapshot) errors(b *object) {
	if len(s.Errors) == 0 {
		return
	}
	messages := map[string]string{}
	var methods []string
	for _, e := range s.Errors {
		msg := e.Message
		if !e.Absent {
			// Readers take "-32601" for "has no such list" and go on. A server must not
			// be able to say that about what it broke, by writing it to its stderr or into
			// another error: there the sign becomes U+2212.
			msg = strings.ReplaceAll(msg, "-32601", "\u221232601")
		}
		if old, ok := messages[e.Method]; ok {
			msg = old + "; " + msg
		} else {
			methods = append(methods, e.Method)
		}
		messages[e.Method] = msg
	}
	b.member("capture_errors")
	b.w.WriteByte('{')
	for i, method := range methods {
		if i > 0 {
			b.w.WriteByte(',')
		}
		b.w.WriteString("\n" + text(method) + ": " + text(messages[method]))
	}
	b.w.WriteString("\n}")
}

// object writes members, one a line. Errors stay in w until it is flushed.
type object struct {
	w *bufio.Writer
	n int
}

func (b *object) member(name string) {
	if b.n++; b.n > 1 {
		b.w.WriteByte(',')
	}
	b.w.WriteString("\n" + text(name) + ": ")
}

func (b *object) list(name string, items []string) {
	b.member(name)
	b.w.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			b.w.WriteByte(',')
		}
		b.w.WriteByte('\n')
		b.w.WriteString(item)
	}
	if len(items) > 0 {
		b.w.WriteByte('\n')
	}
	b.w.WriteByte(']')
}

// text writes a string of ours, or one that is no evidence, as JSON.
func text(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// counter counts what goes through, as io.WriterTo promises.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
