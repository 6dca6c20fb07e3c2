package reach

import (
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/program"
	"gauntlet/sink"
)

// sensitiveWords are the parts of names of variables that hold credentials. A server that reads its
// own key to send it along is not meant: only one that answers with it, which see answers.
var sensitiveWords = map[string]bool{
	"KEY": true, "APIKEY": true, "TOKEN": true, "SECRET": true, "SECRETS": true, "PASSWORD": true, "PASSWD": true, "PASS": true, "PWD": true,
	"CREDENTIAL": true, "CREDENTIALS": true, "CREDS": true, "PRIVATE": true, "AUTH": true, "COOKIE": true, "SESSION": true,
	"DSN": true, "CERT": true, "PASSPHRASE": true, "JWT": true, "BEARER": true, "PAT": true, "DATABASE": true, "CONNECTION": true,
}

func sensitive(key string) bool {
	for _, word := range strings.FieldsFunc(strings.ToUpper(key), func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		if sensitiveWords[word] {
			return true
		}
	}
	return false
}

// isEnv reports whether an expression is the environment itself.
func (w *walker) isEnv(x *program.Expr) bool {
	if x == nil || x.Kind != program.Attr && x.Kind != program.Name {
		return false
	}
	for _, v := range w.en.values(x, w.f) {
		if v.kind == outside {
			if r := w.en.conv.Table.find(v.text); r != nil && r.kind == "env" {
				return true
			}
		}
	}
	return false
}

// environment looks at env.KEY, env["KEY"] and env[key]. It returns true when that is all
// there is to see. The environment as a whole counts only where it is answered or listed: to
// hand it to a program that is started is usual.
func (w *walker) environment(e *program.Expr) bool {
	if !w.isEnv(e.X) {
		return false
	}
	if e.Kind == program.Index {
		if len(e.Args) > 0 {
			w.envKey(e, e.Args[0].Value)
			w.expr(e.Args[0].Value)
		}
	}
	return true
}

// envKey records the read of a variable that the source does not name: the caller may. A
// name that comes from a parameter or from the request surely is the caller's.
func (w *walker) envKey(e, key *program.Expr) {
	vs := w.en.values(key, w.f)
	strength := sink.Weak
	for _, v := range vs {
		switch v.kind {
		case constant:
			return
		case parameter, member:
			strength = sink.Strong
		case outside:
			for _, s := range w.en.conv.Servers {
				if strings.HasPrefix(v.text, s) {
					strength = sink.Strong
				}
			}
		}
	}
	w.record(e, capability.SecretAccess, strength, "env_key", "*")
}

// envCall is getenv(key), or a call that lists the environment.
func (w *walker) envCall(e *program.Expr, r *row) {
	if _, ok := r.args["key"]; !ok {
		w.record(e, capability.SecretAccess, sink.Strong, "env_key", "*")
		return
	}
	if key := role(r, "key", e.Args); key != nil {
		w.envKey(e, key)
	}
}

// answers looks for credentials of the environment in what a handler returns.
func (w *walker) answers(x *program.Expr, depth int) {
	if x == nil || depth > 12 || w.seen[x] {
		return
	}
	if w.seen == nil {
		w.seen = map[*program.Expr]bool{}
	}
	w.seen[x] = true
	switch x.Kind {
	case program.Attr, program.Index:
		if w.isEnv(x.X) {
			w.answersKey(x, x.Text)
			return
		}
		if w.isEnv(x) {
			w.answer(x, "*")
			return
		}
	case program.Name:
		bindings, at := x.Scope.Find(x.Text)
		if w.isEnv(x) {
			w.answer(x, "*")
			return
		}
		if at != nil && len(bindings) <= 3 {
			for _, b := range bindings {
				if b.Value != nil {
					w.answers(b.Value, depth+1)
				}
			}
		}
		return
	case program.Call:
		for _, v := range w.en.values(x.X, w.f) {
			if v.kind == function {
				return // what it does with it is its own affair
			}
			if v.kind != outside {
				continue
			}
			r := w.en.conv.Table.find(v.text)
			if r == nil || r.kind == "tag" || r.kind == "spawn" || r.kind == "sql" {
				return
			}
			if r.kind == "env" {
				if key := role(r, "key", x.Args); key != nil {
					if k := only(w.en.values(key, w.f)); k.kind == constant {
						w.answersKey(x, k.text)
					}
				}
				return
			}
		}
	case program.Function:
		return
	}
	w.answers(x.X, depth+1)
	for _, a := range x.Args {
		w.answers(a.Value, depth+1)
	}
}

func (w *walker) answersKey(x *program.Expr, key string) {
	if key != "" && sensitive(key) {
		w.answer(x, key)
	}
}

func (w *walker) answer(x *program.Expr, key string) {
	w.out.answered = append(w.out.answered, found{Call: sink.Call{
		Tag: capability.SecretAccess, Strength: sink.Strong, Kind: "env_key", Name: key, At: place(w.file, x),
	}})
}
