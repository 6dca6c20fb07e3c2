package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "MCP-S-007", Name: "command-injection", Severity: finding.High, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP05:2025 exact, ASI05 close, CWE-78 exact, CWE-88 close, CWE-95 close, L3 close, L4 weak",
	Axis:     "command-injection", Source: "https://cwe.mitre.org/data/definitions/78.html",
	Doc: `A parameter of a tool becomes part of a line that a shell reads, names the program that is started, is run as
code, or becomes an argument that a program may take for an option. Whoever can make the model send a value then runs
commands on the machine of the server.

The finding shows the way: the parameter, each variable and function on it with file and line, the call. Guards count by
what they do: a list of allowed values that is compared before the call, a pattern that leaves out every character that a
shell acts on, quoting by a function made for it, an argument list without a shell and "--" before it. Escaping some
characters, refusing some words and JSON.stringify() inside a shell line do not hold, and the message says so.

An argument that may begin with "-" has severity medium, and is reported only for programs with options that run or write
something, such as ssh -oProxyCommand=.

Silent on lines that the source fixes, on numbers and listed values, on values behind an option of the program, and where the
way could not be followed: that no finding is there proves nothing.`,
	Advice: "Start the program without a shell, with its arguments as a list and \"--\" before values; compare values with a list where there is one.",
	Run: func(p *check.Pass) {
		reportFlows(p, func(f sink.Flow) finding.Severity {
			if f.Kind == sink.ArgumentFlow {
				return finding.Medium
			}
			return finding.None
		}, map[sink.FlowKind]string{
			sink.ShellFlow: "a line for a shell", sink.ProgramFlow: "the program to start", sink.CodeFlow: "code that is run", sink.ArgumentFlow: "an argument",
		})
	},
})
