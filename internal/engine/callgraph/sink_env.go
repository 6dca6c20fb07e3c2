package callgraph

import (
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// sensitiveWords are the parts of names of variables that hold credentials. A server that reads its
// own key to send it along is not meant: only one that answers with it, see findAnsweredSecrets.
var sensitiveWords = map[string]bool{
	"KEY": true, "APIKEY": true, "TOKEN": true, "SECRET": true, "SECRETS": true, "PASSWORD": true, "PASSWD": true, "PASS": true, "PWD": true,
	"CREDENTIAL": true, "CREDENTIALS": true, "CREDS": true, "PRIVATE": true, "AUTH": true, "COOKIE": true, "SESSION": true,
	"DSN": true, "CERT": true, "PASSPHRASE": true, "JWT": true, "BEARER": true, "PAT": true, "DATABASE": true, "CONNECTION": true,
}

func isSensitiveKey(key string) bool {
	for _, word := range strings.FieldsFunc(strings.ToUpper(key), func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		if sensitiveWords[word] {
			return true
		}
	}
	return false
}

// isEnvironment reports whether an expression is the environment itself.
func (w *walker) isEnvironment(x *ir.Expr) bool {
	if x == nil || x.Kind != ir.Attr && x.Kind != ir.Name {
		return false
	}
	for _, v := range w.sr.evaluate(x, w.f) {
		if v.kind == outside {
			if r := w.sr.conv.Table.findRow(v.text); r != nil && r.kind == "env" {
				return true
			}
		}
	}
	return false
}

// walkEnvironment looks at env.KEY, env["KEY"] and env[key]. It returns true when that is all
// there is to see. The environment as a whole counts only where it is answered or listed: to
// hand it to a program that is started is usual.
func (w *walker) walkEnvironment(e *ir.Expr) bool {
	if !w.isEnvironment(e.X) {
		return false
	}
	if e.Kind == ir.Index {
		if len(e.Args) > 0 {
			w.recordEnvKey(e, e.Args[0].Value)
			w.walkExpr(e.Args[0].Value)
		}
	}
	return true
}

// recordEnvKey records the read of a variable that the source does not name: the caller may. A
// name that comes from a parameter or from the request surely is the caller's.
func (w *walker) recordEnvKey(e, key *ir.Expr) {
	vs := w.sr.evaluate(key, w.f)
	strength := sink.Weak
	for _, v := range vs {
		switch v.kind {
		case constant:
			return
		case parameter, member:
			strength = sink.Strong
		case outside:
			for _, s := range w.sr.conv.Servers {
				if strings.HasPrefix(v.text, s) {
					strength = sink.Strong
				}
			}
		}
	}
	w.recordSink(e, capability.SecretAccess, strength, "env_key", "*")
}

// recordEnvCall is getenv(key), or a call that lists the environment.
func (w *walker) recordEnvCall(e *ir.Expr, r *Row) {
	if _, ok := r.args["key"]; !ok {
		w.recordSink(e, capability.SecretAccess, sink.Strong, "env_key", "*")
		return
	}
	if key := argumentFor(r, "key", e.Args); key != nil {
		w.recordEnvKey(e, key)
	}
}

// findAnsweredSecrets looks for credentials of the environment in what a handler returns.
func (w *walker) findAnsweredSecrets(x *ir.Expr, depth int) {
	if x == nil || depth > 12 || w.seen[x] {
		return
	}
	if w.seen == nil {
		w.seen = map[*ir.Expr]bool{}
	}
	w.seen[x] = true
	switch x.Kind {
	case ir.Attr, ir.Index:
		if w.isEnvironment(x.X) {
			w.recordAnsweredKey(x, x.Text)
			return
		}
		if w.isEnvironment(x) {
			w.recordAnsweredSecret(x, "*")
			return
		}
	case ir.Name:
		bindings, at := x.Scope.Find(x.Text)
		if w.isEnvironment(x) {
			w.recordAnsweredSecret(x, "*")
			return
		}
		if at != nil && len(bindings) <= 3 {
			for _, b := range bindings {
				if b.Value != nil {
					w.findAnsweredSecrets(b.Value, depth+1)
				}
			}
		}
		return
	case ir.Call:
		for _, v := range w.sr.evaluate(x.X, w.f) {
			if v.kind == function {
				return // what it does with it is its own affair
			}
			if v.kind != outside {
				continue
			}
			r := w.sr.conv.Table.findRow(v.text)
			if r == nil || r.kind == "tag" || r.kind == "spawn" || r.kind == "sql" {
				return
			}
			if r.kind == "env" {
				if key := argumentFor(r, "key", x.Args); key != nil {
					if k := onlyValue(w.sr.evaluate(key, w.f)); k.kind == constant {
						w.recordAnsweredKey(x, k.text)
					}
				}
				return
			}
		}
	case ir.Function:
		return
	}
	w.findAnsweredSecrets(x.X, depth+1)
	for _, a := range x.Args {
		w.findAnsweredSecrets(a.Value, depth+1)
	}
}

func (w *walker) recordAnsweredKey(x *ir.Expr, key string) {
	if key != "" && isSensitiveKey(key) {
		w.recordAnsweredSecret(x, key)
	}
}

func (w *walker) recordAnsweredSecret(x *ir.Expr, key string) {
	w.out.answered = append(w.out.answered, found{Call: sink.Call{
		Tag: capability.SecretAccess, Strength: sink.Strong, Kind: "env_key", Name: key, At: PlaceOf(x),
	}})
}
