package discover

import "gauntlet/check/config"

// A where is a path at which a client keeps servers. A * stands for the names in a
// folder: all configurations in it, or with a path behind it, all folders.
type where struct {
	path string
	hint Hint
}

// places lists where clients keep servers, from the public documentation of each. Of a
// client's files, those that hold everywhere come first.
func places(h Host) []where {
	l := &listing{Host: h}
	// https://modelcontextprotocol.io/docs/develop/connect-local-servers names macOS and
	// Windows. There is no client for Linux from its maker; builds of the community use
	// the folder below.
	l.client(config.ClaudeDesktop)
	l.config("Claude/claude_desktop_config.json", own)
	// https://code.claude.com/docs/en/mcp and …/settings (managed-mcp.json, CLAUDE_CONFIG_DIR).
	l.client(config.ClaudeCode)
	l.homeOr("CLAUDE_CONFIG_DIR", ".claude.json", ".claude.json", shared)
	l.system(own, "/etc/claude-code/managed-mcp.json", "/Library/Application Support/ClaudeCode/managed-mcp.json", `C:\Program Files\ClaudeCode\managed-mcp.json`, `C:\ProgramData\ClaudeCode\managed-mcp.json`)
	l.project(".mcp.json", own)
	// https://cursor.com/docs/mcp
	l.client(config.Cursor)
	l.home(".cursor/mcp.json", own)
	l.project(".cursor/mcp.json", own)
	// https://code.visualstudio.com/docs/copilot/reference/mcp-configuration for the files,
	// …/docs/configure/settings and …/docs/configure/profiles for their folders.
	l.vscode(config.VSCode, "Code")
	l.project(".vscode/mcp.json", own)
	l.project(".vscode/settings.json", shared)
	l.vscode(config.VSCodeInsiders, "Code - Insiders")
	// https://docs.windsurf.com/windsurf/cascade/mcp, and …/plugins/cascade/mcp for the
	// plugins of other editors.
	l.client(config.Windsurf)
	l.home(".codeium/windsurf/mcp_config.json", own)
	l.home(".codeium/mcp_config.json", own)
	// https://developers.openai.com/codex/mcp; the members are those of
	// codex-rs/config/src/mcp_types.rs in github.com/openai/codex.
	l.client(config.Codex)
	l.homeOr("CODEX_HOME", "config.toml", ".codex/config.toml", shared)
	l.project(".codex/config.toml", shared)
	// https://geminicli.com/docs/cli/configuration, docs/tools/mcp-server.md in
	// github.com/google-gemini/gemini-cli.
	l.client(config.Gemini)
	l.system(shared, "/etc/gemini-cli/system-defaults.json", "/Library/Application Support/GeminiCli/system-defaults.json", `C:\ProgramData\gemini-cli\system-defaults.json`)
	l.home(".gemini/settings.json", shared)
	l.system(shared, "/etc/gemini-cli/settings.json", "/Library/Application Support/GeminiCli/settings.json", `C:\ProgramData\gemini-cli\settings.json`)
	l.project(".gemini/settings.json", shared)
	// https://zed.dev/docs/ai/mcp and https://zed.dev/docs/configuring-zed: on macOS too the
	// folder is ~/.config/zed.
	l.client(config.Zed)
	if h.OS == "windows" {
		l.config("Zed/settings.json", shared)
	} else {
		l.xdg("zed/settings.json", shared)
	}
	l.project(".zed/settings.json", shared)
	// https://opencode.ai/docs/config and …/docs/mcp-servers, https://opencode.ai/v2/docs/mcp-servers.
	// The folder is ~/.config/opencode on every system.
	l.client(config.OpenCode)
	for _, name := range []string{"opencode.json", "opencode.jsonc"} {
		l.xdg("opencode/"+name, shared)
		l.project(name, shared)
		l.project(".opencode/"+name, shared)
	}
	l.envFile("OPENCODE_CONFIG", shared)
	// https://docs.cline.bot/getting-started/config for ~/.cline; the file in VS Code's storage
	// is that of the extension before it.
	l.client(config.Cline)
	l.envFile("CLINE_MCP_SETTINGS_PATH", own)
	l.home(".cline/data/settings/cline_mcp_settings.json", own)
	for _, editor := range editors {
		l.config(editor+"/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", own)
	}
	// https://docs.roocode.com/features/mcp/using-mcp-in-roo
	l.client(config.Roo)
	for _, editor := range editors {
		l.config(editor+"/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json", own)
	}
	l.project(".roo/mcp.json", own)
	// https://kiro.dev/docs/mcp/configuration and https://kiro.dev/docs/cli/mcp/configuration.
	l.client(config.Kiro)
	l.home(".kiro/settings/mcp.json", own)
	l.home(".kiro/agents/*", shared)
	l.project(".kiro/settings/mcp.json", own)
	l.project(".kiro/agents/*", shared)
	// docs/customize/deep-dives/mcp.mdx in github.com/continuedev/continue, https://docs.continue.dev/reference.
	l.client(config.Continue)
	l.home(".continue/config.yaml", shared)
	l.home(".continue/config.json", shared)
	l.home(".continue/mcpServers/*", own)
	l.project(".continue/mcpServers/*", own)
	// https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/qdev-mcp.html; mcp.json is
	// the form before agents, which are read still.
	l.client(config.AmazonQ)
	l.home(".aws/amazonq/mcp.json", own)
	l.home(".aws/amazonq/agents/*", shared)
	l.home(".aws/amazonq/cli-agents/*", shared)
	l.project(".amazonq/mcp.json", own)
	l.project(".amazonq/cli-agents/*", shared)
	return l.out
}

