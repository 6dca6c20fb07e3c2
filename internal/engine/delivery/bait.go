package delivery

import (
	"context"
	"slices"
	"strings"
	"unicode"

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
		return slices.Equal(toolsDeclaring(doc, argument), []string{p.Name}) && !p.precedes(argument)
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

// precedes reports whether the part is what a tool answers without an argument, where it answers otherwise with it: the first of
// pages without an end, of which any agent gets one.
func (p *part) precedes(argument string) bool {
	var without, with rawjson.Tree
	if p.choice == nil || without.Parse(`{"arguments":{}}`, 0) != nil || with.Parse(`{"arguments":{`+rawjson.Quote(argument)+`:"x"}}`, 0) != nil {
		return false
	}
	answer, err := p.choice.Select(context.Background(), without.Root())
	other, otherErr := p.choice.Select(context.Background(), with.Root())
	return err == nil && otherErr == nil && answer == p.entry && other != answer
}

// sought are the names at whose use indicators look: of baits, and of arguments.
func sought(doc *oatf.Document, parts []part) (names []string) {
	for i := range parts {
		if parts[i].bait {
			names = append(names, strings.ToLower(parts[i].Name))
		}
	}
	for i := range doc.Attack.Indicators {
		if argument, ok := strings.CutPrefix(doc.Attack.Indicators[i].Target, "arguments."); ok {
			argument, _, _ = strings.Cut(argument, ".")
			names = append(names, strings.ToLower(argument))
		}
	}
	return names
}

// asksFor reports whether the part is an answer that names what is sought, and not itself what is.
func (p *part) asksFor(names []string) bool {
	return p.Name != "" && !p.bait && slices.ContainsFunc(p.texts, func(text string) bool {
		words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(names, w) && w != strings.ToLower(p.Name) })
	})
}

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
