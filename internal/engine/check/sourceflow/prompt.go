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
	Doc: `A tool's parameter is written into the system prompt of a sampling request, among the server's own
instructions. Whoever controls the parameter, such as the author of a page that the model read before, then
speaks to the client's model with the server's authority.

The value must follow text of the source. Not reported: messages with the role user, where such content
belongs; prompts that the user selects and fills in; numbers and listed values; and content from the network,
which is not followed through the code.`,
	Advice: "Put content into a separate message with the role user, and say in the instructions that it is data.",
	Run: func(p *check.Pass) {
		reportFlows(p, always(finding.None), map[sink.FlowKind]string{sink.PromptFlow: "a system prompt"})
	},
})
