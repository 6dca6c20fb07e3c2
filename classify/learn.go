package classify

import (
	"gauntlet/catalog"
)

// Facts are what was observed about one tool or parameter, for learning how much each observation
// tells.
type Facts struct {
	Tool      string
	Parameter string    // as [capability.Tool.Roles] names it; "" for a tool
	Names     []string  // each as the lists of weights spell it
	Values    []float32 // 1, or the share of the server's other tools; of the same length
}

// A learner names the keys of observations.
type learner struct {
	w     *toolReader
	names map[observationKey]string
}

func newLearner() *learner {
	l := &learner{w: newToolReader(), names: map[observationKey]string{}}
	l.w.rulesOnly = true
	l.w.seen.named = func(key observationKey, name string) { l.names[key] = name }
	return l
}

func (l *learner) addSeen(f *Facts, keys []observationKey) {
	for _, key := range keys {
		f.Names, f.Values = append(f.Names, l.names[key]), append(f.Values, 1)
	}
}

// ParameterFacts observes every parameter of a server as the rules see it.
func ParameterFacts(s *catalog.Server) (out []Facts) {
	l := newLearner()
	known := l.w.readProfile(s).isToolName
	for i := range s.Tools() {
		l.w.readTool(s, &s.Tools()[i], known)
		l.w.observeForRoles()
		var shared Facts
		l.addSeen(&shared, l.w.seen.keys)
		for j := range l.w.params {
			if l.w.params[j].wrapper {
				continue
			}
			f := Facts{Tool: l.w.name.Text(), Parameter: parameterPath(l.w.params, j)}
			f.Names, f.Values = append(f.Names, shared.Names...), append(f.Values, shared.Values...)
			l.w.observeForRole(&l.w.params[j])
			l.addSeen(&f, l.w.seen.keys)
			out = append(out, f)
		}
	}
	return out
}

// ToolFacts observes every tool of a server. The roles of parameters are those that roleOf's log-odds, in the order of
// [capability.Roles], decide.
func ToolFacts(s *catalog.Server, roleOf func(tool, parameter string) ([8]float32, bool)) []Facts {
	l := newLearner()
	l.w.rulesOnly, l.w.roleOf = false, roleOf
	c := &Classifier{s, l.w.readProfile(s), l.w.weights}
	about := Facts{}
	for i := range s.Self {
		l.w.seen.reset()
		if v := s.Self[i].Parse(s, &l.w.tree); v.Text() != "" {
			l.w.observeInstructions(v)
			l.addSeen(&about, l.w.seen.keys)
		}
	}
	out := make([]Facts, len(s.Tools()))
	own := make([][]observationKey, len(out))
	count := map[observationKey]float32{}
	for i := range out {
		l.w.is = c.profile.is
		l.w.readTool(s, &s.Tools()[i], c.profile.isToolName)
		l.w.observeTool()
		out[i].Tool = l.w.name.Text()
		l.addSeen(&out[i], l.w.seen.keys)
		own[i] = append(own[i], l.w.seen.own...)
		for _, key := range own[i] {
			count[key]++
		}
		p := c.profile.forTool(l.w)
		l.w.scoreTags(p)
		l.w.seen.reset()
		l.w.observeJudgement(p)
		l.addSeen(&out[i], l.w.seen.keys)
	}
	for i := range out {
		f := &out[i]
		f.Names, f.Values = append(f.Names, about.Names...), append(f.Values, about.Values...)
		mine := map[observationKey]bool{}
		for _, key := range own[i] {
			mine[key] = true
		}
		for key, n := range count {
			if mine[key] {
				n--
			}
			if n > 0 {
				f.Names, f.Values = append(f.Names, othersPrefix+l.names[key]), append(f.Values, n/float32(len(out)-1))
			}
		}
	}
	return out
}
