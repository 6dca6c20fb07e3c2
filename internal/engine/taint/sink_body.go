package taint

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// bodyReaders are methods that read what a request answered as a whole, by language.
var bodyReaders = map[string]map[string]bool{
	"typescript": names("text json arrayBuffer blob bytes buffer formData"),
	"python":     names("read text json"),
	"go":         names("ReadAll"),
}

// wholeReaders are packages whose requests read the whole answer before they return, with the options by which they do not.
var wholeReaders = map[string][]string{
	"axios":    {"maxContentLength", "responseType"},
	"got":      {"isStream"},
	"requests": {"stream"},
	"httpx":    {"stream"},
}

// bodySink notes a request to an address of the caller's choosing whose answer is read whole, however long it is.
func (r *reader) bodySink(c call, v *value, marks []mark, name string) {
	at := r.readsWhole(c.expr, name)
	if at == nil {
		return
	}
	if len(v.fixed) == 0 {
		r.sinkMarks(call{expr: at}, sink.BodyFlow, name, "", slices.DeleteFunc(slices.Clone(marks), func(m mark) bool { return isBehindHost(m.head) }))
	}
}

// readsWhole returns where the answer to a request is read whole, nil where it is not, or not by the function that sends it.
func (r *reader) readsWhole(request *ir.Expr, name string) *ir.Expr {
	root, _, _ := strings.Cut(strings.TrimPrefix(name, "."), ".")
	if options, ok := wholeReaders[strings.TrimSuffix(root, "()")]; ok {
		if lastWord(name) == "stream" || slices.ContainsFunc(options, func(o string) bool { return request.Option(o) != nil }) {
			return nil
		}
		return request
	}
	for _, read := range r.a.bodyReads(r.fn) {
		if r.isAnswer(bodyOf(read), request) && !r.a.asksLength(r.fn) {
			return read
		}
	}
	return nil
}

// bodyOf returns what a call reads: x of x.text(), x of io.ReadAll(x.Body).
func bodyOf(read *ir.Expr) *ir.Expr {
	if read.X.Text != "ReadAll" {
		return read.X.X
	}
	if len(read.Args) == 1 && read.Args[0].Value != nil && read.Args[0].Value.Kind == ir.Attr && read.Args[0].Value.Text == "Body" {
		return read.Args[0].Value.X
	}
	return nil
}

func (r *reader) isAnswer(e, request *ir.Expr) bool {
	if e == nil {
		return false
	}
	d := r.a.g.Definition(e)
	for d.Kind == ir.Result && d.X != nil {
		d = d.X
	}
	return d == request
}

// bodyReads returns the calls of a function that read an answer whole.
func (a *analyzer) bodyReads(fn *ir.Func) []*ir.Expr {
	if a.reads == nil {
		a.reads = map[*ir.Func][]*ir.Expr{}
		words := bodyReaders[a.g.Convention().Language]
		for _, c := range a.g.Program().Calls {
			if c.X != nil && c.X.Kind == ir.Attr && words[c.X.Text] && (len(c.Args) == 0 || c.X.Text == "ReadAll") {
				a.reads[c.Scope.Owner()] = append(a.reads[c.Scope.Owner()], c)
			}
		}
	}
	return a.reads[fn]
}

// asksLength reports whether a function asks how long an answer says that it is.
func (a *analyzer) asksLength(fn *ir.Func) bool {
	source := fn.Scope.File.Source
	text := strings.ToLower(string(source[max(fn.Start, 0):max(min(int(fn.End), len(source)), int(fn.Start))]))
	return strings.Contains(text, `"content-length"`) || strings.Contains(text, `'content-length'`) || strings.Contains(text, ".contentlength")
}
