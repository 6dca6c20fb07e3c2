package taint

import (
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
		r.sqlSink(c, r.valueOf(c, text), name)
	}
	if part := row.Argument("part", c.expr); part != nil {
		r.sinkMarksBehind(textFront, c, sink.SQLFlow, name, "", r.valueOf(c, part).marks)
	}
}

// sqlSink looks for text of a caller inside a statement of the source. A statement that the caller sends as a whole is
// what such a tool is for.
func (r *reader) sqlSink(c call, v *value, name string) {
	r.sinkMarksBehind(statementFront, c, sink.SQLFlow, name, "", v.marks)
}
