package oatf

import (
	"strings"

	"gauntlet/rawjson"
)

// An objectWriter writes a JSON object, fields in the specification's order and each extension after the field that it followed.
type objectWriter struct {
	b          *strings.Builder
	extensions []Extension // not written yet
	some       bool
}

func beginObject(b *strings.Builder, extensions []Extension) *objectWriter {
	b.WriteByte('{')
	w := &objectWriter{b: b, extensions: append([]Extension(nil), extensions...)}
	w.after("")
	return w
}

// endObject writes the extensions that follow no known field and closes the object.
func (w *objectWriter) endObject() {
	for _, x := range w.extensions {
		w.extension(x)
	}
	w.b.WriteByte('}')
}

// after writes the extensions that follow a field.
func (w *objectWriter) after(name string) {
	rest := w.extensions[:0]
	for _, x := range w.extensions {
		if x.After == name {
			w.extension(x)
		} else {
			rest = append(rest, x)
		}
	}
	w.extensions = rest
}

func (w *objectWriter) extension(x Extension) {
	if x.Value.Exists() {
		w.writeName(x.Name)
		w.b.WriteString(x.Value.Raw())
	}
}

func (w *objectWriter) writeName(name string) {
	if w.some {
		w.b.WriteByte(',')
	}
	w.some = true
	w.b.WriteString(rawjson.Quote(name))
	w.b.WriteByte(':')
}

// writeField writes a field if it is present.
func (w *objectWriter) writeField(name string, there bool, write func()) {
	if there {
		w.writeName(name)
		write()
	}
	w.after(name)
}

func (w *objectWriter) writeValue(name string, v rawjson.Value) {
	w.writeField(name, v.Exists(), func() { w.b.WriteString(v.Raw()) })
}
