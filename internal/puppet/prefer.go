package puppet

import "slices"

// preferring are words between the tool that is to be used and the one that is not:
// "use a instead of b", "a replaces b".
var preferring = setOf("instead over rather replaces replacing supersedes")

// prefer takes note of an order to use one tool where another would be, and reports whether
// it is one.
func (o *obedience) prefer(c clause) bool {
	at := slices.IndexFunc(c.sentence, func(t token) bool { return t.sort == word && preferring[t.low] })
	if at < 0 {
		return false
	}
	better, worse := o.named(c.sentence[:at]), o.named(c.sentence[at:])
	if better == nil || worse == nil || better == worse {
		return false
	}
	o.preferred[worse.key()] = better.key()
	return true
}

// favourite returns the tool that is used where t would be: t itself, unless something else
// was ordered.
func (a *agent) favourite(t *tool) *tool {
	if t == nil || a.preferred[t.key()] == "" {
		return t
	}
	for _, other := range a.tools() {
		if other.key() == a.preferred[t.key()] {
			return other
		}
	}
	return t
}