// editors are the folders of VS Code and of editors made from it, which run its extensions.
var editors = []string{"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"}

// A use says whether a file is there for servers or for other settings too.
type use bool

const (
	own    use = false
	shared use = true
)

type listing struct {
	Host
	now config.Client
	out []where
}

func (l *listing) client(c config.Client) { l.now = c }

func (l *listing) add(path, project string, u use) {
	l.out = append(l.out, where{path, Hint{Client: l.now, Project: project, Optional: bool(u)}})
}

func (l *listing) home(path string, u use) { l.add(l.join(l.Home, path), "", u) }

// homeOr adds a file of a folder that an environment variable names, or one in the home.
func (l *listing) homeOr(variable, name, path string, u use) {
	if dir := l.env(variable); dir != "" {
		l.add(l.join(dir, name), "", u)
		return
	}
	l.home(path, u)
}

func (l *listing) envFile(variable string, u use) {
	if path := l.env(variable); path != "" {
		l.add(path, "", u)
	}
}

// project adds a file of the project at hand.
func (l *listing) project(path string, u use) {
	if l.Cwd != "" {
		l.add(l.join(l.Cwd, path), l.Cwd, u)
	}
}

// config adds a file of the folder in which the system keeps the settings of programs.
func (l *listing) config(path string, u use) {
	switch l.OS {
	case "windows":
		if dir := l.env("APPDATA"); dir != "" {
			l.add(l.join(dir, path), "", u)
			return
		}
		l.home("AppData/Roaming/"+path, u)
	case "darwin":
		l.home("Library/Application Support/"+path, u)
	default:
		l.xdg(path, u)
	}
}

// xdg adds a file of ~/.config, or of what XDG_CONFIG_HOME says.
func (l *listing) xdg(path string, u use) { l.homeOr("XDG_CONFIG_HOME", path, ".config/"+path, u) }

// system adds the files that an administrator writes for all users.
func (l *listing) system(u use, linux, darwin string, windows ...string) {
	switch l.OS {
	case "windows":
		for _, p := range windows {
			l.add(p, "", u)
		}
	case "darwin":
		l.add(darwin, "", u)
	default:
		l.add(linux, "", u)
	}
}

// vscode adds the user's files of VS Code: those of the default profile and of the others.
func (l *listing) vscode(c config.Client, folder string) {
	l.client(c)
	l.config(folder+"/User/mcp.json", own)
	l.config(folder+"/User/settings.json", shared)
	l.config(folder+"/User/profiles/*/mcp.json", own)
}
