package attackdoc

import (
	"fmt"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
	"gauntlet/report"
)

// How a summary describes a document's parts.

// shownNames bounds the names shown of a list, and shownRunes the length of a text.
const (
	shownNames = 6
	shownRunes = 100
)

func joinWords[T ~string](words []T) string {
	var all []string
	for _, w := range words {
		all = append(all, string(w))
	}
	return strings.Join(all, ", ")
}

// nonEmpty returns the words that are not empty.
func nonEmpty(words ...string) []string {
	var all []string
	for _, w := range words {
		if w != "" {
			all = append(all, w)
		}
	}
	return all
}

func withPrefix(prefix, word string) string {
	if word == "" {
		return ""
	}
	return prefix + word
}

// shortenLine puts a text on one line and cuts it.
func shortenLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > shownRunes {
		return string(r[:shownRunes-1]) + "…"
	}
	return s
}

// wrapParagraph wraps a text's first paragraph for a terminal.
func wrapParagraph(s string) []string {
	first, _, _ := strings.Cut(strings.TrimSpace(s), "\n\n")
	if first == "" {
		return nil
	}
	return report.Wrap(report.Visible(strings.Join(strings.Fields(first), " ")), 78)
}

// stateLines describes a state's keys: a list by its entries' names, a text by its beginning.
func stateLines(state rawjson.Value) []string {
	var lines []string
	for m := range state.Members() {
		lines = append(lines, m.Key.Text()+": "+partText(m.Value))
	}
	if lines == nil {
		return []string{"nothing"}
	}
	return lines
}

func partText(v rawjson.Value) string {
	switch v.Kind() {
	case rawjson.Array:
		return listText(v)
	case rawjson.Object:
		var names []string
		for m := range v.Members() {
			names = append(names, m.Key.Text())
		}
		return "{" + excerpt.List(names, shownNames) + "}"
	case rawjson.String:
		return shortenLine(v.Text())
	}
	return v.Raw()
}

func listText(list rawjson.Value) string {
	var names []string
	for _, e := range list.Elements() {
		name := ""
		for _, key := range []string{"name", "method", "uri", "uriTemplate", "message"} {
			if name = e.Get(key).Text(); name != "" {
				break
			}
		}
		if n := e.Get("responses").Len(); n > 1 {
			name += fmt.Sprintf(" (%d answers)", n)
		}
		names = append(names, shortenLine(name))
	}
	switch named := nonEmpty(names...); {
	case len(names) == 0:
		return "none"
	case len(named) == 0:
		return fmt.Sprintf("%d", len(names))
	default:
		return excerpt.List(named, shownNames)
	}
}

func predicateText(predicate rawjson.Value) string {
	var all []string
	for m := range predicate.Members() {
		all = append(all, m.Key.Text()+" "+conditionText(m.Value))
	}
	return strings.Join(all, " and ")
}

// conditionText describes a condition: operators in words, any other value as equality.
func conditionText(v rawjson.Value) string {
	var all []string
	for m := range v.Members() {
		name := m.Key.Text()
		if !match.IsOperator(name) {
			return "is " + shortenLine(v.Raw())
		}
		all = append(all, strings.ReplaceAll(name, "_", " ")+" "+operandText(m.Value))
	}
	if all == nil {
		return "is " + operandText(v)
	}
	return strings.Join(all, " and ")
}

func operandText(v rawjson.Value) string {
	if v.Kind() == rawjson.String {
		return `"` + shortenLine(v.Text()) + `"`
	}
	return shortenLine(v.Raw())
}
