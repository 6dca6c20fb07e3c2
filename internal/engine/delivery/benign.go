package delivery

import (
	"strings"

	"gauntlet/internal/leaf/clause"
	"gauntlet/internal/leaf/planted"
	"gauntlet/oatf"
	"gauntlet/rawjson"
)

// nothingToSay replaces a text without any harmless part.
const nothingToSay = "-"

// Benign returns a copy of a normalized document without its attack: a carrier's text that gives orders, or contains
// what an indicator searches for, is cut to the sentences before. Task, tools and everything else stay, so that an
// agent does what it would do without the attack. changed counts the changed texts.
func Benign(doc *oatf.Document) (benign *oatf.Document, changed int) {
	replaced := harmlessTexts(doc)
	out := oatf.Normalize(doc) // a copy
	for i := range out.Attack.Extensions {
		if x := &out.Attack.Extensions[i]; x.Name == planted.Key {
			x.Value, changed = withTexts(x.Value, replaced)
		}
	}
	for a := range out.Attack.Execution.Actors {
		actor := &out.Attack.Execution.Actors[a]
		for p := range actor.Phases {
			n := 0
			actor.Phases[p].State, n = withTexts(actor.Phases[p].State, replaced)
			changed += n + replaceSent(actor.Phases[p].OnEnter, replaced)
		}
	}
	return out, changed
}

// replaceSent replaces strings in the messages sent when a phase begins.
func replaceSent(actions []oatf.Action, replaced map[string]string) (changed int) {
	for i := range actions {
		if send := actions[i].Send; send != nil {
			var n int
			send.Params, n = withTexts(send.Params, replaced)
			changed += n
		}
	}
	return changed
}

// harmlessTexts returns replacements for the texts that carry the attack.
func harmlessTexts(doc *oatf.Document) map[string]string {
	parts := partsOf(doc)
	indexes, _ := carriers(doc, parts)
	for i := range parts {
		if parts[i].bait {
			indexes = append(indexes, i)
		}
	}
	anchors := append(anchorsOf(doc, doc.Attack.Indicators), askedParameters(doc)...)
	var r clause.Reader
	guilty := func(s string) bool { return orders(&r, s) || holdsAnchor(s, anchors) }
	replaced := map[string]string{}
	for _, i := range indexes {
		for _, text := range parts[i].texts {
			if strings.Contains(text, " ") && guilty(text) && !parts[i].task {
				replaced[text] = harmlessHead(text, guilty)
				if m := parts[i].marker; !strings.Contains(replaced[text], m) {
					replaced[text] += "\n\n" + m
				}
			}
		}
	}
	return replaced
}

// askedParameters returns the parameter names that indicators examine: a text that mentions one asks for it, whatever its wording.
func askedParameters(doc *oatf.Document) (names []string) {
	for i := range doc.Attack.Indicators {
		name, ok := strings.CutPrefix(doc.Attack.Indicators[i].Target, "arguments.")
		if ok && strings.Contains(name, "_") && !strings.ContainsAny(name, ".[") {
			names = append(names, strings.ToLower(name))
		}
	}
	return names
}

// harmlessHead returns the sentences of a text before the first guilty one.
func harmlessHead(text string, guilty func(string) bool) string {
	head := ""
	for _, end := range sentenceEnds(text) {
		if guilty(text[:end]) {
			break
		}
		head = text[:end]
	}
	if head = strings.TrimSpace(head); head == "" {
		return nothingToSay
	}
	return head
}

func sentenceEnds(text string) (ends []int) {
	for i := range len(text) {
		last := i+1 == len(text)
		if text[i] == '\n' || strings.IndexByte(".!?:;", text[i]) >= 0 && (last || text[i+1] == ' ' || text[i+1] == '\n') {
			ends = append(ends, i+1)
		}
	}
	return ends
}

func withTexts(v rawjson.Value, replaced map[string]string) (rawjson.Value, int) {
	if v.Kind() != rawjson.Object && v.Kind() != rawjson.Array {
		return v, 0
	}
	json, n := v.Rewrite(func(text string) (string, bool) {
		to, ok := replaced[text]
		return to, ok
	})
	tree := new(rawjson.Tree)
	if n == 0 || tree.Parse(json, 0) != nil {
		return v, 0
	}
	return tree.Root(), n
}
