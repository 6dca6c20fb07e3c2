package proberun

import (
	"regexp"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/probe"
)

// A language is what a parameter may be declared to take, as payloads.txt says: then accepting a whole statement in it is the tool's
// purpose. An expression is nil where the table has none.
type language struct {
	named, noun, spoken *regexp.Regexp
	does                string
}

// readLanguage adds a row about the language of a class's payloads.
func (c *catalogue) readLanguage(class probe.Class, says, text string) {
	l := c.languages[class]
	if l == nil {
		l = new(language)
		c.languages[class] = l
	}
	switch says {
	case "does":
		l.does = text
	case "named":
		l.named = regexp.MustCompile(text)
	case "noun":
		l.noun = regexp.MustCompile(text)
	case "spoken":
		l.spoken = regexp.MustCompile(text)
	}
}

var (
	// braces matches template syntax.
	braces = lazyregexp.New(`\{\{|\$\{|<%`)
	// turnsAway matches words after which a description names something other than its subject.
	turnsAway = lazyregexp.New(`(?i)\b(?:in|into|of|for|from|with|using|by|on|inside|through|within|to)\b|\b(?:name|id|path|key|slug)\b`)
	// generalNames matches parameters described by their tool's description.
	generalNames = lazyregexp.New(`(?i)^(?:text|content|body|source|src|input|string|value|message|filter|where|query|conditions?|criteria|selector|rule|expression|expr)$`)
)

// declares returns what a tool, by its description, does with a language in the target's parameter, or "". "Creates a page; title:
// shown in the template" declares nothing.
func (t *target) declares(l *language, description string) string {
	about, _ := t.Parameter.Schema["description"].(string)
	placeholders := l == payloads.languages[probe.TemplateInjection] && braces.MatchString(about)
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
