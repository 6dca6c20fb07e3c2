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
	Doc: `A tool's parameter becomes part of a shell command line, names the program to start, is run as code, or
becomes an argument that a program may take for an option. Whoever can make the model send a certain value can
then run commands on the server's machine.

The finding shows the path of the value: the parameter, each variable and function on the way with file and
line, and the call. These guards count: a list of allowed values that is compared before the call, a pattern
that excludes every character with a meaning to the shell, a function made for shell quoting, an argument list
without a shell, and "--" before the value. Escaping some characters, refusing some words and JSON.stringify()
inside a shell command do not protect, and the message says so.

An argument that may begin with "-" has severity medium, and is reported only for programs with options that
run or write something, such as ssh -oProxyCommand=.

Not reported: command lines that are fixed in the source, numbers and listed values, values that follow an
option of the program, and values whose path through the code could not be followed. The absence of a finding
therefore proves nothing.`,
	Advice: "Start the program without a shell, with its arguments as a list and \"--\" before values. Compare the value with a list of allowed values where there is one.",
	Run: func(p *check.Pass) {
		reportFlows(p, func(f sink.Flow) finding.Severity {
			if f.Kind == sink.ArgumentFlow {
				return finding.Medium
			}
			return finding.None
		}, map[sink.FlowKind]string{
			sink.ShellFlow: "a shell command", sink.ProgramFlow: "the program to start", sink.CodeFlow: "code that is run", sink.ArgumentFlow: "an argument",
		})
	},
})
