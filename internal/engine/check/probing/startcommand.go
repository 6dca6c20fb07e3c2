package probing

import (
	"path"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/probe"
)

var _ = protocolCheck(check.Check{
	ID: "SEC-023", Name: "dangerous-startup-command", Severity: finding.High, Axis: "command-execution",
	Taxonomy: "MCP05:2025 close, MCP04:2025 weak, ASI05 close, CWE-78 weak, CWE-494 close, CWE-250 weak, L2 close, L6 weak", Source: check.SourceSEC,
	Doc: `The command that starts the server asks for the rights of root (sudo), or is a shell command line that pipes a download into an interpreter,
removes folders with all that is in them, or evaluates a text that is put together. What runs is then decided at each start, by somebody else.

What stays quiet: such words as arguments of a program that is no shell. GNT-105 judges commands in configurations of clients.`,
	Advice: "Start a program with fixed arguments, as an ordinary user, from a package with a version.",
}, judgeStart)

// dangers are what a shell command line must not do.
var dangers = []struct {
	re  *lazyregexp.Regexp
	why string
}{
	{lazyregexp.New(`(?i)\b(?:curl|wget)\b[^|;&]*\|\s*(?:sudo\s+)?(?:/\S*/)?(?:sh|bash|zsh|dash|ksh|python[0-9.]*|node|perl|ruby|php)\b`), "pipes a download into an interpreter"},
	{lazyregexp.New(`(?i)(?:sh|bash|zsh|source|\.|eval)\s+(?:-c\s+)?["']?(?:<\(|\$\(|` + "`" + `)\s*(?:curl|wget)\b`), "runs a download"},
	{lazyregexp.New(`(?:^|[\s;&|(])rm\s+(?:-\S+\s+)*-(?:[a-zA-Z]*r[a-zA-Z]*f|[a-zA-Z]*f[a-zA-Z]*r)[a-zA-Z]*\s`), "removes folders with all that is in them"},
	{lazyregexp.New(`(?:^|[\s;&|(])(?:sudo|doas|pkexec)\s`), "asks for the rights of root"},
	{lazyregexp.New(`(?:^|[\s;&|(])eval\s`), "evaluates a text that is put together"},
}

func judgeStart(e *probe.Protocol) Verdict {
	words := e.Command
	for n, w := range words {
		switch program := strings.TrimSuffix(path.Base(w), ".exe"); {
		case slices.Contains([]string{"sudo", "doas", "pkexec"}, program):
			return broken("the start command asks for the rights of root: " + excerpt.Quote(strings.Join(words, " "), 200))
		case slices.Contains([]string{"sh", "bash", "zsh", "dash", "ksh"}, program):
			return judgeScript(words[n+1:])
		case program != "env" && !strings.Contains(w, "="):
			return Verdict{}
		}
	}
	return Verdict{}
}

func judgeScript(words []string) Verdict {
	at := slices.IndexFunc(words, func(w string) bool {
		return strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "c")
	})
	if at < 0 || at+1 >= len(words) {
		return Verdict{}
	}
	for _, d := range dangers {
		if d.re.MatchString(words[at+1]) {
			return broken("the start command is a shell command line that " + d.why + ": " + excerpt.Quote(words[at+1], 200))
		}
	}
	return Verdict{}
}
