package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "MCP-S-013", Name: "prompt-interpolation", Severity: finding.Low, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP06:2025 close, ASI01 close, CWE-1427 exact, L4 close, L1 weak",
	Axis:     "prompt-injection", Source: "https://cwe.mitre.org/data/definitions/1427.html",
	Doc: `A parameter of a tool is written into the system prompt of a sampling request, among the server's own instructions. Whoever decides about the
parameter, such as the author of a page that the model read before, then speaks with the server's voice to the client's model.

The value has to stand behind text of the source. Silent on messages with the role of the user, where such content belongs, on prompts that the user picks and
fills in, on numbers and listed values, and on content that comes from the network, whose way is not followed.`,
	Advice: "Put content into a message of its own with the role user, and say in the instructions that it is data.",
	Run: func(p *check.Pass) {
		reportFlows(p, always(finding.None), map[sink.FlowKind]string{sink.PromptFlow: "a system prompt"})
	},
})
