package callgraph

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

var sensitiveWords = Names("KEY APIKEY TOKEN SECRET SECRETS PASSWORD PASSWD PASS PWD CREDENTIAL CREDENTIALS CREDS PRIVATE AUTH COOKIE SESSION DSN CERT PASSPHRASE JWT BEARER PAT DATABASE CONNECTION")

// isSensitiveKey reports whether one of the words in the name of a variable says that it holds a credential. A server that reads its
// own key to send it along is not meant: only one that answers with it, see findAnsweredSecrets.
func isSensitiveKey(key string) bool {
	words := strings.FieldsFunc(strings.ToUpper(key), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	return slices.ContainsFunc(words, func(word string) bool { return sensitiveWords[word] })
}

func (ev *evaluator) isEnvironment(x *ir.Expr, f *frame) bool {
	return x.Is(ir.Attr, ir.Name) && slices.ContainsFunc(ev.outsides(x, f), func(name string) bool { return ev.rowKind(name) == "env" })
}

// Variable returns the name of the variable of the environment that an expression reads, "*" for all of them and "" for one that the source does not
// name; ok is false where it reads none.
func (ev *evaluator) Variable(x *ir.Expr, f Context) (name string, ok bool) {
	switch {
	case x.Is(ir.Attr, ir.Index) && ev.isEnvironment(x.X, f):
		name, _ = ev.Constant(x.Arg(0), f)
		return cmp.Or(x.Text, name), true
	case ev.isEnvironment(x, f):
		return "*", true
	case x.Is(ir.Call):
		for _, called := range ev.outsides(x.X, f) {
			if r := ev.conv.Table.findRow(called); r.Kind() == "env" {
				if !r.Knows("key") {
					return "*", true
				}
				name, _ = ev.Constant(r.Argument("key", x), f)
				return name, true
			}
		}
	}
	return "", false
}

// walkEnvironment looks at env.KEY, env["KEY"] and env[key]. It returns true when that is all
// there is to see. The environment as a whole counts only where it is answered or listed: to
// hand it to a program that is started is usual.
func (w *walker) walkEnvironment(e *ir.Expr) bool {
	if !w.sr.isEnvironment(e.X, w.f) {
		return false
	}
	if key := e.Arg(0); e.Kind == ir.Index && key != nil {
		w.recordEnvKey(e, key)
		w.walkExpr(key)
	}
	return true
}

// recordEnvKey records the read of a variable that the source does not name: the caller may. A
// name that comes from a parameter or from the request surely is the caller's.
func (w *walker) recordEnvKey(e, key *ir.Expr) {
	strength := sink.Weak
	for _, v := range w.sr.evaluate(key, w.f) {
		switch {
		case v.kind == constant:
			return
		case v.kind == parameter, v.kind == member, v.kind == outside && w.sr.conv.isServers(v.text):
			strength = sink.Strong
		}
	}
	w.recordSink(e, capability.SecretAccess, strength, "env_key", "*")
}

// recordEnvCall is getenv(key), or a call that lists the environment.
func (w *walker) recordEnvCall(e *ir.Expr, r *Row) {
	if !r.Knows("key") {
		w.recordSink(e, capability.SecretAccess, sink.Strong, "env_key", "*")
		return
	}
	if key := r.Argument("key", e); key != nil {
		w.recordEnvKey(e, key)
	}
}

// findAnsweredSecrets looks for credentials of the environment in what a handler returns.
func (w *walker) findAnsweredSecrets(x *ir.Expr) {
	w.sr.Looks(x, func(x *ir.Expr) (yes, into bool) {
		key, reads := w.sr.Variable(x, w.f)
		if key == "*" || isSensitiveKey(key) {
			w.out.answered = append(w.out.answered, found{Call: sink.Call{Tag: capability.SecretAccess, Strength: sink.Strong, Kind: "env_key", Name: key, At: PlaceOf(x)}})
		}
		return false, !reads && !(x.Kind == ir.Call && w.keepsToItself(x))
	})
}

// keepsToItself reports whether a call enters the program, whose affair it is what it does with its arguments, or has consequences.
func (w *walker) keepsToItself(call *ir.Expr) bool {
	return slices.ContainsFunc(w.sr.evaluate(call.X, w.f), func(v value) bool {
		return v.kind == function || v.kind == outside && slices.Contains([]string{"", "tag", "spawn", "sql"}, w.sr.rowKind(v.text))
	})
}
