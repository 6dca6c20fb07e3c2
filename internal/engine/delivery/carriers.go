package delivery

import (
	"regexp/syntax"
	"slices"
	"strings"

	"gauntlet/internal/leaf/clause"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/planted"
	"gauntlet/oatf"
	"gauntlet/rawjson"
)

// key is the attack extension by which authors name the parts that carry the attack.
const key = "x-gauntlet-carriers"

// How the carriers were determined, for readers.
const (
	byFile      = "the planted files that have a marker (" + planted.Key + ")"
	byAuthor    = "the document names the parts that carry the attack (" + key + ")"
	byWords     = "parts whose text gives orders to a model"
	byIndicator = "parts with text that an indicator searches for"
	byAsking    = "answers that name the call or the argument that an indicator examines"
	bySurface   = "parts that ask for the answer that an indicator examines"
	byChange    = "parts that the actor did not have at the beginning"
	byAction    = "every part but requests for a list"
	byDefault   = "every part: none is distinguished"
)

// carriers returns the parts that carry the attack, by the first rule that finds any: planted files with a marker; the
// author's statement; text that gives a model orders; text that an indicator searches for, since the agent can have it only
// from there; an answer that names the call that an indicator examines; the question
// whose answer an indicator examines; what an actor says in a later state but not in the first; everything but a
// client's requests for a list; everything.
func carriers(doc *oatf.Document, parts []part) ([]int, string) {
	markBaits(doc, parts)
	if out, basis := attackCarriers(doc, parts, func(p *part) bool { return !p.task }); out != nil {
		return out, basis
	}
	return attackCarriers(doc, parts, func(*part) bool { return true })
}

// attackCarriers applies the rules to the parts accepted by may. The user's task is considered only if there is nothing
// else: the user is not the attacker.
func attackCarriers(doc *oatf.Document, parts []part, may func(*part) bool) ([]int, string) {
	named := doc.Attack.Extension(key).Texts() // methods, "method name", or phases
	anchors, names := anchorsOf(doc, doc.Attack.Indicators), sought(doc, parts)
	lists := slices.ContainsFunc(parts, func(p part) bool { return p.onlyLists() })
	var r clause.Reader
	for _, rule := range []struct {
		basis string
		is    func(*part) bool
	}{
		{byFile, func(p *part) bool { return p.marker != "" }},
		{byAuthor, func(p *part) bool {
			return slices.Contains(named, p.Method) || slices.Contains(named, p.Method+" "+p.Name) || slices.Contains(named, p.Phase)
		}},
		{byWords, func(p *part) bool { return slices.ContainsFunc(p.texts, func(s string) bool { return orders(&r, s) }) }},
		{byIndicator, func(p *part) bool { return p.holds(anchors) }},
		{byAsking, func(p *part) bool { return p.asksFor(names) }},
		{bySurface, func(p *part) bool {
			return (p.Method == mcp.ElicitationCreate || p.Method == mcp.SamplingCreateMessage) &&
				slices.ContainsFunc(doc.Attack.Indicators, func(i oatf.Indicator) bool { return i.Surface == p.Method })
		}},
		{byChange, func(p *part) bool {
			return !p.first && !p.onlyLists() && !slices.ContainsFunc(parts, func(q part) bool { return q.first && q.Actor == p.Actor && equalParts(&q, p) })
		}},
		{byAction, func(p *part) bool { return lists && !p.onlyLists() }},
		{byDefault, func(*part) bool { return true }},
	} {
		var out, baits []int
		for i := range parts {
			switch {
			case !(may(&parts[i]) || rule.basis == byAuthor) || !rule.is(&parts[i]):
			case parts[i].bait && rule.basis != byAuthor:
				baits = append(baits, i)
			default:
				out = append(out, i)
			}
		}
		if out == nil && rule.basis != byIndicator && rule.basis != byAsking { // a bait often contains just what an indicator searches for
			out = baits
		}
		if out != nil {
			return out, rule.basis
		}
	}
	return nil, byDefault
}

