package taint

import (
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

var statement = lazyregexp.New(`(?i)\b(select|insert|update|delete|create|drop|alter|show|describe|desc|use|explain|replace|with|grant|truncate|call|exec|pragma|match|merge|unwind|attach|copy|from|where)\b`)

// explained is what stands before a whole statement that the caller sends to be explained.
var explained = lazyregexp.New(`(?i)^\s*(explain|describe|profile|verbose|analyze|query plan|format=?json|\s|\(|\))+$`)

// statementSink reads the text of a statement, or of a part of one.
func (r *reader) statementSink(c call, row *callgraph.Row, name string) {
	if text := row.Argument("text", c.expr); text != nil {
		v := r.valueOf(c, text)
		r.sinkMarksBehind(statementFront, c, sink.SQLFlow, name, "", v.marks)
		r.wholeStatementSink(c, v, name)
	}
	if part := row.Argument("part", c.expr); part != nil {
		r.sinkMarks(c, sink.SQLFlow, name, "", r.valueOf(c, part).marks)
	}
}

// fullStatement is the beginning of a text that can be nothing but a statement.
var fullStatement = lazyregexp.New(`(?is)^[\s(\x00]*(select\b.+\bfrom\b|insert\s+(or\s+\w+\s+)?into\b|update\b.+\bset\b|delete\s+from\b|(create|drop|alter|truncate)\s+(or\s+replace\s+)?(table|view|database|schema|index|user|role)\b|merge\s+into\b|show\s+(tables|columns|databases|schemas|create)\b|desc(ribe)?\s|pragma\s+\w+|(optional\s+)?match\s*\(|explain\s|with\b.+\bas\s*\(|(prefix\s+[\w-]*:\s*<.*|base\s+<.*)?(select\b.+\bwhere\b|ask|construct|insert\s+data|delete\s+(data|where))\s*\{)`)

// graphStatement is a statement in a language in whose texts a backslash escapes a quotation mark, as in SPARQL and Cypher.
var graphStatement = lazyregexp.New(`(?is)^[\s\x00]*(prefix\s|base\s|(optional\s+)?match\s*\(|(select|ask|construct|insert|delete)\b[^"]*\{)`)

// filterStart is how a filter of a directory service begins: (&(objectClass=person)(cn=
var filterStart = lazyregexp.New(`^\s*\(\s*([&|!]\s*\(|[\w;.-]+\s*[~<>]?=)`)

// directoryFilter says of a flow that a filter of a directory service is written with it.
const directoryFilter = "directory"

// cmdlets is how a script of PowerShell begins: $device = Get-Device -Default
var cmdlets = lazyregexp.New(`^[\s\x00]*(\$\w+\s*=\s*)?[A-Z][a-z]+-[A-Z][A-Za-z]+\s([^\n]*\s)?-[A-Z]`)

// queryMethods are the last words of what runs a statement or sends it to what does, whichever SDK it is of.
var queryMethods = lazyregexp.New(`(?i)^(run|raw|fetch|prepare|all|command|select|scalar|exec|post|put|patch|(new)?request(withcontext)?|send)$|query|queries|execute|sql|statement|cypher`)

// textSink is a call, whichever SDK it is of, that is given a text which tells what it is for: a statement or a script, where no table knows the
// call or it sends what it is given to another machine, or a filter of a directory service.
func (r *reader) textSink(c call, row *callgraph.Row, name string) {
	method, kind := lastWord(name), row.Kind()
	if c.followed {
		return
	}
	note := func(need *front, flow sink.FlowKind, about string) {
		for _, a := range c.args {
			r.sinkMarksBehind(need, c, flow, strings.TrimPrefix(name, "."), about, a.all())
		}
	}
	switch {
	case (row == nil || kind == "pure" || kind == "unknown") && queryMethods.MatchString(method), row != nil && row.Has(capability.NetEgress):
		note(fullFront, sink.SQLFlow, "")
		note(scriptFront, sink.ShellFlow, "")
	case kind != "pure" && strings.Contains(strings.ToLower(method), "search"):
		note(directoryFront, sink.SQLFlow, directoryFilter)
	}
}
