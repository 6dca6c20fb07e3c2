package config

import (
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/startup"
)

var _ = register(Check{
	ID: "GNT-107", Name: "code-injecting-environment", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP05:2025 weak, MCP04:2025 weak, ASI05 close, CWE-427 close, CWE-829 close, L2 close, L4 weak",
	Axis:     "command-execution", Source: "https://cwe.mitre.org/data/definitions/427.html",
	Doc: `The environment of a server makes its runtime load additional code before the server's own: LD_PRELOAD,
LD_AUDIT, DYLD_INSERT_LIBRARIES, NODE_OPTIONS with --require, --import or --loader, PYTHONSTARTUP, PERL5OPT,
RUBYOPT with -r, BASH_ENV, JAVA_TOOL_OPTIONS with an agent, DOTNET_STARTUP_HOOKS and similar ones.

What runs is then not the command that a person approves.

The check reads the entry's environment, variables before the command ("env NAME=… command"), the options
of a container, and the environment that settings give to an agent or its terminal; there also programs that git, an editor
or a pager is replaced with (GIT_SSH_COMMAND, GIT_CONFIG_GLOBAL, PAGER), and a PATH that begins in the project. Not reported: the same variables with harmless options
(NODE_OPTIONS=--max-old-space-size=4096), empty values, and library search paths (LD_LIBRARY_PATH,
PYTHONPATH), which honest servers need.`,
	Advice: "Remove the variable. If the server needs the code, make it part of the server.",
	Run: func(p *Pass) {
		p.eachEntry(func(file int, e *Entry) {
			for _, v := range assignments(e) {
				re := startup.Injecting[strings.ToUpper(v.name)]
				if re == nil {
					continue
				}
				if m := re.FindStringIndex(v.value); m != nil {
					p.Report(Report{File: file, Entry: e, At: v.at, Evidence: v.value[m[0]:m[1]], Start: v.from + m[0], End: v.from + m[1],
						Message: fmt.Sprintf("the variable %s makes the server's runtime load additional code", strings.ToUpper(v.name))})
				}
			}
		})
		p.eachSetting(func(file int, s *Setting, way string) {
			if !endsInAny(way, environments...) || p.Files[file].entryOf(s) != nil {
				return
			}
			if name := strings.ToUpper(s.Keys[len(s.Keys)-1]); startup.Runs(name, s.Value.Reveal()) {
				p.Report(Report{File: file, At: s.Value.Place, Evidence: settingText(s), Message: fmt.Sprintf("the variable %s makes the programs that the agent starts run additional code", name)})
			}
		})
	},
})

// environments are the settings that give variables to an agent, to what it starts, or to a terminal.
var environments = strings.Fields(`env/* environment/* environmentvariables/* containerenv/* remoteenv/* terminal/integrated/env/*/* shell_environment_policy/set/*`)
