package lock

import (
	"strings"

	"gauntlet/rawjson"
)

// Bytes returns the lockfile as it is written: the same for the same content, whatever
// order the servers came in.
func (f *File) Bytes() []byte {
	sorted := File{append([]Server(nil), f.Servers...)}
	sorted.sort()
	w := &writer{}
	w.open('{')
	w.member("lockfileVersion", "1")
	w.key("servers")
	w.open('[')
	for i := range sorted.Servers {
		w.next()
		w.server(&sorted.Servers[i], sorted.Servers[i].digest())
	}
	w.close(']')
	w.close('}')
	w.b = append(w.b, '\n')
	return w.b
}

// writer lays JSON out: one member a line.
type writer struct {
	b       []byte
	depth   int
	started bool // something stands before this at the present depth
	short   bool // leave definitions out
	tree    rawjson.Tree
}

func (w *writer) server(s *Server, digest string) {
	w.open('{')
	if s.Entry != "" {
		w.member("entry", escaped(quote(s.Entry)))
	}
	w.member("name", escaped(quote(s.Name)))
	if s.Anonymous {
		w.member("anonymous", "true")
	}
	switch {
	case s.Target.Command != "":
		w.member("target", `{"command": `+escaped(quote(s.Target.Command))+`}`)
	case s.Target.URL != "":
		w.member("target", `{"url": `+escaped(quote(s.Target.URL))+`}`)
	}
	w.member("date", escaped(quote(s.Date)))
	if s.Revision != "" {
		w.member("protocolVersion", escaped(quote(s.Revision)))
	}
	if digest != "" {
		w.member("hash", quote(digest))
	}
	for i := range s.Self {
		w.key(s.Self[i].Member)
		w.item(&s.Self[i].Item)
	}
	for l := range s.Lists {
		if !s.Lists[l].Present {
			continue
		}
		w.key(members[l])
		w.open('[')
		for i := range s.Lists[l].Items {
			w.next()
			w.item(&s.Lists[l].Items[i])
		}
		w.close(']')
	}
	w.close('}')
}

func (w *writer) item(it *Item) {
	w.open('{')
	w.member("hash", quote(it.Hash))
	if !w.short {
		w.key("definition")
		if err := w.tree.Parse(it.Text, 0); err != nil {
			panic("lock: a definition is not JSON: " + err.Error())
		}
		w.value(w.tree.Root(), 0)
	}
	w.close('}')
}

// The layout of definitions: a list of scalars as long as oneLine stays on its line, and so
// does what is nested deeper than laidOut, whose indentation would be most of the file.
const (
	oneLine = 80
	laidOut = 12
)

func (w *writer) value(v rawjson.Value, depth int) {
	raw := v.Raw()
	switch k := v.Kind(); {
	case k != rawjson.Object && k != rawjson.Array || v.Len() == 0:
		w.b = append(w.b, escaped(raw)...)
	case depth >= laidOut:
		w.b = append(w.b, escaped(raw)...)
	case k == rawjson.Array && len(raw) <= oneLine && !strings.ContainsAny(raw[1:], "[{"):
		w.b = append(w.b, '[')
		for i, e := range v.Elements() {
			if i > 0 {
				w.b = append(w.b, ", "...)
			}
			w.b = append(w.b, escaped(e.Raw())...)
		}
		w.b = append(w.b, ']')
	case k == rawjson.Array:
		w.open('[')
		for _, e := range v.Elements() {
			w.next()
			w.value(e, depth+1)
		}
		w.close(']')
	default:
		w.open('{')
		for m := range v.Members() {
			w.next()
			w.b = append(append(w.b, escaped(m.Key.Raw())...), ": "...)
			w.value(m.Value, depth+1)
		}
		w.close('}')
	}
}

func (w *writer) open(bracket byte) {
	w.b = append(w.b, bracket)
	w.depth++
	w.started = false
}

func (w *writer) close(bracket byte) {
	w.depth--
	if w.started {
		w.newline()
	}
	w.b = append(w.b, bracket)
	w.started = true
}

func (w *writer) next() {
	if w.started {
		w.b = append(w.b, ',')
	}
	w.newline()
	w.started = true
}

func (w *writer) newline() {
	w.b = append(w.b, '\n')
	for range w.depth {
		w.b = append(w.b, "  "...)
	}
}

func (w *writer) key(name string) {
	w.next()
	w.b = append(append(w.b, quote(name)...), ": "...)
}

func (w *writer) member(name, text string) {
	w.key(name)
	w.b = append(w.b, text...)
}

// escaped makes every character of a JSON text visible: a lockfile is read in a diff, and
// there a hidden character would hide.
func escaped(text string) string { return string(rawjson.EscapeHidden(nil, []byte(text))) }
