package lock

import (
	"bytes"
	"io"
	"strings"

	"gauntlet/rawjson"
)

// Bytes returns what [File.Write] writes.
func (f *File) Bytes() []byte {
	var b bytes.Buffer
	_ = f.Write(&b) // a buffer takes everything
	return b.Bytes()
}

// Write writes the lockfile's text, the same for the same content in any order.
func (f *File) Write(out io.Writer) error {
	sorted := File{append([]Server(nil), f.Servers...)}
	sorted.sort()
	w := &writer{out: out}
	w.openBracket('{')
	w.writeMember("lockfileVersion", "1")
	w.writeKey("servers")
	w.openBracket('[')
	for i := range sorted.Servers {
		w.nextElement()
		w.writeServer(&sorted.Servers[i], sorted.Servers[i].digest())
	}
	w.closeBracket(']')
	w.closeBracket('}')
	w.b = append(w.b, '\n')
	w.flush(0)
	return w.err
}

// writer writes JSON with one member per line.
type writer struct {
	out     io.Writer // nil to keep everything in b
	err     error     // of out
	b       []byte
	depth   int
	started bool // something precedes at the current depth
	short   bool // omit definitions
	tree    rawjson.Tree
}

func (w *writer) writeServer(s *Server, digest string) {
	w.openBracket('{')
	if s.Entry != "" {
		w.writeMember("entry", escaped(rawjson.Quote(s.Entry)))
	}
	w.writeMember("name", escaped(rawjson.Quote(s.Name)))
	if s.Anonymous {
		w.writeMember("anonymous", "true")
	}
	switch {
	case s.Target.Command != "":
		w.writeMember("target", `{"command": `+escaped(rawjson.Quote(s.Target.Command))+`}`)
	case s.Target.URL != "":
		w.writeMember("target", `{"url": `+escaped(rawjson.Quote(s.Target.URL))+`}`)
	}
	w.writeMember("date", escaped(rawjson.Quote(s.Date)))
	if s.Revision != "" {
		w.writeMember("protocolVersion", escaped(rawjson.Quote(s.Revision)))
	}
	if digest != "" {
		w.writeMember("hash", rawjson.Quote(digest))
	}
	for i := range s.Self {
		w.writeKey(s.Self[i].Member)
		w.writeItem(&s.Self[i].Item)
	}
	for l := range s.Lists {
		if !s.Lists[l].Present {
			continue
		}
		w.writeKey(members[l])
		w.openBracket('[')
		for i := range s.Lists[l].Items {
			w.nextElement()
			w.writeItem(&s.Lists[l].Items[i])
		}
		w.closeBracket(']')
	}
	w.closeBracket('}')
}

func (w *writer) writeItem(it *Item) {
	w.openBracket('{')
	w.writeMember("hash", rawjson.Quote(it.Hash))
	if !w.short {
		w.writeKey("definition")
		if err := w.tree.Parse(it.Text, 0); err != nil {
			panic("lock: a definition is not JSON: " + err.Error())
		}
		w.writeValue(w.tree.Root(), 0)
	}
	w.closeBracket('}')
}

// Layout of definitions: a list of scalars no longer than oneLine stays on its line, and so does what is nested deeper
// than laidOut, whose indentation would fill the file.
const (
	oneLine = 80
	laidOut = 12
)

func (w *writer) writeValue(v rawjson.Value, depth int) {
	raw := v.Raw()
	switch k := v.Kind(); {
	case k != rawjson.Object && k != rawjson.Array || v.Len() == 0:
		w.b = rawjson.EscapeHidden(w.b, raw)
	case depth >= laidOut:
		w.b = rawjson.EscapeHidden(w.b, raw)
	case k == rawjson.Array && len(raw) <= oneLine && !strings.ContainsAny(raw[1:], "[{"):
		w.b = append(w.b, '[')
		for i, e := range v.Elements() {
			if i > 0 {
				w.b = append(w.b, ", "...)
			}
			w.b = rawjson.EscapeHidden(w.b, e.Raw())
		}
		w.b = append(w.b, ']')
	case k == rawjson.Array:
		w.openBracket('[')
		for _, e := range v.Elements() {
			w.nextElement()
			w.writeValue(e, depth+1)
		}
		w.closeBracket(']')
	default:
		w.openBracket('{')
		for m := range v.Members() {
			w.nextElement()
			w.b = append(rawjson.EscapeHidden(w.b, m.Key.Raw()), ": "...)
			w.writeValue(m.Value, depth+1)
		}
		w.closeBracket('}')
	}
}

func (w *writer) openBracket(bracket byte) {
	w.b = append(w.b, bracket)
	w.depth++
	w.started = false
}

func (w *writer) closeBracket(bracket byte) {
	w.depth--
	if w.started {
		w.breakLine()
	}
	w.b = append(w.b, bracket)
	w.started = true
}

func (w *writer) nextElement() {
	if w.started {
		w.b = append(w.b, ',')
	}
	w.breakLine()
	w.started = true
	w.flush(writeFrom)
}

// writeFrom is how much text is worth a call of out, so that a file of any size takes no more memory than its longest string.
const writeFrom = 1 << 16

// flush writes the text so far if it is longer than from.
func (w *writer) flush(from int) {
	if w.out == nil || len(w.b) <= from {
		return
	}
	if w.err == nil {
		_, w.err = w.out.Write(w.b)
	}
	w.b = w.b[:0]
}

func (w *writer) breakLine() {
	w.b = append(w.b, '\n')
	for range w.depth {
		w.b = append(w.b, "  "...)
	}
}

func (w *writer) writeKey(name string) {
	w.nextElement()
	w.b = append(append(w.b, rawjson.Quote(name)...), ": "...)
}

func (w *writer) writeMember(name, text string) {
	w.writeKey(name)
	w.b = append(w.b, text...)
}

// escaped makes every character of JSON text visible: lockfiles are read as diffs, where hidden characters would hide.
func escaped(text string) string { return string(rawjson.EscapeHidden(nil, text)) }

// Snapshot returns the approved servers as a snapshot, as if captured when approved, each named by its address. Members
// are in canonical order.
func (f *File) Snapshot() string {
	w := &writer{}
	w.openBracket('{')
	w.writeKey("servers")
	w.openBracket('[')
	for i := range f.Servers {
		s := &f.Servers[i]
		w.nextElement()
		w.openBracket('{')
		w.writeMember("name", rawjson.Quote(s.Address()))
		if s.Revision != "" {
			w.writeMember("protocolVersion", rawjson.Quote(s.Revision))
		}
		for _, p := range s.Self {
			w.writeMember(p.Member, p.Text)
		}
		for l := range s.Lists {
			if !s.Lists[l].Present {
				continue
			}
			w.writeKey(members[l])
			w.openBracket('[')
			for _, it := range s.Lists[l].Items {
				w.nextElement()
				w.b = append(w.b, it.Text...)
			}
			w.closeBracket(']')
		}
		w.closeBracket('}')
	}
	w.closeBracket(']')
	w.closeBracket('}')
	return string(append(w.b, '\n'))
}
