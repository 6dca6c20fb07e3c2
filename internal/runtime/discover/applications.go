package discover

import "gauntlet/internal/engine/check/config"

// applications are the MCP clients whose configurations are found and read, in the order in
// which they are read. A new client is one value here and one fixture in testdata; the table of
// docs/machine.md follows by -update.
var applications = []Application{
	{
		Client: "claude-desktop", Title: "Claude Desktop",
		// The page names macOS and Windows. There is no client for Linux from its maker; builds of
		// the community use the folder below.
		Sources: []string{"https://modelcontextprotocol.io/docs/develop/connect-local-servers"},
		Places:  []Place{inConfig("Claude/claude_desktop_config.json").alsoNamed("claude_desktop_config.json")},
	},
	{
		Client: "claude-code", Title: "Claude Code",
		Sources: []string{"https://code.claude.com/docs/en/mcp", "https://code.claude.com/docs/en/settings"}, // managed-mcp.json, CLAUDE_CONFIG_DIR
		Places: []Place{
			inHome(".claude.json").or("CLAUDE_CONFIG_DIR", ".claude.json").shared().alsoNamed(".claude.json"),
			ofSystem("/etc/claude-code/managed-mcp.json", "/Library/Application Support/ClaudeCode/managed-mcp.json", `C:\Program Files\ClaudeCode\managed-mcp.json`, `C:\ProgramData\ClaudeCode\managed-mcp.json`).alsoNamed("managed-mcp.json"),
			inProject(".mcp.json"),
		},
		References: []string{"${"}, Folders: true,
		recognise: func(root *node, _ Format) bool { return root.get("projects") != nil && root.get("mcpServers") != nil },
	},
	{
		Client: "cursor", Title: "Cursor",
		Sources:    []string{"https://cursor.com/docs/mcp"},
		Places:     []Place{inHome(".cursor/mcp.json"), inProject(".cursor/mcp.json")},
		References: []string{"${env:"}, Folders: true,
	},
	vscode("vscode", "VS Code", "Code", inProject(".vscode/mcp.json"), inProject(".vscode/settings.json").shared()),
	vscode("vscode-insiders", "VS Code Insiders", "Code - Insiders"),
	{
		Client: "windsurf", Title: "Windsurf",
		// The second page is about the plugins of other editors.
		Sources: []string{"https://docs.windsurf.com/windsurf/cascade/mcp", "https://docs.windsurf.com/plugins/cascade/mcp"},
		Places: []Place{
			inHome(".codeium/windsurf/mcp_config.json").alsoNamed("windsurf/mcp_config.json"),
			inHome(".codeium/mcp_config.json"),
		},
		References: []string{"${", "${env:"},
	},
	{
		Client: "codex", Title: "Codex",
		// The members are those of codex-rs/config/src/mcp_types.rs.
		Sources:        []string{"https://developers.openai.com/codex/mcp", "https://github.com/openai/codex"},
		Places:         []Place{inHome(".codex/config.toml").or("CODEX_HOME", "config.toml").shared(), inProject(".codex/config.toml").shared()},
		NamesVariables: true,
		recognise:      func(root *node, format Format) bool { return format == TOML && root.get("mcp_servers") != nil },
	},
	{
		Client: "gemini-cli", Title: "Gemini CLI",
		Sources: []string{"https://geminicli.com/docs/cli/configuration", "https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md"},
		Places: []Place{
			ofSystem("/etc/gemini-cli/system-defaults.json", "/Library/Application Support/GeminiCli/system-defaults.json", `C:\ProgramData\gemini-cli\system-defaults.json`).shared(),
			inHome(".gemini/settings.json").shared(),
			ofSystem("/etc/gemini-cli/settings.json", "/Library/Application Support/GeminiCli/settings.json", `C:\ProgramData\gemini-cli\settings.json`).shared(),
			inProject(".gemini/settings.json").shared(),
		},
		References: []string{"${", "$"}, URLIsSSE: true, Excludes: true,
	},
	{
		Client: "zed", Title: "Zed",
		// On macOS too the folder is ~/.config/zed.
		Sources: []string{"https://zed.dev/docs/ai/mcp", "https://zed.dev/docs/configuring-zed"},
		Places: []Place{
			inXDG("zed/settings.json").on("linux", "darwin").shared(),
			inConfig("Zed/settings.json").on("windows").shared(),
			inProject(".zed/settings.json").shared(),
		},
		recognise: func(root *node, _ Format) bool { return root.get("context_servers") != nil },
	},
	{
		Client: "opencode", Title: "OpenCode",
		// The folder is ~/.config/opencode on every system.
		Sources: []string{"https://opencode.ai/docs/config", "https://opencode.ai/docs/mcp-servers", "https://opencode.ai/v2/docs/mcp-servers"},
		Places: []Place{
			inXDG("opencode/opencode.json").shared(), inProject("opencode.json").shared(), inProject(".opencode/opencode.json").shared(),
			inXDG("opencode/opencode.jsonc").shared(), inProject("opencode.jsonc").shared(), inProject(".opencode/opencode.jsonc").shared(),
			namedBy("OPENCODE_CONFIG").shared(),
		},
		References: []string{"{env:"},
		recognise:  func(root *node, _ Format) bool { return root.get("$schema").mentions("opencode.ai") },
	},
	{
		Client: "cline", Title: "Cline",
		// The file in VS Code's storage is that of the extension before ~/.cline.
		Sources: []string{"https://docs.cline.bot/getting-started/config"},
		Places: append([]Place{namedBy("CLINE_MCP_SETTINGS_PATH"), inHome(".cline/data/settings/cline_mcp_settings.json").alsoNamed("cline_mcp_settings.json")},
			inEditors("saoudrizwan.claude-dev/settings/cline_mcp_settings.json")...),
		References: []string{"${env:"},
	},
	{
		Client: "roo-code", Title: "Roo Code",
		Sources:    []string{"https://docs.roocode.com/features/mcp/using-mcp-in-roo"},
		Places:     append(inEditors("rooveterinaryinc.roo-cline/settings/mcp_settings.json"), inProject(".roo/mcp.json")),
		References: []string{"${env:"}, Folders: true,
	},
	{
		Client: "kiro", Title: "Kiro",
		Sources: []string{"https://kiro.dev/docs/mcp/configuration", "https://kiro.dev/docs/cli/mcp/configuration"},
		Places: []Place{
			inHome(".kiro/settings/mcp.json"), inHome(".kiro/agents/*").shared(),
			inProject(".kiro/settings/mcp.json"), inProject(".kiro/agents/*").shared(),
		},
		References: []string{"${"},
	},
	{
		Client: "continue", Title: "Continue",
		Sources: []string{"https://github.com/continuedev/continue/blob/main/docs/customize/deep-dives/mcp.mdx", "https://docs.continue.dev/reference"},
		Places: []Place{
			inHome(".continue/config.yaml").shared(), inHome(".continue/config.json").shared(),
			inHome(".continue/mcpServers/*"), inProject(".continue/mcpServers/*"),
		},
		recognise: func(root *node, _ Format) bool {
			return root.get("mcpServers") != nil && root.get("mcpServers").kind == list
		},
		commonForm: true,
	},
	{
		Client: "amazon-q", Title: "Amazon Q",
		// mcp.json is the form before agents, which are read still.
		Sources: []string{"https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/qdev-mcp.html"},
		Places: []Place{
			inHome(".aws/amazonq/mcp.json"), inHome(".aws/amazonq/agents/*").shared().alsoNamed("amazonq/agents/*"),
			inHome(".aws/amazonq/cli-agents/*").shared().alsoNamed("amazonq/cli-agents/*"),
			inProject(".amazonq/mcp.json"), inProject(".amazonq/cli-agents/*").shared(),
		},
		References: []string{"${", "${env:"},
	},
}

