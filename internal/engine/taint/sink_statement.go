package taint

import (
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
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

// directorySink is a search that is given the text of such a filter, whichever client it is of.
func (r *reader) directorySink(c call, row *callgraph.Row, name string) {
	if c.followed || row != nil && row.Kind() == "pure" || !strings.Contains(strings.ToLower(lastWord(name)), "search") {
		return
	}
	for _, a := range c.args {
		r.sinkMarksBehind(directoryFront, c, sink.SQLFlow, strings.TrimPrefix(name, "."), directoryFilter, a.all())
	}
}

// queryMethods are the last words of what runs a statement, whichever SDK it is of.
var queryMethods = lazyregexp.New(`(?i)^(run|raw|fetch|prepare|all|command|select|scalar|exec)$|query|queries|execute|sql|statement|cypher`)

// queryTextSink is a call that no table knows and that is given a statement: its text tells what it is for.
func (r *reader) queryTextSink(c call, name string) {
	if c.followed || !queryMethods.MatchString(lastWord(name)) {
		return
	}
	for _, a := range c.args {
		if len(a.fields) == 0 {
			r.sinkMarksBehind(fullFront, c, sink.SQLFlow, strings.TrimPrefix(name, "."), "", a.marks)
		}
	}
	for i, a := range c.expr.Args { // { sql: `…`, args: [] }
		if a.Value == nil || a.Value.Kind != ir.Object {
			continue
		}
		for _, member := range []string{"sql", "query", "text", "statement", "cypher", "q"} {
			if f := c.args[i].fields[member]; f != nil {
				r.sinkMarksBehind(fullFront, c, sink.SQLFlow, strings.TrimPrefix(name, "."), "", f.marks)
			}
		}
	}
}