// orders reports whether a text asks a model for what no server text needs to ask, by the rules for definitions.
func orders(r *clause.Reader, s string) bool {
	r.Begin(clause.Business{})
	return slices.ContainsFunc(r.Read(s, clause.Elsewhere).Directives, func(d clause.Directive) bool { return !d.Suspicion || d.Sure })
}

// shortest is the minimum length of an indicator's text that distinguishes parts.
const shortest = 4

// halves returns sets of parts of which one each must arrive, since less than all sets is less than the attack: what names the place
// that an indicator searches for, which nobody can invent, and each part that gives orders without it; or, where nothing gives
// orders, what each indicator searches for.
func halves(doc *oatf.Document, parts []part, carriers []int, basis string) (out [][]int) {
	among := func(keep func(p *part, i int) bool) (set []int) {
		for i := range parts {
			if keep(&parts[i], i) {
				set = append(set, i)
			}
		}
		return set
	}
	carries := func(_ *part, i int) bool { return slices.Contains(carriers, i) }
	if basis == byIndicator {
		for n := range doc.Attack.Indicators {
			anchors := anchorsOf(doc, doc.Attack.Indicators[n:n+1])
			if set := among(func(p *part, i int) bool { return carries(p, i) && p.holds(anchors) }); set != nil {
				out = append(out, set)
			}
		}
		return out
	}
	places := slices.DeleteFunc(anchorsOf(doc, doc.Attack.Indicators), func(a string) bool { return !isPlace.MatchString(a) })
	named := among(func(p *part, _ int) bool { return !p.bait && p.holds(places) })
	if basis != byWords || named == nil || slices.ContainsFunc(named, func(i int) bool { return parts[i].task }) {
		return nil
	}
	for _, i := range among(func(p *part, i int) bool { return carries(p, i) && !p.bait && !p.holds(places) }) {
		out = append(out, among(func(p *part, _ int) bool { return p.Actor == parts[i].Actor && equalParts(p, &parts[i]) }))
	}
	return append(out, named)
}

// isPlace matches an address or a host.
var isPlace = lazyregexp.New(`[\w-]@|[a-z0-9]\.[a-z]{2,}|://`)

func (p *part) holds(anchors []string) bool {
	return slices.ContainsFunc(p.texts, func(s string) bool { return holdsAnchor(s, anchors) })
}

// anchorsOf returns lower-case texts that messages must contain for an indicator to match, without the names of list members.
func anchorsOf(doc *oatf.Document, indicators []oatf.Indicator) []string {
	ids := namesIn(doc)
	var out []string
	add := func(s string) {
		if s = strings.ToLower(s); len(s) >= shortest && !ids[s] && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for n := range indicators {
		p := indicators[n].Pattern
		if p == nil {
			continue
		}
		condition := p.Condition
		if !condition.Exists() {
			condition = p.Shorthand
		}
		for v := range condition.All() {
			switch {
			case v.Kind() != rawjson.String:
			case v.Key().Exists() && v.Key().Text() == "regex":
				literals(v.Text(), add)
			default:
				add(v.Text())
			}
		}
	}
	return out
}

// namesIn returns the lower-case names of the members of all servers' lists.
func namesIn(doc *oatf.Document) map[string]bool {
	ids := map[string]bool{}
	for i := range doc.Attack.Execution.Actors {
		for n := range doc.Attack.Execution.Actors[i].Phases {
			state := doc.Attack.Execution.Actors[i].Phases[n].State
			for _, l := range lists {
				for _, item := range state.Get(l.key).Elements() {
					ids[strings.ToLower(item.Get(l.id).Text())] = true
				}
			}
		}
	}
	return ids
}

// literals yields the literal texts of a regular expression.
func literals(pattern string, yield func(string)) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return
	}
	for todo := []*syntax.Regexp{re}; len(todo) > 0; {
		re = todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], re.Sub...)
		if re.Op == syntax.OpLiteral {
			yield(string(re.Rune))
		}
	}
}

func holdsAnchor(s string, anchors []string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(anchors, func(a string) bool { return strings.Contains(s, a) })
}
