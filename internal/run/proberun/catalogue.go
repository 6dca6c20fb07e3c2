package proberun

import (
	_ "embed" // the table
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/probe"
)

//go:embed payloads.txt
var payloadTable string

// A catalogue is what payloads.txt says: which values there are, which parameters ask for them, and which are meant to take them.
type catalogue struct {
	lists       map[string][]variant
	asked, wide []rule // by labels and roles; cheap to try on any text
	languages   map[probe.Class]*language
}

var payloads = readCatalogue(payloadTable)

// readCatalogue reads a table. Tests hold that ours names only what there is.
func readCatalogue(table string) catalogue {
	c := catalogue{lists: map[string][]variant{}, languages: map[probe.Class]*language{}}
	section, shared := "", variant{}
	for line := range strings.Lines(table) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case columns[0] == "" || line[0] == '#':
		case line[0] == '[':
			name, properties, _ := strings.Cut(columns[0][1:], "]")
			section, shared = name, readProperties(properties)
		case columns[0] == "asked":
			c.asked = append(c.asked, c.readRule(columns[1:]))
		case columns[0] == "wide":
			c.wide = append(c.wide, c.readRule(columns[1:]))
		case columns[0] == "language":
			c.readLanguage(probe.Class(columns[1]), columns[2], columns[3])
		default:
			shared.name, shared.value = columns[0], columns[1]
			if plain, err := strconv.Unquote(columns[1]); err == nil && columns[1][0] == '"' {
				shared.value = plain
			}
			c.lists[section] = append(c.lists[section], shared)
		}
	}
	return c
}

// readProperties reads what the values of a section share.
func readProperties(text string) (v variant) {
	text, v.whole, _ = strings.Cut(text, "; whole: ")
	for property := range strings.SplitSeq(text, "; ") {
		switch key, value, _ := strings.Cut(strings.TrimSpace(property), ": "); key {
		case "expect":
			for kind := range strings.SplitSeq(value, ", ") {
				v.expect = append(v.expect, probe.Kind(kind))
			}
		case "leads":
			v.leads = value
		case "plant":
			v.plant = plants[value]
		case "encode":
			v.encode = encodings[value]
		case "escapes":
			v.escapes = true
		}
	}
	return v
}

// encodings are ways to write a whole value.
var encodings = map[string]func(string) string{
	"base64":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"percent": func(s string) string { return strings.ReplaceAll(url.PathEscape(s), ".", "%2e") },
}

// readRule reads who asks for a class. A list may be cut to its first values: "traversal:4".
func (c *catalogue) readRule(columns []string) rule {
	r := rule{class: probe.Class(columns[0])}
	for _, role := range strings.Fields(strings.Trim(columns[1], "-")) {
		r.roles = append(r.roles, capability.Role(role))
	}
	for _, tag := range strings.Fields(strings.Trim(columns[2], "-")) {
		r.tags = append(r.tags, capability.Tag(tag))
	}
	for _, list := range strings.Fields(columns[3]) {
		name, first, _ := strings.Cut(list, ":")
		all := c.lists[name]
		if n, err := strconv.Atoi(first); err == nil {
			all = all[:n]
		}
		r.variants = append(r.variants, all...)
	}
	if len(columns) > 4 {
		r.fits = toolNames[columns[4]]
	}
	return r
}

// toolNames are the names of tools that a rule is for.
var toolNames = map[string]func(*tool) bool{"archives": archives, "may take archives": mayTakeArchives}

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

// Role returns a parameter's role by the classifier, Text if unknown.
func (t *tool) Role(path string) capability.RoleLabel {
	for _, at := range []string{path, strings.TrimSuffix(path, "[]")} {
		if r, ok := t.Labels.Roles[at]; ok {
			return r
		}
	}
	return capability.RoleLabel{Role: capability.Text, Confidence: capability.Low}
}

// A rule says that some roles, for tools with some tags, ask for a class.
type rule struct {
	class    probe.Class
	roles    []capability.Role // empty: any
	tags     []capability.Tag  // empty: any tool
	variants []variant
	fits     func(*tool) bool // nil: any tool
}

// newPlan plans the trials for tools, those that labels of at least a confidence ask for first; wide adds trials that no label asks for.
// none are the classes that nothing asks for.
func newPlan(tools []*tool, floor capability.Confidence, wide bool) (targets []*target, none []probe.Class) {
	var widened []*target
	asked := map[probe.Class]bool{probe.ErrorLeak: true}
	for _, t := range tools {
		for _, p := range t.Schema.Parameters() {
			if p.Type != "string" && p.Type != "" {
				continue
			}
			mine := plannedFor(t, p, floor)
			for _, m := range mine {
				asked[m.Class] = asked[m.Class] || m.Planned
			}
			targets = append(targets, mine...)
			if wide {
				widened = append(widened, widenedFor(t, p, mine)...)
			}
		}
	}
	slices.SortStableFunc(widened, func(a, b *target) int { return wideRank(a) - wideRank(b) })
	return append(targets, widened...), slices.DeleteFunc(probe.Classes(), func(c probe.Class) bool { return asked[c] })
}

// plannedFor returns the trials that labels and role ask for.
func plannedFor(t *tool, p schemafill.Parameter, floor capability.Confidence) (out []*target) {
	if len(p.Enum) > 0 {
		return nil // unlisted values test validation, not the tool's code
	}
	role := t.Role(p.Path)
	for _, r := range payloads.asked {
		label, fits := r.isFor(t, floor)
		if !fits || !slices.Contains(r.roles, role.Role) || role.Role != capability.Text && !role.Confidence.AtLeast(floor) {
			continue
		}
		basis := fmt.Sprintf("role %s (%s)", role.Role, role.Confidence)
		if r.tags != nil {
			basis = fmt.Sprintf("label %s (%s), %s", label.Tag, label.Confidence, basis)
		}
		out = append(out, &target{tool: t, Parameter: p, Class: r.class, Role: role.Role, Basis: basis, Planned: !t.SideDoor, variants: r.variants})
	}
	return out
}

// isFor returns the label by which a rule is for a tool, and whether it is for it at all.
func (r *rule) isFor(t *tool, floor capability.Confidence) (label capability.Label, fits bool) {
	if r.fits != nil && !r.fits(t) {
		return label, false
	}
	for _, l := range t.Labels.Capabilities {
		if slices.Contains(r.tags, l.Tag) && l.Confidence.AtLeast(floor) {
			return l, true
		}
	}
	return label, r.tags == nil
}

// widenedFor returns the trials on a parameter that nothing asks for.
func widenedFor(t *tool, p schemafill.Parameter, planned []*target) (out []*target) {
	role := t.Role(p.Path).Role
	for _, r := range payloads.wide {
		if slices.ContainsFunc(planned, func(m *target) bool { return m.Class == r.class }) {
			continue
		}
		if _, fits := r.isFor(t, capability.Medium); !fits || r.class == probe.ArgumentInjection && role == capability.Command {
			continue // a caller who sends a whole command line sends its options anyway
		}
		out = append(out, &target{tool: t, Parameter: p, Class: r.class, Role: role, Basis: "any text", variants: r.variants})
	}
	return out
}

// wideRank orders such trials by how likely they are to show something.
func wideRank(t *target) int {
	rank := slices.IndexFunc(payloads.wide, func(r rule) bool { return r.class == t.Class }) * 2
	if !t.Parameter.Required {
		rank++
	}
	if len(t.Parameter.Enum) > 0 {
		rank += 40
	}
	return rank
}
