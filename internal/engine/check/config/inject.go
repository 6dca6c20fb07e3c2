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

The check reads the entry's environment, variables before the command ("env NAME=… command"), the options
of a container, and the environment that settings give to an agent or its terminal; there also programs that git, an editor
or a pager is replaced with (GIT_SSH_COMMAND, GIT_CONFIG_GLOBAL, PAGER), and a PATH that begins in the project. Not reported: the same variables with harmless options
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
		p.eachSetting(func(file int, s *Setting, way string) {
			if !endsInAny(way, environments...) || p.Files[file].entryOf(s) != nil {
				return
			}
			name, value := strings.ToUpper(s.Keys[len(s.Keys)-1]), packageFolder.ReplaceAllString(s.Value.Reveal(), "")
			for _, table := range []map[string]*lazyregexp.Regexp{injecting, replacing} {
				if re := table[name]; re != nil && re.MatchString(value) {
					p.Report(Report{File: file, At: s.Value.Place, Evidence: settingText(s), Message: fmt.Sprintf("the variable %s makes the programs that the agent starts run additional code", name)})
				}
			}
		})
	},
})

// environments are the settings that give variables to an agent, to what it starts, or to a terminal.
var environments = strings.Fields(`env/* environment/* environmentvariables/* containerenv/* remoteenv/* terminal/integrated/env/*/* shell_environment_policy/set/*`)

// Values that name a program of the project, or more than a program.
var (
	ownProgram = lazyregexp.New(`(?:^|[\s"'=;|&(])(?:\.{1,2}/|\$\{?(?:PWD|CLAUDE_PROJECT_DIR|workspaceFolder)\b|/tmp/|/var/tmp/|\.[\w-]+/|[\w-]+/)\S|\bsh\s+-\w*c\b|[;&|` + "`" + `]|\$\(|(?i:proxycommand)`)
	ownFirst   = lazyregexp.New(`^(?:\.{1,2}(?:[:/]|$)|:|\$\{?(?:PWD|CLAUDE_PROJECT_DIR|workspaceFolder)\b|/tmp\b|[\w.-]+[/:])`)
)

// packageFolder matches a folder of installed programs at the head of a PATH, which many projects put there.
var packageFolder = lazyregexp.New(`^(?:\.{1,2}/|\$\{?\w+\}?/)*(?:node_modules/\.bin|\.?venv/bin):`)

// replacing maps variables by which other programs choose what they run to the values that name no ordinary one.
var replacing = func() map[string]*lazyregexp.Regexp {
	out := map[string]*lazyregexp.Regexp{"PATH": ownFirst, "GIT_CONFIG_GLOBAL": ownProgram, "GIT_CONFIG_SYSTEM": ownProgram, "GIT_CONFIG_COUNT": anything, "GIT_TEMPLATE_DIR": ownProgram, "GOFLAGS": lazyregexp.New(`-toolexec\b`)}
	for name := range strings.FieldsSeq(`GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXEC_PATH EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN SHELL
		RUSTC_WRAPPER RUSTC CC CXX NPM_CONFIG_SCRIPT_SHELL CLAUDE_CODE_SHELL_PREFIX`) {
		out[name] = ownProgram
	}
	return out
}()

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
