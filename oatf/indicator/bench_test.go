package indicator

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gauntlet/rawjson"
	"gauntlet/trace"
	"gauntlet/verdict"
)

// One indicator against one message: promised are 2 µs for patterns and 5 µs for CEL.
func BenchmarkEvaluate(b *testing.B) {
	for _, bb := range []struct{ name, indicator string }{
		{"pattern/contains", `target: arguments.to, pattern: {contains: evil}`},
		{"pattern/regex", `target: arguments.to, pattern: {regex: "@evil\\.(example|test)$"}`},
		{"pattern/regex on an object", `target: arguments, pattern: {regex: "(id_rsa|passwd|evil\\.example)"}`},
		{"cel/has and contains", `target: "", expression: {cel: "has(message.arguments.to) && message.arguments.to.contains('evil')"}`},
		{"cel/with a variable", `target: "", expression: {cel: "to.endsWith('.example') && n > 2", variables: {to: arguments.to, n: arguments.n}}`},
	} {
		b.Run(bb.name, func(b *testing.B) {
			i, err := Compile(&document(b, "    - {protocol: mcp, "+bb.indicator+"}").Attack.Indicators[0], Options{})
			if err != nil {
				b.Fatal(err)
			}
			message := tree(b, call)
			b.ReportAllocs()
			for b.Loop() {
				if v := i.Evaluate(context.Background(), message); v.Result != verdict.Matched {
					b.Fatal(v)
				}
			}
		})
	}
}

// Fifty pattern indicators, each selecting one method, over a trace of 100,000 messages of
// which none matches: promised are 3 s on one core. "one method" is the worst case, in
// which all fifty look at every message.
func BenchmarkJudge(b *testing.B) {
	for _, methods := range []int{50, 10, 1} {
		b.Run(fmt.Sprintf("methods=%d", methods), func(b *testing.B) {
			var indicators strings.Builder
			for n := range 50 {
				fmt.Fprintf(&indicators, "    - {protocol: mcp, surface: vendor/%d, target: arguments.to, pattern: {regex: \"@evil%d\\\\.(example|test)$\"}}\n", n%methods, n)
			}
			j, err := NewJudge(document(b, indicators.String()), Options{})
			if err != nil {
				b.Fatal(err)
			}
			t := &trace.Trace{}
			for n := range 100_000 {
				m := request(fmt.Sprintf("vendor/%d", n%methods), `{"name":"send_email","arguments":{"to":"somebody@example.org","subject":"hello","body":"How are you?"}}`)
				m.Seq = n + 1
				t.Messages = append(t.Messages, m)
			}
			b.ReportAllocs()
			for b.Loop() {
				if v := j.Judge(context.Background(), t); v.Summary.NotMatched != 50 {
					b.Fatal(v.Summary)
				}
			}
		})
	}
}

func BenchmarkContent(b *testing.B) {
	m := request("tools/call", call)
	var tree rawjson.Tree
	for b.Loop() {
		if _, err := m.Content(&tree); err != nil {
			b.Fatal(err)
		}
	}
}
