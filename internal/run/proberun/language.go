package proberun

import (
	"regexp"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/probe"
)

// A language is what a parameter may be declared to take: then accepting a whole statement in it is the tool's purpose.
type language struct {
	named  *regexp.Regexp // parameter names that take it
	noun   *regexp.Regexp // what a parameter's description calls it first: "Mustache template to render"; may be nil
	spoken *regexp.Regexp // the tool's description mentions it; may be nil
	does   string
}

var conditionLanguage = language{
	regexp.MustCompile(`(?i)^(?:expression|expr|formula|predicate|comparison|where_?clause|sql_?where|filter_?expr(?:ession)?)$`),
	regexp.MustCompile(`(?i)\b(?:language|expressions?|syntax|clause|formula|predicate|comparisons?|boolean)\b`),
	regexp.MustCompile(`(?i)\b(?:filter|where|query|condition|criteria|selector|rule)s? (?:is|are|takes?|supports?|accepts?|uses?)((?: [\w-]+){0,5}?) (?:language|expressions?|syntax|operators?|conditions?|AND|OR)\b`),
	"the tool evaluates the conditions that it is given",
}

// languageOf maps classes to the languages of their payloads.
var languageOf = map[probe.Class]*language{
	probe.CommandInjection: {
		regexp.MustCompile(`(?i)^(?:\w+_)?(?:commands?|commandLine|cmds?|cmd_?line|command_?line|scripts?|shell)$`),
		regexp.MustCompile(`(?i)\b(?:commands?|command lines?|scripts?|shell|bash|powershell)\b`),
		regexp.MustCompile(`(?i)\b(?:run|execut|start|launch|send)\w*\b((?: [\w-]+){0,4}?) (?:commands?|scripts?|shell|bash|terminal|programs?)\b`),
		"the tool runs any command that it is given",
	},
	probe.CodeEvaluation: {
		regexp.MustCompile(`(?i)^(?:\w+_)?(?:code|scripts?|snippet|source_?code|sourceCode|program|javascript|python|js|func|function|function_?body)$`),
		regexp.MustCompile(`(?i)\b(?:code|scripts?|snippets?|java ?script|typescript|python|js|lua|ruby|programs?)\b`),
		regexp.MustCompile(`(?i)\b(?:run|execut|evaluat|interpret|eval)\w*\b((?: [\w-]+){0,4}?) (?:code|scripts?|snippets?|java ?script|typescript|python|js|lua|ruby|programs?)\b`),
		"the tool runs the code that it is given",
	},
	probe.SQLInjection: {
		regexp.MustCompile(`(?i)^(?:\w+_)?(?:sql|statements?|sql_?(?:query|statement|text|code)|raw_?query|query_?(?:text|string|sql))$`),
		regexp.MustCompile(`(?i)\b(?:sql|statements?|select)\b`),
		regexp.MustCompile(`(?i)\b(?:run|execut|perform|issue|send|evaluat)\w*\b((?: [\w-]+){0,4}?) (?:sql|statements?|quer(?:y|ies))\b`),
		"the tool runs any statement that it is given",
	},
	probe.NoSQLInjection: &conditionLanguage,
	probe.TemplateInjection: {
		regexp.MustCompile(`(?i)^(?:\w+_)?(?:template|templateString|template_?(?:string|text|source|body|content)|tmpl|formula|expression|expr)$`),
		regexp.MustCompile(`(?i)\b(?:templates?|formulas?|expressions?|mustache|handlebars|jinja2?|liquid)\b`),
		regexp.MustCompile(`(?i)\b(?:render|fill|expand|evaluat|interpolat|substitut|comput|calculat|compil|replac)\w*\b((?: [\w-]+){0,3}?) (?:templates?|formulas?|expressions?|placeholders|mustache|handlebars|jinja2?|liquid|\{\{)`),
		"the tool renders the templates that it is given",
	},
	probe.ArgumentInjection: {
		regexp.MustCompile(`(?i)^(?:(?:extra|additional|command|cmd|cli|other|raw)[_-]?)?(?:args?|argv|arguments|options|opts|flags|switches)(?:\[\])?$`), nil, nil, "the tool passes on the options that it is given",
	},
	probe.CRLF: {
		regexp.MustCompile(`(?i)header|^(?:raw\w*|request|message|mail|email|mime)$`),
		regexp.MustCompile(`(?i)\b(?:headers?|header fields?|raw|mime|rfc ?\d+)\b`), nil, "the tool sends the header fields that it is given",
	},
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
func (t *Target) declares(l *language, description string) string {
	about, _ := t.Parameter.Schema["description"].(string)
	placeholders := l == languageOf[probe.TemplateInjection] && braces.MatchString(about)
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
