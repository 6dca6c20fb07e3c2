package taint

import (
	"regexp"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/sink"
)

var statement = regexp.MustCompile(`(?i)\b(select|insert|update|delete|create|drop|alter|show|describe|desc|use|explain|replace|with|grant|truncate|call|exec|pragma|match|merge|unwind|attach|copy|from|where)\b`)

// statementSink reads the text of a statement, or of a part of one.
func (r *reader) statementSink(c call, row *callgraph.Row, name string) {
	if text := row.Argument("text", c.expr); text != nil {
		r.sqlSink(c, r.valueOf(c, text), name)
	}
	if part := row.Argument("part", c.expr); part != nil {
		for _, m := range r.valueOf(c, part).marks {
			if m.head != "" {
				r.sinkMarks(c, sink.SQLFlow, name, "", []mark{m})
			}
		}
	}
}

// sqlSink looks for text of a caller inside a statement of the source. A statement that the caller sends as a whole is
// what such a tool is for.
func (r *reader) sqlSink(c call, v *value, name string) {
	for _, m := range v.marks {
		if statement.MatchString(m.head) {
			r.sinkMarks(c, sink.SQLFlow, name, "", []mark{m})
		}
	}
}
