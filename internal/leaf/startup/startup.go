// Package startup knows the files that other programs run or trust automatically: shell profiles, login keys, units, hooks, MCP
// client configurations.
package startup

import (
	"slices"
	"strings"
)

// A Place is where such files are.
type Place struct {
	// Ends are the path suffixes of such files.
	Ends []string
	// Folder is a path part below which every file is one; "" if Ends says it.
	Folder string
	What   string // "which every shell of the user runs"
}

// Places are all known places, relative to the user's folder or a project's.
var Places = []Place{
	{Ends: []string{"/.bashrc", "/.bash_profile", "/.bash_login", "/.bash_aliases", "/.profile", "/.zshrc", "/.zshenv", "/.zprofile", "/.zlogin", "/.config/fish/config.fish", "/.bash_logout", "/.zlogout", "/.xprofile", "/.xsession", "/.xinitrc"}, What: "which every shell of the user runs"},
	{Ends: []string{"/.ssh/authorized_keys", "/.ssh/authorized_keys2", "/.ssh/rc", "/.ssh/config", "/.ssh/environment", "/.pam_environment"}, What: "which lets others log in or runs at a log-in"},
	{Ends: []string{"/.cursor/mcp.json", "/.vscode/mcp.json", "/.mcp.json", "/claude_desktop_config.json", "/.claude.json", "/.claude/settings.json", "/.claude/settings.local.json", "/.codeium/windsurf/mcp_config.json", "/.gemini/settings.json", "/.codex/config.toml"}, What: "which says what servers an MCP client starts"},
	{Ends: []string{"/.gitconfig", "/.config/git/config", "/.npmrc", "/.pip/pip.conf", "/.config/pip/pip.conf", "/.pypirc", "/.config/uv/uv.toml"}, What: "which says what git or a package manager runs and where it loads from"},
	{Folder: "/.config/autostart/", What: "which is run when the user logs in"},
	{Folder: "/.config/systemd/user/", What: "which the system runs for the user"},
	{Folder: "/.git/hooks/", What: "which git runs"},
	{Folder: "/var/spool/cron/", What: "which is run at set times"},
	{Folder: "/etc/cron.d/", What: "which is run at set times"},
	{Folder: "/LaunchAgents/", What: "which is run when the user logs in"},
	{Ends: []string{"/.envrc"}, What: "which every shell of the user runs in its folder"},
	{Ends: []string{"/.vscode/tasks.json"}, What: "which an editor runs when it opens its folder"},
	{Ends: []string{"/CLAUDE.md", "/AGENTS.md", "/GEMINI.md", "/.cursorrules", "/.github/copilot-instructions.md"}, What: "which agents obey"},
	{Folder: "/.local/bin/", What: "which every shell of the user finds first"},
	{Folder: "/.config/fish/conf.d/", What: "which every shell of the user runs"},
}

// What returns what a file causes automatically, or "".
func What(path string) string {
	for i := range Places {
		p := &Places[i]
		switch {
		case p.Folder != "" && strings.Contains(path, p.Folder) && !strings.HasSuffix(path, ".sample"):
			return p.What
		case slices.ContainsFunc(p.Ends, func(end string) bool { return strings.HasSuffix(path, end) }):
			return p.What
		}
	}
	return ""
}
