package delivery

import (
	"slices"
	"strings"

	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// markBaits marks the answers that only a compliant agent receives: those to requests that an indicator examines. They
// need not be delivered if another part was: an agent that reads the poisoned definition and refuses never sees what
// the attacker's tool would answer.
func markBaits(doc *oatf.Document, parts []part) {
	for i := range parts {
		p := &parts[i]
		p.bait = p.Name != "" && slices.ContainsFunc(doc.Attack.Indicators, func(in oatf.Indicator) bool { return looksAtUse(&in, p, doc) })
	}
}

// looksAtUse reports whether an indicator examines requests for the part, by its name or by an argument that only that
// tool's definition declares.
func looksAtUse(in *oatf.Indicator, p *part, doc *oatf.Document) bool {
	used := slices.ContainsFunc(lists[:], func(l usedList) bool { return l.use == p.Method })
	if !used || in.Direction == oatf.DirectionResponse || in.Actor != "" && in.Actor != p.Actor || in.Surface != "" && in.Surface != p.Method {
		return false
	}
	if in.Pattern == nil {
		return in.Expression != nil && strings.Contains(in.Expression.CEL, rawjson.Quote(p.Name))
	}
	path, condition := in.Target, in.Pattern.Condition
	if in.Pattern.Target != nil {
		path = *in.Pattern.Target
	}
	if !condition.Exists() {
		condition = in.Pattern.Shorthand
	}
	if argument, ok := strings.CutPrefix(path, "arguments."); ok {
		argument, _, _ = strings.Cut(argument, ".")
		return slices.Equal(toolsDeclaring(doc, argument), []string{p.Name})
	}
	target, err := match.ParseTarget(path)
	if err != nil {
		return false
	}
	holds, err := match.ParseCondition(condition)
	if err != nil {
		return false
	}
	var request rawjson.Tree
	if request.Parse(`{"name":`+rawjson.Quote(p.Name)+`,"uri":`+rawjson.Quote(p.Name)+`}`, 0) != nil {
		return false
	}
	_, ok := holds.HoldsAt(target, request.Root())
	return ok
}

// toolsDeclaring returns the distinct names of the tools that declare an argument.
func toolsDeclaring(doc *oatf.Document, argument string) (names []string) {
	for i := range doc.Attack.Execution.Actors {
		for n := range doc.Attack.Execution.Actors[i].Phases {
			for _, tool := range doc.Attack.Execution.Actors[i].Phases[n].State.Get("tools").Elements() {
				name := tool.Get("name").Text()
				if tool.Get("inputSchema").Get("properties").Get(argument).Exists() && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}
