package simagent

import "slices"

// preferring are words between the tool that is to be used and the one that is not:
// "use a instead of b", "a replaces b".
var preferring = setOf("instead over rather replaces replacing supersedes")

// recordPreference takes note of an order to use one tool where another would be, and reports whether
// it is one.
func (o *orderReader) recordPreference(c clause) bool {
	at := slices.IndexFunc(c.sentence, func(t token) bool { return t.kind == word && preferring[t.low] })
	if at < 0 {
		return false
	}
	better, worse := o.firstNamedTool(c.sentence[:at]), o.firstNamedTool(c.sentence[at:])
	if better == nil || worse == nil || better == worse {
		return false
	}
	o.preferred[worse.toolKey()] = better.toolKey()
	return true
}

// preferredTool returns the tool that is used where t would be: t itself, unless something else
// was ordered.
func (a *simAgent) preferredTool(t *tool) *tool {
	if t != nil {
		if other := a.toolOfKey(a.preferred[t.toolKey()]); other != nil {
			return other
		}
	}
	return t
}

// toolOfKey returns the tool with a key, nil for none.
func (a *simAgent) toolOfKey(key string) *tool {
	all := a.tools()
	if i := slices.IndexFunc(all, func(t *tool) bool { return t.toolKey() == key }); i >= 0 {
		return all[i]
	}
	return nil
}
