package classify

import (
	"strings"

	"gauntlet/rawjson"
)

// choosers are names of parameters that choose what a tool does.
var choosers = map[string]bool{"action": true, "operation": true, "op": true, "verb": true, "subcommand": true}

// maxChoices is how many values of such a parameter are read.
const maxChoices = 64

// choices reads the values of a parameter that chooses the act, as in manage_index with the
// operations create, drop and list: each is done to what the name names.
func (w *worker) choices() {
	w.choice = classes{}
	from := len(w.deeds)
	for i := range w.params {
		q := &w.params[i]
		if !q.closed || q.kind == boolKind || q.depth > 0 && !w.params[0].wrapper || !choosers[strings.Join(paramName(q.name, w.words[:0]), "")] {
			continue
		}
		set := w.choiceActs(q.schema)
		if w.choice = w.choice.with(set); set.empty() {
			continue
		}
		for _, d := range w.deeds[:from] {
			if d.source == byName && len(w.deeds) <= maxDeeds {
				d.acts, d.none, d.source, d.value = set, false, byParameter, q.key
				w.deeds = append(w.deeds, d)
			}
		}
	}
}

// choiceActs returns the acts among the values of a schema.
func (w *worker) choiceActs(schema rawjson.Value) (out classes) {
	left := maxChoices
	for _, v := range schema.Get("enum").Elements() {
		if left--; left < 0 || v.Kind() != rawjson.String {
			break
		}
		for _, k := range w.tok.name(v.Text()) {
			if s := k.set.common(acts); !s.empty() {
				out = out.with(s)
				break // create_policy: what comes first is done
			}
		}
	}
	return out
}
