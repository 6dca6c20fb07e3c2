package startup

import (
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// Runs reports whether a variable of the environment, by its name in capitals, has the programs that get it run more than themselves.
func Runs(name, value string) bool {
	value = packageFolder.ReplaceAllString(value, "")
	for _, table := range []map[string]*lazyregexp.Regexp{Injecting, replacing} {
		if re := table[name]; re != nil && re.MatchString(value) {
			return true
		}
	}
	return false
}

// packageFolder matches a folder of installed programs at the head of a PATH, which many projects put there.
var packageFolder = lazyregexp.New(`^(?:\.{1,2}/|\$\{?\w+\}?/)*(?:node_modules/\.bin|\.?venv/bin):`)

// Values that name a program of the project, or more than a program.
var (
	ownProgram = lazyregexp.New(`(?:^|[\s"'=;|&(])(?:\.{1,2}/|\$\{?(?:PWD|CLAUDE_PROJECT_DIR|workspaceFolder)\b|/tmp/|/var/tmp/|\.[\w-]+/|[\w-]+/)\S|\bsh\s+-\w*c\b|[;&|` + "`" + `]|\$\(|(?i:proxycommand)`)
	ownFirst   = lazyregexp.New(`^(?:\.{1,2}(?:[:/]|$)|:|\$\{?(?:PWD|CLAUDE_PROJECT_DIR|workspaceFolder)\b|/tmp\b|[\w.-]+[/:])`)
)

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

// Injecting maps variables to the values that load code.
var Injecting = map[string]*lazyregexp.Regexp{
	"LD_PRELOAD": anything, "LD_AUDIT": anything, "DYLD_INSERT_LIBRARIES": anything, "PYTHONSTARTUP": anything,
	"PERL5OPT": lazyregexp.New(`-?[Mm]\S+|-I\S+`), "PERL5DB": anything, "BASH_ENV": anything, "RUBYOPT": rubyOptions, "NODE_OPTIONS": nodeOptions, "BUN_OPTIONS": lazyregexp.New(`(?:^|\s)(?:--preload|--require|-r)(?:[\s=]\s*\S+|$)`),
	"JAVA_TOOL_OPTIONS": javaOptions, "_JAVA_OPTIONS": javaOptions, "JDK_JAVA_OPTIONS": javaOptions,
	"DOTNET_STARTUP_HOOKS": anything, "COR_PROFILER_PATH": anything, "CORECLR_PROFILER_PATH": anything, "PROMPT_COMMAND": anything, "PYTHONBREAKPOINT": lazyregexp.New(`[A-Za-z_]\S*`),
}
