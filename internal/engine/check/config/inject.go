package config

import (
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/lazyregexp"
)

var _ = register(Check{
	ID: "GNT-107", Name: "code-injecting-environment", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP05:2025 weak, MCP04:2025 weak, ASI05 close, CWE-427 close, CWE-829 close, L2 close, L4 weak",
	Axis:     "command-execution", Source: "https://cwe.mitre.org/data/definitions/427.html",
	Doc: `The environment of a server makes its runtime load additional code before the server's own: LD_PRELOAD,
LD_AUDIT, DYLD_INSERT_LIBRARIES, NODE_OPTIONS with --require, --import or --loader, PYTHONSTARTUP, PERL5OPT,
RUBYOPT with -r, BASH_ENV, JAVA_TOOL_OPTIONS with an agent, DOTNET_STARTUP_HOOKS and similar ones.

What runs is then not the command that a person approves.

The check reads the entry's environment, variables before the command ("env NAME=… command") and the options
of a container. Not reported: the same variables with harmless options
(NODE_OPTIONS=--max-old-space-size=4096), empty values, and library search paths (LD_LIBRARY_PATH,
PYTHONPATH), which honest servers need.`,
	Advice: "Remove the variable. If the server needs the code, make it part of the server.",
	Run: func(p *Pass) {
		p.eachEntry(func(file int, e *Entry) {
			for _, v := range assignments(e) {
				re := injecting[strings.ToUpper(v.name)]
				if re == nil {
					continue
				}
				if m := re.FindStringIndex(v.value); m != nil {
					p.Report(Report{File: file, Entry: e, At: v.at, Evidence: v.value[m[0]:m[1]], Start: v.from + m[0], End: v.from + m[1],
						Message: fmt.Sprintf("the variable %s makes the server's runtime load additional code", strings.ToUpper(v.name))})
				}
			}
		})
	},
})

var (
	anything    = lazyregexp.New(`(?s).*\S.*`)
	nodeOptions = lazyregexp.New(`(?:^|\s)(?:--require|--import|--loader|--experimental-loader|-r)(?:[\s=]\s*\S+|$)`)
	javaOptions = lazyregexp.New(`-(?:javaagent|agentpath|agentlib|Xbootclasspath/[ap]):?\S*`)
	rubyOptions = lazyregexp.New(`(?:^|\s)-r\s*\S+`)
)

// injecting maps variables to the values that load code.
var injecting = map[string]*lazyregexp.Regexp{
	"LD_PRELOAD": anything, "LD_AUDIT": anything, "DYLD_INSERT_LIBRARIES": anything, "PYTHONSTARTUP": anything,
	"PERL5OPT": lazyregexp.New(`-?[Mm]\S+|-I\S+`), "PERL5DB": anything, "BASH_ENV": anything, "RUBYOPT": rubyOptions, "NODE_OPTIONS": nodeOptions, "BUN_OPTIONS": lazyregexp.New(`(?:^|\s)(?:--preload|--require|-r)(?:[\s=]\s*\S+|$)`),
	"JAVA_TOOL_OPTIONS": javaOptions, "_JAVA_OPTIONS": javaOptions, "JDK_JAVA_OPTIONS": javaOptions,
	"DOTNET_STARTUP_HOOKS": anything, "COR_PROFILER_PATH": anything, "CORECLR_PROFILER_PATH": anything, "PROMPT_COMMAND": anything, "PYTHONBREAKPOINT": lazyregexp.New(`[A-Za-z_]\S*`),
}
