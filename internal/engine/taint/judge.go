package taint

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/sink"
)

// judge decides whether a flow is guarded. Where it is not, it says what is missing, or why what
// is there does not hold.
func judge(f flow, language string) (sink.Flow, bool) {
	if f.kind == sink.HostFlow && isBehindHost(f.head) { // a helper cannot know what its caller puts in front
		f.kind = sink.URLPathFlow
	}
	if f.front == splitFront {
		f.about = f.firstWord()
	}
	out := sink.Flow{Kind: f.kind, At: f.at, Name: f.name, About: f.about}
	if f.about == chosenAttribute {
		out.About = ""
	}
	for s := f.step; s != nil; s = s.from {
		out.Steps = append(out.Steps, sink.FlowStep{At: s.at, What: s.what})
	}
	slices.Reverse(out.Steps)
	switch {
	case f.linked():
		out.Kind, out.Guard = sink.LinkFlow, "only its text is kept inside a directory: symbolic links in that directory lead out of it"
	case f.guarded(language):
		return out, false
	default:
		i := slices.IndexFunc(complaints[f.kind], func(c complaint) bool {
			return (c.about == "" || c.about == f.about) && (c.facts == 0 || f.has(c.facts)) && (c.more == 0 || f.has(c.more))
		})
		out.Guard = strings.NewReplacer("PROGRAM", cmp.Or(f.about, "the program"), "OPTION", callgraph.ProgramOf(f.about).Danger).Replace(complaints[f.kind][i].text)
	}
	return out, true
}

func (f flow) has(facts fact) bool { return f.facts&facts != 0 }

// linked reports whether a path is kept inside a directory by its text alone.
func (f flow) linked() bool {
	return f.kind == sink.PathFlow && f.about != entities && f.has(contained) && f.has(resolved) && !f.has(real|relative|noSlash|encoded|switchedOff)
}

// guarded reports whether nothing that arrives can do harm.
func (f flow) guarded(language string) bool {
	quoted := f.has(jsonQuoted) && !f.has(halfQuoted)
	switch f.kind {
	case sink.ShellFlow:
		return f.has(shellQuoted|noShellMeta) || quoted && callgraph.ProgramOf(f.about).JSON || f.about == appleScript && f.has(slashQuoted) && endsInsideText(f.head)
	case sink.ArgumentFlow:
		return !f.has(split) && (f.has(noDash) || callgraph.ProgramOf(f.about).Danger == "")
	case sink.CodeFlow:
		return quoted || f.has(noLetters)
	case sink.PathFlow:
		off := f.about == entities || f.has(contained) && f.has(switchedOff)
		return !off && (f.has(contained|noSlash|encoded|inMemory) || f.has(noDotDot) && (f.head != "" || language != "python" && f.has(resolved)))
	case sink.HostFlow:
		return f.has(hostAllowed) || f.has(hostResolved) && !f.has(dottedOnly|switchedOff)
	case sink.URLPathFlow:
		return f.has(encoded | noSlash | noDotDot | denylisted | validated) // what the service makes of the rest is its affair
	case sink.PromptFlow:
		return f.has(noLetters)
	case sink.BodyFlow:
		return f.has(hostAllowed|hostResolved|hostLiteral) || isBehindHost(f.head) // the caller chooses among what passes
	case sink.PatternFlow:
		return f.has(patternQuoted | noShellMeta | noLetters | validated | denylisted)
	case sink.PrototypeFlow:
		return f.has(denylisted|noLetters) || f.has(validated) && f.about != chosenAttribute
	case sink.QueryFlow:
		return f.about == whereCode && (f.has(noQuote|noShellMeta|noLetters) || quoted) || f.about == "" && f.has(isText)
	}
	switch f.about {
	case readOnlyWords:
		return f.has(noLetters)
	case directoryFilter:
		return f.has(filterQuoted | noShellMeta | noLetters)
	}
	return f.kind == sink.SQLFlow && f.about != readOnlyBegun && (f.has(noQuote|noShellMeta|sqlQuoted) || f.has(slashQuoted) && graphStatement.MatchString(f.head))
}

// appleScript runs code of a language that knows no substitution inside its texts: there, only " ends a text, and only \ escapes.
const appleScript = "osascript"

// endsInsideText reports whether code ends between two quotation marks, as far as its beginning is kept.
func endsInsideText(head string) bool {
	inside := false
	for i := 0; i < len(head); i++ {
		switch {
		case inside && head[i] == '\\':
			i++
		case head[i] == '"':
			inside = !inside
		}
	}
	return inside || len(head) >= maxHead
}

// A complaint is what is said of flows that are about something, where that is told, and have one of each of some facts, where there are any.
type complaint struct {
	about       string
	facts, more fact
	text        string
}

