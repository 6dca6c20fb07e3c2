package classify

import "gauntlet/rawjson"

// choosers are names of parameters that choose what a tool does: manage_index with the operations create, drop and
// list. A parameter called command or method chooses too, where its values are acts.
var choosers = map[string]bool{"action": true, "actions": true, "operation": true, "operations": true, "op": true, "verb": true, "subcommand": true, "command": true, "cmd": true, "method": true, "mode": true,
	"task": true, "function": true, "actiontype": true, "operationtype": true, "request": true, "act": true}

// maxChoices is how many values of such a parameter are read.
const maxChoices = 64

// readChoices reads the values of a parameter that chooses the act. Each act is done to what the name names, or
// else the first sentence; a value that names an object itself, such as read_file, means that one.
func (w *toolReader) readChoices() {
	w.choice = classes{}
	from := len(w.actions)
	for i := range w.params {
		q := &w.params[i]
		if q.kind == boolKind || q.kind == numberKind || !w.choosesAct(q) {
			continue
		}
		set := w.readChoiceActs(q)
		if w.choice = w.choice.with(set); set.empty() {
			continue
		}
		subject := uint8(byName)
		if !w.nameSet.meets(objectClasses) {
			subject = byDescription
		}
		for _, d := range w.actions[:from] {
			if d.source == subject && !d.faint && len(w.actions) <= maxDeeds {
				d.acts, d.none, d.source, d.value = set, false, byParameter, q.key
				d.act, d.object.start, d.object.end = token{set: set}, 0, 0 // elsewhere than in the key
				w.actions = append(w.actions, d)
			}
		}
	}
}

// choosesAct reports whether the values of a parameter are what the tool does: at the top, or in each of a list of steps
// (actions[].type).
func (w *toolReader) choosesAct(q *parameter) bool {
	if q.depth == 0 || w.params[0].wrapper {
		return choosers[q.whole]
	}
	return q.depth == 1 && w.params[q.above].list && steps[w.params[q.above].whole] && (choosers[q.whole] || q.whole == "type" || q.whole == "kind")
}

// steps are names of lists whose members say each what is done.
var steps = map[string]bool{"actions": true, "steps": true, "operations": true, "commands": true}

// shortActs are names of commands that programs give to acts.
var shortActs = map[string]string{"mv": "move", "rm": "remove", "cp": "copy", "ls": "list", "cat": "read", "del": "delete", "rmdir": "remove"}

func (w *toolReader) readChoiceActs(q *parameter) (out classes) {
	left := maxChoices
	value := func(v rawjson.Value) {
		s := v.Text()
		if left--; left < 0 || v.Kind() != rawjson.String || httpMethods[s] {
			return
		}
		if long := shortActs[s]; long != "" {
			s = long
		}
		ks := w.tok.tokenizeName(s)
		for i, k := range ks {
			act := k.set.common(actClasses)
			if act.empty() {
				continue
			}
			object := classes{}
			for _, o := range ks[i+1:] {
				object = object.with(o.set.common(objectClasses))
			}
			if object.empty() {
				out = out.with(act)
			} else if len(w.actions) <= maxDeeds {
				out = out.with(act)
				w.actions = append(w.actions, action{acts: act, objects: object, source: byParameter, value: q.key, text: q.name + "=" + s})
			}
			break // create_policy: what comes first is done
		}
	}
	for _, v := range q.schema.Get("enum").Elements() {
		value(v)
	}
	for _, of := range [...]string{"anyOf", "oneOf"} {
		for _, s := range q.schema.Get(of).Elements() {
			value(s.Get("const"))
			for _, v := range s.Get("enum").Elements() {
				value(v)
			}
		}
	}
	return out
}

// httpMethods are verbs of the protocol, and no acts of the tool.
var httpMethods = map[string]bool{"GET": true, "POST": true, "PUT": true, "PATCH": true, "DELETE": true, "HEAD": true, "OPTIONS": true}
