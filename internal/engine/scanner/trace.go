package scanner

import (
	"fmt"
	"maps"
	"slices"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
	"gauntlet/result"
)

// documents counts the documents of a scan, after which the trace is numbered.
func documents(c *catalog.Catalog, opt Options) int {
	n := len(c.Documents) + len(opt.Askings)
	if opt.Baseline != nil {
		n += len(opt.Baseline.Documents)
	}
	return n
}

func recorded(t check.Recording) *result.TraceCoverage {
	servers := map[string]bool{}
	out := &result.TraceCoverage{File: t.File, Boundary: t.Boundary.File, Messages: len(t.Messages), Unread: t.Unread, Caveats: t.Header.Caveats()}
	for i := range t.Messages {
		servers[t.Messages[i].Server] = true
		if t.Messages[i].Redacted {
			out.Redacted++
		}
	}
	out.Servers = orEmpty(slices.Sorted(maps.Keys(servers)))
	return out
}

// traceProblems says why a trace cannot be judged completely.
func traceProblems(t check.Recording) []finding.Problem {
	var out []finding.Problem
	at := finding.Location{Kind: finding.Message, File: t.File}
	add := func(line int, format string, args ...any) {
		at.Line = line
		out = append(out, finding.Problem{Kind: finding.Unread, Message: fmt.Sprintf(format, args...), Location: at, Input: -1})
	}
	for _, p := range t.Problems {
		add(p.Line, "the line of the trace could not be read: %s", p.Msg)
	}
	if n := t.Unread - len(t.Problems); n > 0 {
		add(0, "%d more lines of the trace could not be read", n)
	}
	var tree rawjson.Tree
	first, n := 0, 0
	for i := range t.Messages {
		if t.Messages[i].Unreadable(&tree) {
			if n++; n == 1 {
				first = t.Messages[i].Seq
			}
		}
	}
	if n > 0 {
		add(0, "%s of the trace cannot be read as JSON, the first of them message %d: not judged, though a client may have read more", excerpt.Count(n, "message"), first)
	}
	if len(t.Messages) == 0 {
		add(0, "nothing was judged: the trace holds no message")
	}
	return out
}
