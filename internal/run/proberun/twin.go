package proberun

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"gauntlet/internal/leaf/probe"
)

// bySyntax are the classes whose payloads work because a parser reads them as its language. The others lead somewhere, and a path
// without its folders is another path.
var bySyntax = []probe.Class{
	probe.CommandInjection, probe.ArgumentInjection, probe.CodeEvaluation, probe.TemplateInjection, probe.SQLInjection, probe.NoSQLInjection, probe.Deserialisation, probe.CRLF,
}

// BySyntax reports whether a proof of the target's class needs a twin.
func (t *Target) BySyntax() bool { return slices.Contains(bySyntax, t.Class) }

var (
	// effects matches the parts of payloads that define the visible effect.
	effects = regexp.MustCompile(`\d+\*\d+(?:==?\d+)?|X-Gauntlet-\w+: 1`)
	words   = regexp.MustCompile(`[A-Za-z_]+|[^A-Za-z_]+`)
)

// Twin is the control of a payload: the same value without its syntax. The visible effect stays (the product, the file named touch,
// the header), words are reversed, and punctuation becomes spaces: "x'; return 2*3; //" becomes "x nruter 2*3". A tool that
// multiplies numbers in any text does so with both, so the payload proves nothing.
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

// backwards reverses the letters of a word, and blanks punctuation.
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

// A language is what a parameter may be declared to take: then accepting it is the tool's purpose.
type language struct {
	named  *regexp.Regexp // parameter names that take it
	noun   *regexp.Regexp // what a parameter's description calls it first: "Mustache template to render"
	spoken *regexp.Regexp // the tool's description mentions it; may be nil
	does   string
}

// languages maps classes to the languages of their payloads.
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
	// braces matches template syntax.
	braces = regexp.MustCompile(`\{\{|\$\{|<%`)
	// turnsAway matches words after which a description names something other than its subject.
	turnsAway = regexp.MustCompile(`(?i)\b(?:in|into|of|for|from|with|using|by|on|inside|through|within|to)\b|\b(?:name|id|path|key|slug)\b`)
	// generalNames matches parameters described by their tool's description.
	generalNames = regexp.MustCompile(`(?i)^(?:text|content|body|source|src|input|string|value|message|filter|where|query|conditions?|criteria|selector|rule)$`)
)

// Declares returns what a tool, by its description, does with the language of the target's class, or "". "Creates a page; title:
// shown in the template" declares nothing.
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
