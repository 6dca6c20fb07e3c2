package probing

import (
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/probe"
)

// The steps of P21: the same call with a random text where a text is wanted, and with a list that
// holds another.
const (
	RightType = "a text to "
	WrongType = "a list to "
)

var _ = add(Probe{
	ID: "P21", Asks: "whether a tool takes a list where its schema wants a text", Effect: probe.Writes, HTTP: true, Stdio: true,
	Signal: "input-validation", Judge: judgeTypes, Unless: "no tool that may be called answered with a text that it was given",
	Rule: check.Check{
		ID: "GNT-449", Name: "input-not-validated", Severity: finding.Low, Axis: "input-validation",
		Taxonomy: "MCP05:2025 weak, ASI02 weak, CWE-20 exact, CWE-1287 exact, L4 close, L3 weak", Source: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools",
		Doc: `A tool whose schema wants a text took a list, and did with the random text in it what it does with a text: both answers are the same but for
the random values. Servers must validate what they are given; code that expects a text often has its guards on texts alone.`,
		Advice: "Validate arguments with the tool's own schema before anything is done with them.",
	},
})

func judgeTypes(e *probe.Protocol) Verdict {
	compared := 0
	for _, wrong := range exchanges(e, "P21") {
		tool, ok := strings.CutPrefix(wrong.Step, WrongType)
		right := e.Find("P21", RightType+tool)
		if !ok || right == nil {
			continue
		}
		ordinary, ok := toolText(right)
		if !ok || !strings.Contains(ordinary, right.Expect) || right.Expect == "" {
			continue
		}
		compared++
		if taken, ok := toolText(wrong); ok && wrong.Expect != "" && strings.Contains(taken, wrong.Expect) && without(taken, wrong.Expect) == without(ordinary, right.Expect) {
			return brokenBy(wrong, "the tool "+excerpt.Clip(tool, 80)+" took a list where its schema wants a text, and did the same with it: "+excerpt.Clip(wrong.Sent, 300))
		}
	}
	if compared == 0 {
		return Verdict{}
	}
	return held("a list in place of a text was refused, or answered in another way")
}

// without takes a random value, and what lists are written with, out of an answer.
func without(text, value string) string {
	return strings.NewReplacer(value, "", "[", "", "]", "", `"`, "", "'", "", `\`, "", " ", "", "\n", "").Replace(text)
}
