package behaviour

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

var _ = register(check.Check{
	ID: "GNT-503", Name: "startup-file-written", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP04:2025 weak, ASI05 weak, CWE-506 close, L3 close, L4 weak",
	Axis:     "persistence", Needs: check.Observed, Source: source,
	Doc: `A server in a sandbox wrote a file that other programs run or trust automatically: a shell profile, SSH
authorized keys, a systemd unit, an autostart entry, a crontab, git hooks or git configuration, or the
configuration of an MCP client. Through such a file the server can start again or start other programs. The
file was a private copy and is gone; outside of a sandbox it would have been the user's.

Not reported: every other file that is written, which is recorded as an event. If a call asked the tool to
write that very file, the message names the call.`,
	Advice: "Look at what was written. An installer has a reason to write such a file, and asks first; a server does not.",
	Run: func(p *check.Pass) {
		seen := map[string]bool{}
		told := filesInCalls(p)
		eachEvent(p, func(e *observed, root rawjson.Value) {
			what := startsPrograms(e.path)
			if told[e.path[strings.LastIndexByte(e.path, '/')+1:]] {
				return
			}
			if e.kind != "file_change" || what == "" || strings.HasPrefix(e.text, "deleted") || seen[e.message.Server+"\x00"+e.path] {
				return
			}
			seen[e.message.Server+"\x00"+e.path] = true
			p.Report(check.Relation{
				At: e.place(p, root), Message: fmt.Sprintf("%s wrote %s, %s", e.server(), quoted(e.path), what),
				Identity: []string{e.message.Server, e.path},
			})
		})
	},
})

// filesInCalls returns the names of startup files that calls were asked to write: a tool that does
// what it is told is no finding.
func filesInCalls(p *check.Pass) map[string]bool {
	out := map[string]bool{}
	for i := range p.Trace.Messages {
		m := &p.Trace.Messages[i]
		if m.Method != "tools/call" || m.Kind != trace.Request {
			continue
		}
		for _, s := range startupFiles {
			for _, end := range s.ends {
				if name := end[strings.LastIndexByte(end, '/')+1:]; strings.Contains(m.Raw, name) {
					out[name] = true
				}
			}
		}
	}
	return out
}

// startupFiles are the ends of paths, and what a file there does.
var startupFiles = []struct {
	ends []string
	what string
}{
	{[]string{"/.bashrc", "/.bash_profile", "/.bash_login", "/.profile", "/.zshrc", "/.zshenv", "/.zprofile", "/.config/fish/config.fish", "/.bash_logout", "/.xprofile", "/.xsession"}, "which every shell of the user runs"},
	{[]string{"/.ssh/authorized_keys", "/.ssh/authorized_keys2", "/.ssh/rc", "/.ssh/config"}, "which lets others log in or runs at a log-in"},
	{[]string{"/.cursor/mcp.json", "/.vscode/mcp.json", "/claude_desktop_config.json", "/.claude.json", "/.codeium/windsurf/mcp_config.json", "/.gemini/settings.json", "/.codex/config.toml"}, "which says what servers an MCP client starts"},
	{[]string{"/.gitconfig", "/.config/git/config", "/.npmrc", "/.pip/pip.conf", "/.config/pip/pip.conf"}, "which says what git or a package manager runs and where it loads from"},
}

// startupFolders hold files of which every one is run.
var startupFolders = []struct{ part, what string }{
	{"/.config/autostart/", "which is run when the user logs in"},
	{"/.config/systemd/user/", "which the system runs for the user"},
	{"/.git/hooks/", "which git runs"},
	{"/var/spool/cron/", "which is run at set times"},
	{"/.config/fish/conf.d/", "which every shell of the user runs"},
}

// startsPrograms says what a file does without being asked, "" for nothing.
func startsPrograms(path string) string {
	for _, s := range startupFiles {
		if slices.ContainsFunc(s.ends, func(end string) bool { return strings.HasSuffix(path, end) }) {
			return s.what
		}
	}
	for _, s := range startupFolders {
		if strings.Contains(path, s.part) && !strings.HasSuffix(path, ".sample") {
			return s.what
		}
	}
	return ""
}
