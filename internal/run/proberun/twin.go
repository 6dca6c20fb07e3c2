package proberun

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"gauntlet/internal/leaf/probe"
)

// bySyntax are the classes whose payloads work because some parser reads them as its language. The others lead
// somewhere, and a path without its folders is another path.
var bySyntax = []probe.Class{
	probe.CommandInjection, probe.ArgumentInjection, probe.CodeEvaluation, probe.TemplateInjection, probe.SQLInjection, probe.NoSQLInjection, probe.Deserialisation, probe.CRLF,
}

// BySyntax reports whether a proof of the target's class needs a twin.
func (t *Target) BySyntax() bool { return slices.Contains(bySyntax, t.Class) }

var (
	// effects are the parts of payloads that say what is to be seen.
	effects = regexp.MustCompile(`\d+\*\d+(?:==?\d+)?|X-Gauntlet-\w+: 1`)
	words   = regexp.MustCompile(`[A-Za-z_]+|[^A-Za-z_]+`)
)

// Twin is the control of a payload: the same value without the syntax. What is to be seen stays (the product, the
// file named touch, the header), words are written backwards, and signs become spaces:
// "x'; return 2*3; //" becomes "x   nruter 2*3". A tool that multiplies the numbers of any text does
// so with both, so that the first proves nothing.
func Twin(value any, touch string) any {
	switch v := value.(type) {
	case string:
		return twinText(v, touch)
	case map[string]any:
		out := map[string]any{}
		for key, member := range v {
			out[twinText(key, "")] = member
		}
		return out
	}
	return value
}

func twinText(text, touch string) string {
	var b strings.Builder
	for rest := text; rest != ""; {
		kept := effects.FindStringIndex(rest)
		if at := strings.Index(rest, touch); touch != "" && at >= 0 && (kept == nil || at < kept[0]) {
			kept = []int{at, at + len(touch)}
		}
		if kept == nil {
			kept = []int{len(rest), len(rest)}
		}
		for _, word := range words.FindAllString(rest[:kept[0]], -1) {
			b.WriteString(backwards(word))
		}
		b.WriteString(rest[kept[0]:kept[1]])
		rest = rest[kept[1]:]
	}
	return strings.TrimSpace(b.String())
}

// backwards reverses the letters of a word, and blanks signs.
func backwards(word string) string {
	runes := []rune(word)
	if unicode.IsLetter(runes[0]) || runes[0] == '_' {
		slices.Reverse(runes)
	}
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			runes[i] = ' '
		}
	}
	return string(runes)
}

// A language is what a parameter may be declared to take: then taking it is what the tool is for.
type language struct {
	named  *regexp.Regexp // a parameter of this name takes it
	noun   *regexp.Regexp // what a parameter's description calls it first, "Mustache template to render"
	spoken *regexp.Regexp // what the tool's description says of it; nil for nothing
	does   string
}

// languages are what a class has payloads in.
var languages = map[probe.Class]language{
	probe.TemplateInjection: {
		regexp.MustCompile(`(?i)^(?:\w+_)?(?:template|templateString|template_?(?:string|text|source|body|content)|tmpl|formula|expression|expr)$`),
		regexp.MustCompile(`(?i)\b(?:templates?|formulas?|expressions?|mustache|handlebars|jinja2?|liquid)\b`),
		regexp.MustCompile(`(?i)\b(?:render|fill|expand|evaluat|interpolat|substitut|comput|calculat|compil|replac)\w*\b((?: [\w-]+){0,3}?) (?:templates?|formulas?|expressions?|placeholders|mustache|handlebars|jinja2?|liquid|\{\{)`),
		"the tool renders the templates that it is given",
	},
	probe.SQLInjection: {
		regexp.MustCompile(`(?i)^(?:expression|expr|formula|predicate|comparison|where_?clause|sql_?where|filter_?expr(?:ession)?)$`),
		regexp.MustCompile(`(?i)\b(?:language|expressions?|syntax|clause|formula|predicate|comparisons?|boolean)\b`),
		regexp.MustCompile(`(?i)\b(?:filter|where|query|condition|criteria|selector|rule)s? (?:is|are|takes?|supports?|accepts?|uses?)((?: [\w-]+){0,5}?) (?:language|expressions?|syntax|operators?|conditions?|AND|OR)\b`),
		"the tool evaluates the conditions that it is given",
	},
	probe.ArgumentInjection: {
		regexp.MustCompile(`(?i)^(?:(?:extra|additional|command|cmd|cli|other|raw)[_-]?)?(?:args?|argv|arguments|options|opts|flags|switches)(?:\[\])?$`), nil, nil, "the tool passes on the options that it is given",
	},
}

var (
	// braces show how a template is written.
	braces = regexp.MustCompile(`\{\{|\$\{|<%`)
	// turnsAway are the words behind which a description names something else than what it is about.
	turnsAway = regexp.MustCompile(`(?i)\b(?:in|into|of|for|from|with|using|by|on|inside|through|within|to)\b|\b(?:name|id|path|key|slug)\b`)
	// generalNames are parameters for which the description of their tool speaks.
	generalNames = regexp.MustCompile(`(?i)^(?:text|content|body|source|src|input|string|value|message|filter|where|query|conditions?|criteria|selector|rule)$`)
)

// Declares returns what a tool with a description does by its own word with the language of the target's class, ""
// where it says nothing of the kind. "Creates a page; title: shown in the template" declares nothing.
func (t *Target) Declares(description string) string {
	class := t.Class
	if class == probe.NoSQLInjection {
		class = probe.SQLInjection
	}
	l, ok := languages[class]
	if !ok {
		return ""
	}
	about, _ := t.Parameter.Schema["description"].(string)
	placeholders := class == probe.TemplateInjection && braces.MatchString(about)
	if at := turnsAway.FindStringIndex(about); at != nil {
		about = about[:at[0]] // what follows is about something else
	}
	switch {
	case placeholders, l.named.MatchString(t.Parameter.Name), l.noun != nil && l.noun.MatchString(about):
		return l.does
	case l.spoken != nil && generalNames.MatchString(t.Parameter.Name):
		if m := l.spoken.FindStringSubmatch(description); m != nil && !turnsAway.MatchString(m[1]) {
			return l.does
		}
	}
	return ""
}