// generic is what is known of a file that no client can be told from.
var generic = Application{Client: config.Generic, Title: "mcp.json", References: []string{"${", "${env:", "{env:"}, Folders: true}

// vscode is an edition of VS Code: it has the user's files of the default profile and of the
// others, below a folder of its own.
func vscode(client config.Client, title, folder string, project ...Place) Application {
	a := Application{
		Client: client, Title: title,
		Sources: []string{
			"https://code.visualstudio.com/docs/copilot/reference/mcp-configuration",
			"https://code.visualstudio.com/docs/configure/settings", "https://code.visualstudio.com/docs/configure/profiles",
		},
		Places: append([]Place{
			inConfig(folder + "/User/mcp.json"), inConfig(folder + "/User/settings.json").shared(), inConfig(folder + "/User/profiles/*/mcp.json"),
		}, project...),
		References: []string{"${env:"}, Folders: true,
	}
	if len(project) > 0 { // a file that is in none of these places is of the ordinary edition
		a.recognise, a.commonForm = func(root *node, _ Format) bool { return root.get("servers") != nil }, true
	}
	return a
}

// inEditors is a file in the storage that VS Code, and editors made from it, give an extension.
func inEditors(path string) []Place {
	var out []Place
	for _, editor := range []string{"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"} {
		out = append(out, inConfig(editor+"/User/globalStorage/"+path).alsoNamed(path))
	}
	return out
}
