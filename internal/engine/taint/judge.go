package taint

import (
	"slices"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/sink"
)

// judge decides whether a flow is guarded. Where it is not, it says what is missing, or why what
// is there does not hold.
func judge(f flow, language string) (sink.Flow, bool) {
	if f.kind == sink.HostFlow && isBehindHost(f.head) { // a helper cannot know what its caller puts in front
		f.kind = sink.URLPathFlow
	}
	out := sink.Flow{Kind: f.kind, At: f.at, Name: f.name, About: f.about}
	for s := f.step; s != nil; s = s.from {
		out.Steps = append(out.Steps, sink.FlowStep{At: s.at, What: s.what})
	}
	slices.Reverse(out.Steps)
	if f.front == splitFront {
		f.about = f.firstWord()
		out.About = f.about
	}
	has := func(facts fact) bool { return f.facts&facts != 0 }
	switch f.kind {
	case sink.ShellFlow:
		if has(shellQuoted|noShellMeta) || has(jsonQuoted) && !has(halfQuoted) && callgraph.ProgramOf(f.about).JSON {
			return out, false
		}
		out.Guard = "nothing quotes it or refuses the characters that the shell interprets"
		switch {
		case has(halfQuoted | jsonQuoted):
			out.Guard = "some characters are escaped, but not all that the shell interprets: $( ) and backquotes work between double quotes"
		case has(denylisted):
			out.Guard = "it is checked against a denylist, which other text passes"
		}
	case sink.ProgramFlow:
		if f.about == variables {
			out.Guard = "the caller chooses the names of variables of its environment, such as NODE_OPTIONS or LD_PRELOAD, which load code"
			return out, true
		}
		out.Guard = "the caller names the program that is started"
	case sink.ArgumentFlow:
		if has(noDash) && !has(split) {
			return out, false
		}
		out.Guard = "it may begin with \"-\", and " + f.about + " takes it for an option such as " + callgraph.ProgramOf(f.about).Danger + "; nothing puts \"--\" before it"
		if has(split) {
			out.Guard = "it is split into words, so that one parameter becomes any number of arguments of " + f.about
		}
	case sink.CodeFlow:
		if has(jsonQuoted) && !has(halfQuoted) || has(noLetters) {
			return out, false
		}
		out.Guard = "it is run as code"
		if has(denylisted | halfQuoted) {
			out.Guard = "some text is refused before it is run as code, but other text can do the same"
		}
	case sink.PathFlow:
		if f.about == entities {
			out.Guard = "the parser resolves external entities, so a document names files and addresses, and their content becomes part of it"
			return out, true
		}
		if has(contained) && has(switchedOff) {
			out.Guard = "the check that keeps it inside a directory is off unless the server's environment turns it on"
			return out, true
		}
		if has(contained) && !has(real|relative) && has(resolved) && f.facts&(noSlash|encoded) == 0 {
			out.Kind, out.Guard = sink.LinkFlow, "only its text is kept inside a directory: symbolic links in that directory lead out of it"
			return out, true
		}
		if has(contained|noSlash|encoded|inMemory) || has(noDotDot) && (f.head != "" || language != "python" && has(resolved)) {
			return out, false
		}
		out.Guard = "nothing keeps it inside a directory"
		switch {
		case has(swallowed):
			out.Guard = "a check refuses it with an error, but the error is caught and the work goes on"
		case has(prefixed) && has(resolved):
			out.Guard = "it is compared with a directory's name without a separator, so that /data-other passes for /data"
		case has(prefixed | fenced):
			out.Guard = "its beginning is compared before \"..\" is resolved"
		case has(noDotDot):
			out.Guard = "\"..\" is refused, but an absolute path is not"
		case has(denylisted):
			out.Guard = "it is checked against a denylist, which other paths pass"
		case has(resolved):
			out.Guard = "it is resolved, but not compared with a directory"
		}
	case sink.HostFlow:
		if has(hostAllowed) || has(hostResolved) && !has(dottedOnly|switchedOff) {
			return out, false
		}
		out.Guard = "nothing checks the address that it leads to"
		switch {
		case has(hostResolved) && has(switchedOff):
			out.Guard = "the check of its address is off unless the server's environment turns it on"
		case has(hostResolved):
			out.Guard = "its address is compared as four numbers, so that an IPv4 address written as IPv6, such as ::ffff:7f00:1, passes"
		case has(hostWhole):
			out.Guard = "the check compares the whole address instead of the host, so it never applies"
		case has(schemeAllowed) && !has(hostLiteral):
			out.Guard = "its scheme is checked, but its host is not"
		case has(hostLiteral):
			out.Guard = "its host is compared as text and never resolved, so a name that resolves to a private address passes"
		}
	case sink.URLPathFlow:
		if has(encoded | noSlash | noDotDot | denylisted | validated) {
			return out, false // what the service makes of the rest is its affair
		}
		out.Guard = "it becomes part of the address without being encoded, so ../ and ? change what is requested"
	case sink.PromptFlow:
		if has(noLetters) {
			return out, false
		}
		out.Guard = "it is written among the server's own instructions, where the model follows it"
	case sink.BodyFlow:
		if has(hostAllowed|hostResolved|hostLiteral) || isBehindHost(f.head) {
			return out, false // the caller chooses among what passes
		}
		out.Guard = "the response is read into memory as a whole, however long it is"
	case sink.PrototypeFlow:
		if f.about == chosenAttribute {
			out.About = ""
			out.Guard = "it names any attribute of the object, such as one that holds a credential, or a method that does something else"
			return out, !has(denylisted | noLetters)
		}
		if has(denylisted | validated | noLetters) {
			return out, false
		}
		out.Guard = "nothing refuses __proto__, constructor and prototype, so it can change the prototype of all objects"
	case sink.QueryFlow:
		if f.about == whereCode && (has(noQuote|noShellMeta|noLetters) || has(jsonQuoted) && !has(halfQuoted)) || f.about == "" && has(isText) {
			return out, false
		}
		out.Guard = "it may be an object whose members act as operators, such as {\"$ne\": null}, and nothing checks that it is a string"
		if f.about == whereCode {
			out.Guard = "it is written into code that the database runs"
		}
	case sink.SQLFlow:
		switch f.about {
		case readOnlyWords:
			out.Guard = "only words such as SELECT or DROP are compared to keep it from writing, and other statements, functions or a second statement pass; let the database refuse writes: a read-only transaction or user"
			return out, !has(noLetters)
		case readOnlyBegun:
			out.Guard = "it may hold several statements, so that COMMIT ends the read-only transaction and the rest writes"
			return out, true
		}
		if f.about == directoryFilter {
			out.Guard = "it is written into a filter of a directory service without being escaped, so that * and ) change whom the filter fits"
			return out, !has(filterQuoted | noShellMeta | noLetters)
		}
		if has(noQuote|noShellMeta|sqlQuoted) || has(slashQuoted) && graphStatement.MatchString(f.head) {
			return out, false
		}
		out.Guard = "it is written into the statement instead of being bound as a parameter"
		if has(halfQuoted) {
			out.Guard = "some characters are escaped before it is written into the statement; bind it as a parameter instead"
		}
	}
	return out, true
}
