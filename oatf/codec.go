package oatf

import (
	"iter"
	"math"
	"reflect"
	"strconv"
	"strings"

	"gauntlet/rawjson"
)

// The fields of the model's structs are read and written by their tags, in the specification's order: the field's name and, after
// a comma, "always" if it is written even when empty, or "mapping" if no other value is read.

// A partial struct has members that tags cannot describe.
type partial interface {
	readRest(v rawjson.Value)
	writeRest(w *objectWriter)
}

var (
	treeType     = reflect.TypeFor[rawjson.Value]()
	severityType = reflect.TypeFor[Severity]()
)

func decodeDocument(src *source) *Document {
	d := decode[Document](src.rootValue())
	d.source = src
	return d
}

// decode builds a struct of the model. What does not fit is omitted: the shapes report it.
func decode[T any](v rawjson.Value) *T {
	t := new(T)
	readInto(reflect.ValueOf(t).Elem(), v)
	return t
}

// taggedFields yields the fields of a struct with their names and options.
func taggedFields(of reflect.Value) iter.Seq2[reflect.Value, [2]string] {
	return func(yield func(reflect.Value, [2]string) bool) {
		for i := range of.NumField() {
			name, option, _ := strings.Cut(of.Type().Field(i).Tag.Get("oatf"), ",")
			if name != "" && !yield(of.Field(i), [2]string{name, option}) {
				return
			}
		}
	}
}

func readInto(into reflect.Value, v rawjson.Value) {
	if into.Type() == treeType {
		into.Set(reflect.ValueOf(v))
		return
	}
	switch into.Kind() {
	case reflect.String:
		into.SetString(v.Text())
	case reflect.Int:
		n, _ := v.Int()
		into.SetInt(n)
	case reflect.Float64:
		f, _ := floatOf(v)
		into.SetFloat(f)
	case reflect.Pointer:
		if one := reflect.New(into.Type().Elem()); fits(one.Elem(), v) {
			readInto(one.Elem(), v)
			into.Set(one)
		}
	case reflect.Slice:
		if v.Kind() == rawjson.Array {
			into.Set(reflect.MakeSlice(into.Type(), v.Len(), v.Len()))
			for i, e := range v.Elements() {
				readInto(into.Index(i), e)
			}
		}
	case reflect.Struct:
		readFields(into, v)
	}
}

func readFields(into reflect.Value, v rawjson.Value) {
	if into.Type() == severityType && v.Kind() == rawjson.String { // the scalar form
		into.Set(reflect.ValueOf(Severity{Level: SeverityLevel(v.Text())}))
		return
	}
	for f, tag := range taggedFields(into) {
		if m := v.Get(tag[0]); tag[1] != "mapping" || m.Kind() == rawjson.Object {
			readInto(f, m)
		}
	}
	if x := into.FieldByName("Extensions"); x.IsValid() {
		x.Set(reflect.ValueOf(decodeExtensions(v)))
	}
	if p, ok := into.Addr().Interface().(partial); ok {
		p.readRest(v)
	}
}

func fits(one reflect.Value, v rawjson.Value) (ok bool) {
	switch one.Kind() {
	case reflect.String:
		ok = v.Kind() == rawjson.String
	case reflect.Int:
		_, ok = v.Int()
	case reflect.Float64:
		_, ok = floatOf(v)
	default:
		ok = v.Kind() == rawjson.Object || one.Type() == severityType && v.Kind() == rawjson.String
	}
	return ok
}

// decodeExtensions returns the fields x-*, each with the field of the format that it follows.
func decodeExtensions(v rawjson.Value) []Extension {
	var all []Extension
	after := ""
	for m := range v.Members() {
		if name := m.Key.Text(); strings.HasPrefix(name, "x-") {
			all = append(all, Extension{Name: name, Value: m.Value, After: after})
		} else {
			after = name
		}
	}
	return all
}

func floatOf(v rawjson.Value) (float64, bool) {
	if v.Kind() != rawjson.Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.Raw(), 64)
	return f, err == nil
}

func render(d *Document) string {
	var b strings.Builder
	writeFrom(&b, reflect.ValueOf(d).Elem())
	return b.String()
}

func writeFrom(b *strings.Builder, v reflect.Value) {
	if v.Type() == treeType {
		b.WriteString(v.Interface().(rawjson.Value).Raw())
		return
	}
	switch v.Kind() {
	case reflect.String:
		b.WriteString(rawjson.Quote(v.String()))
	case reflect.Int:
		b.WriteString(strconv.FormatInt(v.Int(), 10))
	case reflect.Float64:
		b.WriteString(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	case reflect.Pointer:
		writeFrom(b, v.Elem())
	case reflect.Slice:
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			writeFrom(b, v.Index(i))
		}
		b.WriteByte(']')
	case reflect.Struct:
		writeFields(b, v)
	}
}

func writeFields(b *strings.Builder, v reflect.Value) {
	var extensions []Extension
	if x := v.FieldByName("Extensions"); x.IsValid() {
		extensions = x.Interface().([]Extension)
	}
	w := beginObject(b, extensions)
	for f, tag := range taggedFields(v) {
		w.writeField(tag[0], tag[1] == "always" || !f.IsZero() && !isNoNumber(f), func() { writeFrom(b, f) })
	}
	if p, ok := v.Addr().Interface().(partial); ok {
		p.writeRest(w)
	}
	w.endObject()
}

// isNoNumber reports whether a program has set a number that JSON cannot hold.
func isNoNumber(v reflect.Value) bool {
	f, ok := v.Interface().(*float64)
	return ok && (math.IsNaN(*f) || math.IsInf(*f, 0))
}

// Clone returns a deep copy.
func (d *Document) Clone() *Document {
	c := *d
	detach(reflect.ValueOf(&c.Attack).Elem())
	return &c
}

// detach replaces everything that a value shares with its original by copies, except trees, which nobody changes.
func detach(v reflect.Value) {
	switch {
	case v.Type() == treeType:
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			detach(v.Field(i))
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		c := reflect.New(v.Type().Elem())
		c.Elem().Set(v.Elem())
		detach(c.Elem())
		v.Set(c)
	case v.Kind() == reflect.Slice && !v.IsNil():
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(c, v)
		for i := range c.Len() {
			detach(c.Index(i))
		}
		v.Set(c)
	}
}

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
