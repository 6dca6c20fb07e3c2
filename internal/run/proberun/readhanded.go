package proberun

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/rawjson"
)

// A Handed is a value in an answer by which another call may refer to the answer's subject.
type Handed struct {
	Name  string // name of the member that holds it, "" in prose
	Value string
}

// mostHanded bounds the values taken from one answer.
const mostHanded = 40

var (
	// handedMember matches members whose value names something.
	handedMember = lazyregexp.New(`(?i)(?:^|[_-])(?:id|uuid|guid|key|token|handle|ref|slug|number|code|name)$|(?:Id|ID|Uuid|Key|Token|Handle|Ref|Number|Name)$`)
	// handedProse matches a value in a sentence: after a word for it, or in a form that no word has.
	handedProse = lazyregexp.New(`(?i)\b(?:id|uuid|key|token|handle|ref(?:erence)?|number|named?)\b['"\x60]?\s*(?:is|=|:|#)?\s*['"\x60]?([\w-]{1,80}(?:\.[\w-]{1,40}){0,4})`)
	handedForm  = lazyregexp.New(`\b(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|[a-zA-Z]{1,16}[_-][0-9a-zA-Z]*\d[0-9a-zA-Z]*|[0-9a-f]{16,64})\b|#(\d{1,10})\b`)
)

// ReadHanded returns the values in an answer that a later call may refer to, JSON members first.
func ReadHanded(text string) (out []Handed) {
	text = text[:min(len(text), 64<<10)]
	add := func(h Handed) {
		if len(out) < mostHanded && h.Value != "" && len(h.Value) <= 200 && !slices.ContainsFunc(out, func(o Handed) bool { return o.Value == h.Value }) {
			out = append(out, h)
		}
	}
	if at := strings.IndexAny(text, "{["); at >= 0 {
		if end, err := rawjson.Skip(text, at); err == nil {
			handedMembers(text[at:end], add)
		}
	}
	for _, m := range handedForm.FindAllStringSubmatch(text, mostHanded) {
		add(Handed{Value: strings.TrimPrefix(m[0], "#")})
	}
	for _, m := range handedProse.FindAllStringSubmatch(text, mostHanded) {
		add(Handed{Value: m[1]})
	}
	return out
}

// handedMembers adds the members of a JSON text whose names say that they identify something.
func handedMembers(raw string, add func(Handed)) {
	var tree rawjson.Tree
	if tree.Parse(raw, 0) != nil {
		return
	}
	for v := range tree.Root().All() {
		name := v.Key().Text()
		if !handedMember.MatchString(name) {
			continue
		}
		switch v.Kind() {
		case rawjson.String:
			add(Handed{Name: strings.Clone(name), Value: strings.Clone(v.Text())})
		case rawjson.Number:
			add(Handed{Name: strings.Clone(name), Value: strings.Clone(v.Raw())})
		}
	}
}

var (
	handleWords = lazyregexp.New(`[A-Z]?[a-z]+|[A-Z]+|\d+`)
	plainWords  = []string{"id", "ids", "uuid", "guid", "key", "token", "handle", "ref", "number", "name", "slug", "code"}
)

// NamesThing reports whether a parameter refers to something that another call created or listed.
func NamesThing(parameter string) bool {
	words := handleWords.FindAllString(parameter, 8)
	return len(words) > 0 && slices.Contains(plainWords, strings.ToLower(words[len(words)-1]))
}

// Fit returns how well a tool's returned value fits another tool's parameter; 0 for not at all. The parameter's name,
// "notebook_id", must match the member's or the tool's.
func Fit(parameter string, h Handed, tool string) int {
	if strings.EqualFold(flat(parameter), flat(h.Name)) && !slices.Contains(plainWords, strings.ToLower(h.Name)) {
		return 5
	}
	thing := things(parameter)
	last := lastWord(parameter)
	same := h.Name != "" && lastWord(h.Name) == last
	switch {
	case len(thing) == 0 && same:
		return 3
	case len(thing) == 0 && h.Name == "":
		return 1
	case !meets(thing, tool):
		return 0
	case same && len(things(h.Name)) == 0:
		return 4
	case h.Name == "":
		return 2
	case same:
		return 1
	}
	return 0
}

// meets reports whether a tool's name contains one of the words, singular or plural.
func meets(words []string, tool string) bool {
	tool = strings.ToLower(tool)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(tool, strings.TrimSuffix(w, "s")) })
}

// things returns the words of a name without final ones that only mark an identifier.
func things(name string) (out []string) {
	for _, w := range handleWords.FindAllString(name, 8) {
		if w = strings.ToLower(w); !slices.Contains(plainWords, w) && len(w) > 2 {
			out = append(out, w)
		}
	}
	return out
}

func lastWord(name string) string {
	words := handleWords.FindAllString(name, 8)
	if len(words) == 0 {
		return ""
	}
	return strings.ToLower(words[len(words)-1])
}

func flat(name string) string { return strings.NewReplacer("_", "", "-", "").Replace(name) }

// absentPhrases matches how tools say that an object does not exist.
var absentPhrases = lazyregexp.New(`(?i)\b(?:not|never) (?:found|exist|known|registered|created|active|open)|\bno (?:such|active|open)\b|\bno [\w-]+ (?:with|named|found|matches|[\w-]*\d[\w-]*)|\bunknown (?:id|[\w-]+ id)|\bdoes(?:n't| not) exist|\bcould(?:n't| not) find|\bexpired\b`)

// SaysAbsent reports whether an answer says that the call's object does not exist.
func SaysAbsent(a Answer) bool {
	return a.Came && absentPhrases.MatchString(a.Text[:min(len(a.Text), 4<<10)])
}