// complaints are by the kind of flow; the first that fits is said.
var complaints = map[sink.FlowKind][]complaint{
	sink.ShellFlow: {
		{appleScript, halfQuoted | jsonQuoted | slashed | slashQuoted, 0, `some characters are escaped, but that keeps it inside a text of AppleScript only where both \ and " are escaped and it stands between quotation marks`},
		{appleScript, 0, 0, `nothing escapes the \ and " in it, so it can end the text that it stands in and go on as AppleScript, which starts programs by "do shell script"`},
		{"", halfQuoted | jsonQuoted, 0, "some characters are escaped, but not all that the shell interprets: $( ) and backquotes work between double quotes"},
		{"", denylisted, 0, "it is checked against a denylist, which other text passes"},
		{"", 0, 0, "nothing quotes it or refuses the characters that the shell interprets"},
	},
	sink.ProgramFlow: {
		{variables, 0, 0, "the caller chooses the names of variables of its environment, such as NODE_OPTIONS or LD_PRELOAD, which load code"},
		{"", 0, 0, "the caller names the program that is started"},
	},
	sink.ArgumentFlow: {
		{"", split, 0, "it is split into words, so that one parameter becomes any number of arguments of PROGRAM"},
		{"", 0, 0, `it may begin with "-", and PROGRAM takes it for an option such as OPTION; nothing puts "--" before it`},
	},
	sink.CodeFlow: {
		{"", denylisted | halfQuoted, 0, "some text is refused before it is run as code, but other text can do the same"},
		{"", 0, 0, "it is run as code"},
	},
	sink.PathFlow: {
		{entities, 0, 0, "the parser resolves external entities, so a document names files and addresses, and their content becomes part of it"},
		{"", contained, switchedOff, "the check that keeps it inside a directory is off unless the server's environment or an option turns it on"},
		{"", swallowed, 0, "a check refuses it with an error, but the error is caught and the work goes on"},
		{"", prefixed, resolved, "it is compared with a directory's name without a separator, so that /data-other passes for /data"},
		{"", prefixed | fenced, 0, "its beginning is compared before \"..\" is resolved"},
		{"", noDotDot, 0, "\"..\" is refused, but an absolute path is not"},
		{"", denylisted, 0, "it is checked against a denylist, which other paths pass"},
		{"", resolved, 0, "it is resolved, but not compared with a directory"},
		{"", 0, 0, "nothing keeps it inside a directory"},
	},
	sink.HostFlow: {
		{"", hostResolved, switchedOff, "the check of its address is off unless the server's environment or an option turns it on"},
		{"", hostResolved, 0, "its address is compared as four numbers, so that an IPv4 address written as IPv6, such as ::ffff:7f00:1, passes"},
		{"", hostLiteral, 0, "its host is compared as text and never resolved, so a name that resolves to a private address passes"},
		{"", schemeAllowed, 0, "its scheme is checked, but its host is not"},
		{"", 0, 0, "nothing checks the address that it leads to"},
	},
	sink.URLPathFlow: {{"", 0, 0, "it becomes part of the address without being encoded, so ../ and ? change what is requested"}},
	sink.PromptFlow:  {{"", 0, 0, "it is written among the server's own instructions, where the model follows it"}},
	sink.BodyFlow:    {{"", 0, 0, "the response is read into memory as a whole, however long it is"}},
	sink.PatternFlow: {{"", 0, 0, "it is written into the expression without being quoted, so that it can make matching take time without end"}},
	sink.PrototypeFlow: {
		{chosenAttribute, 0, 0, "it names any attribute of the object, such as one that holds a credential, or a method that does something else"},
		{"", 0, 0, "nothing refuses __proto__, constructor and prototype, so it can change the prototype of all objects"},
	},
	sink.QueryFlow: {
		{whereCode, 0, 0, "it is written into code that the database runs"},
		{"", 0, 0, `it may be an object whose members act as operators, such as {"$ne": null}, and nothing checks that it is a string`},
	},
	sink.SQLFlow: {
		{readOnlyWords, 0, 0, "only words such as SELECT or DROP are compared to keep it from writing, and other statements, functions or a second statement pass; let the database refuse writes: a read-only transaction or user"},
		{readOnlyBegun, 0, 0, "it may hold several statements, so that COMMIT ends the read-only transaction and the rest writes"},
		{directoryFilter, 0, 0, "it is written into a filter of a directory service without being escaped, so that * and ) change whom the filter fits"},
		{"", halfQuoted, 0, "some characters are escaped before it is written into the statement; bind it as a parameter instead"},
		{"", 0, 0, "it is written into the statement instead of being bound as a parameter"},
	},
}
