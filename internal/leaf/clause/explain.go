package clause

import (
	"fmt"
	"strings"

	"gauntlet/internal/leaf/text"
)

// Explain reads a string and says in words what the reader made of it: one line a clause,
// with its mood, its act, and what plays which part in it.
func (r *Reader) Explain(s string, at Place) []string {
	r.place = at
	folded := text.Fold(s)
	r.frames(folded.Text(), r.tok.run(folded.Text(), false))
	if len(r.framer.frames) == 0 && len(r.framer.toks) > 0 {
		return []string{"no word of it is one that a rule speaks of"}
	}
	var out []string
	for i := range r.framer.frames {
		out = append(out, r.explain(&r.framer.frames[i], folded.Text()))
	}
	return out
}

var moodNames = [...]string{noun: "names", describe: "describes", permit: "permits", duty: "obliges", order: "orders"}

func (r *Reader) explain(f *frame, s string) string {
	toks := r.framer.toks
	var b strings.Builder
	fmt.Fprintf(&b, "%q %s", s[toks[f.first].start:toks[f.last].end], moodNames[f.mood])
	for _, flag := range []struct {
		is   bool
		name string
	}{{f.negated, "negated"}, {f.conditional, "conditional"}, {f.governed, "reported"}, {f.purpose, "purpose"}, {f.quoted, "quoted"}, {f.hidden, "hidden"}, {f.foreign, "foreign"}, {f.passive, "passive"}, {f.participle, "participle"}} {
		if flag.is {
			b.WriteString(", " + flag.name)
		}
	}
	for _, role := range []struct {
		name string
		set  classSet
	}{{"act", f.act}, {"subject", f.subject}, {"object", f.object}, {"source", f.source}, {"destination", f.dest}, {"means", f.means}, {"topic", f.topic}, {"condition", f.when}, {"it", f.carried}} {
		if names := role.set.names(); names != "" && (role.name != "it" || f.object.any(setOf(it, content))) {
			b.WriteString("; " + role.name + ": " + names)
		}
	}
	return b.String()
}

func (s classSet) names() string {
	var out []string
	for c := range classes {
		if s.has(c) && c != verb {
			out = append(out, classNames[c])
		}
	}
	return strings.Join(out, " ")
}
