package discover

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/check/config"
)

// applications lists the supported MCP clients in reading order. A new client is one value here and one fixture in testdata; the
// table in docs/machine.md is updated by -update.
var applications = []Application{
	{
		Client: "claude-desktop", Title: "Claude Desktop",
		// The page covers macOS and Windows. The maker has no Linux client; community builds use the folder below.
		Sources: []string{"https://modelcontextprotocol.io/docs/develop/connect-local-servers"},
		Places:  []Place{inConfig("Claude/claude_desktop_config.json").alsoNamed("claude_desktop_config.json")},
		Reads:   []Place{inConfig("Claude/Claude Extensions/*/manifest.json").shared(), inConfig("Claude/Claude Extensions Settings/*").shared()},
	},
	{
		Client: "claude-code", Title: "Claude Code",
		Sources: []string{"https://code.claude.com/docs/en/mcp", "https://code.claude.com/docs/en/settings"}, // managed-mcp.json, CLAUDE_CONFIG_DIR
		Places: []Place{
			inHome(".claude.json").or("CLAUDE_CONFIG_DIR", ".claude.json").shared().alsoNamed(".claude.json"),
			ofSystem("/etc/claude-code/managed-mcp.json", "/Library/Application Support/ClaudeCode/managed-mcp.json", `C:\Program Files\ClaudeCode\managed-mcp.json`, `C:\ProgramData\ClaudeCode\managed-mcp.json`).alsoNamed("managed-mcp.json"),
			inProject(".mcp.json"),
		},
		Reads: []Place{
			ofSystem("/etc/claude-code/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.json", `C:\Program Files\ClaudeCode\managed-settings.json`, `C:\ProgramData\ClaudeCode\managed-settings.json`).shared(),
			ofSystem("/etc/claude-code/CLAUDE.md", "/Library/Application Support/ClaudeCode/CLAUDE.md", `C:\Program Files\ClaudeCode\CLAUDE.md`, `C:\ProgramData\ClaudeCode\CLAUDE.md`).as(config.Instructions),
			inClaude("settings.json").shared(), inClaude("settings.local.json").shared(), inClaude(".mcp.json").shared(), inClaude("mcp.json").shared(),
			inClaude("CLAUDE.md").as(config.Instructions), inClaude("rules/**").as(config.Instructions), inClaude("output-styles/**").as(config.Instructions),
			inClaude("skills/**").as(config.Skill), inClaude("commands/**").as(config.Command), inClaude("agents/**").as(config.Subagent), inClaude("hooks/**").as(config.Script),
			inClaude("plugins/cache/**").as(config.Plugin), inClaude("plugins/marketplaces/**").as(config.Plugin), inClaude("plugins/repos/**").as(config.Plugin),
			inClaude("projects/*/memory/**").as(config.Instructions), inClaude("agent-memory/**").as(config.Instructions),
			inProject(".claude-plugin/marketplace.json").shared(), inProject(".claude/settings.json").shared(), inProject(".claude/settings.local.json").shared(),
			inProject("CLAUDE.md").as(config.Instructions), inProject("CLAUDE.local.md").as(config.Instructions), inProject(".claude/CLAUDE.md").as(config.Instructions),
			inProject(".claude/rules/**").as(config.Instructions), inProject(".claude/output-styles/**").as(config.Instructions), inProject(".claude/agent-memory/**").as(config.Instructions),
			inProject(".claude/skills/**").as(config.Skill), inProject(".claude/commands/**").as(config.Command), inProject(".claude/agents/**").as(config.Subagent), inProject(".claude/hooks/**").as(config.Script), inProject(".claude/scripts/**").as(config.Script),
		},
		References: []string{"${"}, Folders: true,
		recognise: func(root *node, _ Format) bool { return root.get("projects") != nil && root.get("mcpServers") != nil },
	},
	{
		Client: "cursor", Title: "Cursor",
		Sources: []string{"https://cursor.com/docs/mcp", "https://cursor.com/docs/reference/permissions", "https://cursor.com/docs/configuration/worktrees"},
		Places:  []Place{inHome(".cursor/mcp.json"), inProject(".cursor/mcp.json")},
		Reads: slices.Concat(both(".cursor/rules/**", config.Instructions), both(".cursor/commands/**", config.Command), both(".cursor/agents/**", config.Subagent),
			both(".cursor/skills/**", config.Skill), both(".cursor/hooks/**", config.Script), []Place{
				inHome(".cursor/hooks.json").shared(), inProject(".cursor/hooks.json").shared(), inHome(".cursor/cli-config.json").shared(), inProject(".cursor/cli.json").shared(), inHome(".cursor/permissions.json").shared(), inProject(".cursor/permissions.json").shared(),
				inProject(".cursor/sandbox.json").shared(), inProject(".cursor/environment.json").shared(), inProject(".cursor/worktrees.json").shared(), inProject(".cursorrules").as(config.Instructions), inConfig("Cursor/User/settings.json").shared(), inHome(".cursor/plugins/**").as(config.Plugin),
			}),
		References: []string{"${env:"}, Folders: true,
	},
	vscode("vscode", "VS Code", "Code", inProject(".vscode/mcp.json"), inProject(".vscode/settings.json").shared(), inProject(".vscode/tasks.json").shared(), inProject(".vscode/launch.json").shared(), inProject(".devcontainer/devcontainer.json").shared(), inProject(".devcontainer.json").shared(), inProject(".devcontainer/*/devcontainer.json").shared(), inProject(".devcontainer/**").as(config.Script), inProject("*.code-workspace").shared()),
	vscode("vscode-insiders", "VS Code Insiders", "Code - Insiders"),
	{
		Client: "windsurf", Title: "Windsurf",
		// The second page is about plugins for other editors.
		Sources: []string{"https://docs.windsurf.com/windsurf/cascade/mcp", "https://docs.windsurf.com/plugins/cascade/mcp"},
		Places: []Place{
			inHome(".codeium/windsurf/mcp_config.json").alsoNamed("windsurf/mcp_config.json"),
			inHome(".codeium/mcp_config.json"),
		},
		Reads: []Place{
			inHome(".codeium/windsurf/memories/**").as(config.Instructions), inHome(".codeium/windsurf/global_workflows/**").as(config.Command), inHome(".codeium/windsurf/skills/**").as(config.Skill),
			inHome(".codeium/windsurf/hooks.json").shared(), inProject(".windsurf/hooks.json").shared(), inConfig("Windsurf/User/settings.json").shared(),
			inProject(".windsurfrules").as(config.Instructions), inProject(".windsurf/rules/**").as(config.Instructions), inProject(".windsurf/workflows/**").as(config.Command), inProject(".windsurf/skills/**").as(config.Skill), inProject(".windsurf/mcp.json"), inProject(".windsurf/mcp_config.json"),
		},
		References: []string{"${", "${env:"},
	},
	{
		Client: "codex", Title: "Codex",
		// Members as in codex-rs/config/src/mcp_types.rs.
		Sources: []string{"https://developers.openai.com/codex/mcp", "https://developers.openai.com/codex/config-advanced", "https://github.com/openai/codex"}, // profiles
		Places:  []Place{inHome(".codex/config.toml").or("CODEX_HOME", "config.toml").shared(), inHome(".codex/*.config.toml").or("CODEX_HOME", "*.config.toml").shared(), inProject(".codex/config.toml").shared()},
		Reads: []Place{
			inHome(".codex/AGENTS.md").or("CODEX_HOME", "AGENTS.md").as(config.Instructions), inHome(".codex/AGENTS.override.md").or("CODEX_HOME", "AGENTS.override.md").as(config.Instructions), inHome(".codex/instructions.md").as(config.Instructions),
			inHome(".codex/prompts/**").or("CODEX_HOME", "prompts/**").as(config.Command), inHome(".codex/skills/**").or("CODEX_HOME", "skills/**").as(config.Skill), inHome(".codex/rules/**").as(config.Instructions),
			inHome(".codex/hooks.json").shared(), inHome(".codex/hooks/**").as(config.Script), inHome(".codex/memories/**").as(config.Instructions), inHome(".codex/agents/**").as(config.Subagent),
			ofSystem("/etc/codex/config.toml", "/etc/codex/config.toml", `C:\ProgramData\OpenAI\Codex\config.toml`).shared(),
			inProject(".codex/hooks.json").shared(), inProject(".codex/hooks/**").as(config.Script), inProject(".codex/prompts/**").as(config.Command), inProject(".codex/skills/**").as(config.Skill), inProject(".codex/agents/**").as(config.Subagent), inProject("AGENTS.override.md").as(config.Instructions),
		},
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
		Reads: slices.Concat(both(".gemini/commands/**", config.Command), both(".gemini/agents/**", config.Subagent), both(".gemini/skills/**", config.Skill), both(".gemini/hooks/**", config.Script), []Place{
			inHome(".gemini/extensions/**").as(config.Plugin), inProject(".gemini/extensions/**").as(config.Plugin), inHome(".gemini/GEMINI.md").as(config.Instructions), inHome(".gemini/policies/**").as(config.Instructions),
			inProject(".gemini/.env").shared(), inHome(".gemini/.env").shared(), inProject("GEMINI.md").as(config.Instructions), inProject(".gemini/GEMINI.md").as(config.Instructions), inProject(".gemini/system.md").as(config.Instructions), inHome(".gemini/trustedFolders.json").shared(),
		}),
		References: []string{"${", "$"}, URLIsSSE: true, Excludes: true,
	},
	{
		Client: "zed", Title: "Zed",
		// On macOS too the folder is ~/.config/zed.
		Sources: []string{"https://zed.dev/docs/ai/mcp", "https://zed.dev/docs/configuring-zed", "https://zed.dev/docs/tasks", "https://zed.dev/docs/ai/instructions"},
		Places: []Place{
			inXDG("zed/settings.json").on("linux", "darwin").shared(),
			inConfig("Zed/settings.json").on("windows").shared(),
			inProject(".zed/settings.json").shared(),
		},
		Reads: []Place{
			inProject(".zed/tasks.json").shared(), inXDG("zed/tasks.json").on("linux", "darwin").shared(), inConfig("Zed/tasks.json").on("windows").shared(), inProject(".rules").as(config.Instructions),
			inXDG("zed/AGENTS.md").on("linux", "darwin").as(config.Instructions), inConfig("Zed/AGENTS.md").on("windows").as(config.Instructions), inXDG("zed/prompts/**").as(config.Instructions),
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
		Reads:      append(inTrees(inXDG("opencode/"), inProject(".opencode/")), inXDG("opencode/AGENTS.md").as(config.Instructions)),
		References: []string{"{env:"}, AllServers: true,
		recognise: func(root *node, _ Format) bool { return strings.Contains(root.get("$schema").str(), "opencode.ai") },
	},
	{
		Client: "cline", Title: "Cline",
		// The file in VS Code's storage belongs to the extension before ~/.cline.
		Sources: []string{"https://docs.cline.bot/getting-started/config"},
		Places: append([]Place{namedBy("CLINE_MCP_SETTINGS_PATH"), inHome(".cline/data/settings/cline_mcp_settings.json").alsoNamed("cline_mcp_settings.json")},
			inEditors("saoudrizwan.claude-dev/settings/cline_mcp_settings.json")...),
		Reads: []Place{
			inHome("Documents/Cline/Rules/**").as(config.Instructions), inHome("Documents/Cline/Workflows/**").as(config.Command), inHome("Documents/Cline/Hooks/**").as(config.Script), inHome(".cline/rules/**").as(config.Instructions), inHome(".cline/skills/**").as(config.Skill),
			inHome(".cline/data/globalState.json").shared(), inProject(".clinerules").as(config.Instructions), inProject(".clinerules/hooks/**").as(config.Script), inProject(".clinerules/workflows/**").as(config.Command), inProject(".clinerules/skills/**").as(config.Skill), inProject(".clinerules/**").as(config.Instructions), inProject(".cline/skills/**").as(config.Skill),
		},
		References: []string{"${env:"},
	},
	{
		Client: "roo-code", Title: "Roo Code",
		Sources: []string{"https://docs.roocode.com/features/mcp/using-mcp-in-roo"},
		Places:  append(inEditors("rooveterinaryinc.roo-cline/settings/mcp_settings.json"), inProject(".roo/mcp.json")),
		Reads: append(slices.Concat(both(".roo/rules/**", config.Instructions), both(".roo/commands/**", config.Command), both(".roo/skills/**", config.Skill), sharedPlaces(inEditors("rooveterinaryinc.roo-cline/settings/custom_modes.yaml"))),
			inProject(".roo/rules-*/**").as(config.Instructions), inHome(".roo/rules-*/**").as(config.Instructions), inProject(".roorules").as(config.Instructions), inProject(".roorules-*").as(config.Instructions), inProject(".roomodes").shared()),
		References: []string{"${env:"}, Folders: true,
	},
	{
		Client: "kiro", Title: "Kiro",
		Sources: []string{"https://kiro.dev/docs/mcp/configuration", "https://kiro.dev/docs/cli/mcp/configuration", "https://kiro.dev/docs/hooks/", "https://kiro.dev/docs/powers/create"},
		Places: []Place{
			inHome(".kiro/settings/mcp.json"), inHome(".kiro/agents/*").shared(),
			inProject(".kiro/settings/mcp.json"), inProject(".kiro/agents/*").shared(),
		},
		Reads: slices.Concat(both(".kiro/steering/**", config.Instructions), both(".kiro/prompts/**", config.Command), both(".kiro/skills/**", config.Skill), []Place{
			inProject(".kiro/hooks/*.kiro.hook").shared(), inProject(".kiro/hooks/*").shared(), inHome(".kiro/hooks/*").shared(), inHome(".kiro/settings/cli.json").shared(), inConfig("Kiro/User/settings.json").shared(), inHome(".kiro/powers/**").as(config.Plugin),
		}),
		References: []string{"${"},
	},
	{
		Client: "continue", Title: "Continue",
		Sources: []string{"https://github.com/continuedev/continue/blob/main/docs/customize/deep-dives/mcp.mdx", "https://docs.continue.dev/reference"},
		Places: []Place{
			inHome(".continue/config.yaml").shared(), inHome(".continue/config.json").shared(),
			inHome(".continue/mcpServers/*"), inProject(".continue/mcpServers/*"),
		},
		Reads: append(slices.Concat(both(".continue/rules/**", config.Instructions), both(".continue/prompts/**", config.Command), both(".continue/skills/**", config.Skill)),
			inHome(".continue/permissions.yaml").shared(), inProject(".continuerules").as(config.Instructions), inHome(".continue/assistants/*").shared(), inProject(".continue/assistants/*").shared(), inProject(".continue/agents/**").as(config.Subagent)),
		recognise: func(root *node, _ Format) bool {
			return root.get("mcpServers") != nil && root.get("mcpServers").kind == list
		},
		commonForm: true,
	},
	{
		Client: "amazon-q", Title: "Amazon Q",
		// mcp.json is the form before agents and is still read.
		Sources: []string{"https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/qdev-mcp.html"},
		Places: []Place{
			inHome(".aws/amazonq/mcp.json"), inHome(".aws/amazonq/agents/*").shared().alsoNamed("amazonq/agents/*"),
			inHome(".aws/amazonq/cli-agents/*").shared().alsoNamed("amazonq/cli-agents/*"),
			inProject(".amazonq/mcp.json"), inProject(".amazonq/cli-agents/*").shared(),
		},
		Reads:      []Place{inHome(".aws/amazonq/prompts/**").as(config.Command), inProject(".amazonq/rules/**").as(config.Instructions), inProject(".amazonq/prompts/**").as(config.Command), inProject(".amazonq/default.json").shared(), inHome(".aws/amazonq/default.json").shared()},
		References: []string{"${", "${env:"},
	},
	{
		Client: "copilot-cli", Title: "GitHub Copilot",
		Sources: []string{"https://docs.github.com/en/copilot/how-tos/use-copilot-agents/use-copilot-cli", "https://docs.github.com/en/copilot/how-tos/configure-custom-instructions"},
		Places: []Place{
			inHome(".copilot/mcp-config.json").or("COPILOT_HOME", "mcp-config.json").alsoNamed("mcp-config.json"), inXDG("mcp-config.json"), inProject(".copilot/mcp-config.json"), inProject(".github/mcp.json"),
			inXDG("github-copilot/intellij/mcp.json").on("linux", "darwin"), inLocal("github-copilot/intellij/mcp.json").on("windows"),
		},
		Reads: []Place{
			inHome(".copilot/settings.json").or("COPILOT_HOME", "settings.json").shared(), inHome(".copilot/config.json").or("COPILOT_HOME", "config.json").shared(), inHome(".copilot/hooks/*").shared(),
			inHome(".copilot/copilot-instructions.md").as(config.Instructions), inHome(".copilot/instructions/**").as(config.Instructions), inHome(".copilot/agents/**").as(config.Subagent), inHome(".copilot/skills/**").as(config.Skill), inHome(".copilot/installed-plugins/**").as(config.Plugin),
			inProject(".github/copilot-instructions.md").as(config.Instructions), inProject("copilot-instructions.md").as(config.Instructions), inProject(".github/instructions/**").as(config.Instructions), inProject("*.instructions.md").as(config.Instructions),
			inProject(".github/prompts/**").as(config.Command), inProject("*.prompt.md").as(config.Command), inProject(".github/chatmodes/**").as(config.Subagent), inProject("*.chatmode.md").as(config.Subagent), inProject(".github/agents/**").as(config.Subagent), inProject("*.agent.md").as(config.Subagent),
			inProject(".github/skills/**").as(config.Skill), inProject(".github/hooks/*").shared(), inProject(".github/hooks/**").as(config.Script), inProject(".github/copilot/settings.json").shared(), inProject(".github/workflows/copilot-setup-steps.yml").shared(),
		},
		References: []string{"${", "${env:"},
	},
	{
		Client: "visual-studio", Title: "Visual Studio",
		Sources:    []string{"https://learn.microsoft.com/en-us/visualstudio/ide/mcp-servers"},
		Places:     []Place{inHome(".mcp.json"), inProject(".vs/mcp.json")},
		References: []string{"${env:"}, Folders: true,
	},
	{
		Client: "kilo-code", Title: "Kilo Code",
		// Places with kilocode in them are those before version 7.
		Sources: []string{"https://kilo.ai/docs/automate/mcp/using-in-kilo-code", "https://kilo.ai/docs/customize/custom-rules", "https://github.com/Kilo-Org/kilocode/tree/main/packages/kilo-docs/pages"},
		Places: append(inEditors("kilocode.kilo-code/settings/mcp_settings.json"), inProject(".kilocode/mcp.json"), inHome(".kilocode/cli/global/settings/mcp_settings.json"), inProject(".kilo/mcp.json"),
			inXDG("kilo/kilo.json").shared(), inXDG("kilo/kilo.jsonc").shared(), inProject("kilo.json").shared(), inProject("kilo.jsonc").shared(), inProject(".kilo/kilo.json").shared(), inProject(".kilo/kilo.jsonc").shared()),
		Reads: append(slices.Concat(both(".kilocode/rules/**", config.Instructions), both(".kilocode/workflows/**", config.Command), both(".kilocode/skills/**", config.Skill), both(".kilo/rules/**", config.Instructions), inTrees(inXDG("kilo/"), inProject(".kilo/"), inHome(".kilo/"))),
			inXDG("kilo/AGENTS.md").as(config.Instructions), inHome(".kilocode/cli/config.json").shared(), inProject(".kilocode/rules-*/**").as(config.Instructions), inProject(".kilocoderules").as(config.Instructions), inProject(".kilocodemodes").shared()),
		References: []string{"${env:", "{env:"}, Folders: true, AllServers: true,
	},
	{
		Client: "goose", Title: "goose",
		Sources: []string{"https://block.github.io/goose/docs/guides/config-files", "https://block.github.io/goose/docs/guides/using-goosehints", "https://block.github.io/goose/docs/guides/recipes/recipe-reference"},
		Places:  []Place{inXDG("goose/config.yaml").on("linux", "darwin").shared().alsoNamed("goose/config.yaml"), inConfig("Block/goose/config/config.yaml").on("windows").shared()},
		Reads: []Place{
			inXDG("goose/permission.yaml").shared(), inXDG("goose/.goosehints").as(config.Instructions), inXDG("goose/memory/**").as(config.Instructions), inXDG("goose/recipes/*").shared(), inXDG("goose/skills/**").as(config.Skill),
			inProject(".goosehints").as(config.Instructions), inProject(".goose/recipes/*").shared(), inProject("recipe.yaml").shared(), inProject("recipe.json").shared(), inProject(".goose/memory/**").as(config.Instructions), inProject(".goose/skills/**").as(config.Skill),
		},
	},
	{
		Client: "junie", Title: "JetBrains Junie",
		Sources: []string{"https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html", "https://www.jetbrains.com/help/junie/customize-guidelines.html", "https://junie.jetbrains.com/docs/action-allowlist-junie-cli.html"},
		Places:  []Place{inHome(".junie/mcp/mcp.json").alsoNamed(".junie/mcp/mcp.json"), inProject(".junie/mcp/mcp.json"), inConfig("JetBrains/*/options/llm.mcpServers.xml").shared()},
		Reads: append(slices.Concat(both(".junie/skills/**", config.Skill), both(".junie/commands/**", config.Command), both(".junie/agents/**", config.Subagent)),
			inHome(".junie/allowlist.json").shared(), inProject(".junie/allowlist.json").shared(), inHome(".junie/config.json").shared(), inProject(".junie/config.json").shared(), inProject(".junie/guidelines.md").as(config.Instructions), inProject(".junie/AGENTS.md").as(config.Instructions), inProject(".aiassistant/rules/**").as(config.Instructions)),
	},
	{
		Client: "warp", Title: "Warp",
		Sources: []string{"https://docs.warp.dev/agent-platform/capabilities/mcp", "https://docs.warp.dev/agent-platform/capabilities/rules"},
		Places:  []Place{inHome(".warp/mcp.json"), inHome(".warp/.mcp.json"), inProject(".warp/.mcp.json"), inProject(".warp/mcp.json")},
		Reads:   append(both(".warp/skills/**", config.Skill), inProject("WARP.md").as(config.Instructions), inHome(".warp/workflows/**").as(config.Command), inProject(".warp/workflows/**").as(config.Command)),
	},
	{
		Client: "lm-studio", Title: "LM Studio",
		Sources: []string{"https://lmstudio.ai/docs/app/mcp"},
		Places:  []Place{inHome(".lmstudio/mcp.json"), inHome(".cache/lm-studio/mcp.json")},
	},
	{
		Client: "crush", Title: "Crush",
		Sources: []string{"https://github.com/charmbracelet/crush"},
		Places: []Place{
			inXDG("crush/crush.json").shared(), inHome(".local/share/crush/crush.json").on("linux", "darwin").shared(), inLocal("crush/crush.json").on("windows").shared(),
			inProject(".crush.json").shared(), inProject("crush.json").shared(),
		},
		Reads:      []Place{inXDG("crush/skills/**").as(config.Skill), inProject("CRUSH.md").as(config.Instructions), inProject("CRUSH.local.md").as(config.Instructions), inProject(".crush/skills/**").as(config.Skill), inXDG("crush/commands/**").as(config.Command), inProject(".crush/commands/**").as(config.Command)},
		References: []string{"${", "$"},
	},
	{
		Client: "qwen-code", Title: "Qwen Code",
		Sources: []string{"https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings/"},
		Places:  []Place{inHome(".qwen/settings.json").shared(), inProject(".qwen/settings.json").shared(), ofSystem("/etc/qwen-code/settings.json", "/Library/Application Support/QwenCode/settings.json", `C:\ProgramData\qwen-code\settings.json`).shared()},
		Reads: append(slices.Concat(both(".qwen/commands/**", config.Command), both(".qwen/agents/**", config.Subagent), both(".qwen/skills/**", config.Skill)),
			inHome(".qwen/extensions/**").as(config.Plugin), inHome(".qwen/QWEN.md").as(config.Instructions), inProject("QWEN.md").as(config.Instructions)),
		References: []string{"${", "$"}, Excludes: true,
	},
	{
		Client: "trae", Title: "Trae",
		Sources: []string{"https://docs.trae.ai/ide/model-context-protocol"},
		Places:  []Place{inHome(".trae/mcp.json"), inConfig("Trae/User/mcp.json"), inConfig("Trae CN/User/mcp.json"), inProject(".trae/mcp.json")},
		Reads:   append(both(".trae/rules/**", config.Instructions), inHome(".trae/user_rules.md").as(config.Instructions), inHome(".trae/skills/**").as(config.Skill), inProject(".trae/skills/**").as(config.Skill), inConfig("Trae/User/settings.json").shared()),
	},
	{
		Client: "amp", Title: "Amp",
		Sources: []string{"https://ampcode.com/manual", "https://ampcode.com/news/tool-level-permissions", "https://ampcode.com/docs/plugin-api"},
		Places:  []Place{inXDG("amp/settings.json").shared(), inXDG("amp/settings.jsonc").shared(), inProject(".amp/settings.json").shared(), inProject(".amp/settings.jsonc").shared()},
		Reads: []Place{
			inXDG("amp/AGENTS.md").as(config.Instructions), inXDG("AGENTS.md").as(config.Instructions), inXDG("amp/commands/**").as(config.Command), inXDG("amp/skills/**").as(config.Skill), inXDG("agents/skills/**").as(config.Skill), inXDG("amp/tools/**").as(config.Script), inXDG("amp/plugins/**").as(config.Script), inProject(".amp/plugins/**").as(config.Script),
			inProject("AGENT.md").as(config.Instructions), inProject(".agents/commands/**").as(config.Command), inProject(".agents/checks/**").as(config.Instructions),
		},
		References: []string{"${"},
	},
	{
		Client: "augment", Title: "Augment",
		Sources: []string{"https://docs.augmentcode.com/cli/integrations", "https://docs.augmentcode.com/setup-augment/mcp", "https://docs.augmentcode.com/cli/permissions", "https://docs.augmentcode.com/cli/hooks"},
		Places:  append([]Place{inHome(".augment/settings.json").shared(), inProject(".augment/settings.json").shared(), inProject(".augment/settings.local.json").shared()}, inEditors("augment.vscode-augment/augment-global-state/mcpServers.json")...),
		Reads:   append(slices.Concat(both(".augment/rules/**", config.Instructions), both(".augment/commands/**", config.Command), both(".augment/agents/**", config.Subagent), both(".augment/skills/**", config.Skill)), inProject(".augment-guidelines").as(config.Instructions), inHome(".augment/hooks/**").as(config.Script), ofSystem("/etc/augment/settings.json", "/etc/augment/settings.json", `C:\ProgramData\Augment\settings.json`).shared()),
	},
	{
		Client: "factory", Title: "Factory Droid",
		Sources: []string{"https://docs.factory.ai/cli/configuration/mcp", "https://docs.factory.ai/user-guides/factory-bridge/model-context-protocol", "https://docs.factory.ai/droid-cli/settings"},
		Places:  []Place{inHome(".factory/mcp.json"), inProject(".factory/mcp.json"), inConfig("Factory Bridge/mcp.json")},
		Reads: append(slices.Concat(both(".factory/commands/**", config.Command), both(".factory/droids/**", config.Subagent), both(".factory/skills/**", config.Skill), both(".factory/hooks/**", config.Script)),
			inHome(".factory/settings.json").shared(), inProject(".factory/settings.json").shared(), inHome(".factory/settings.local.json").shared(), inProject(".factory/settings.local.json").shared(), inHome(".factory/hooks.json").shared(), inProject(".factory/hooks.json").shared(), inHome(".factory/AGENTS.md").as(config.Instructions), inHome(".factory/memories.md").as(config.Instructions)),
		References: []string{"${"},
	},
	{
		Client: "antigravity", Title: "Antigravity",
		Sources: []string{"https://antigravity.google/docs/mcp"},
		Places:  []Place{inHome(".gemini/antigravity/mcp_config.json"), inHome(".gemini/config/mcp_config.json").alsoNamed(".gemini/config/mcp_config.json"), inProject(".agent/mcp_config.json")},
		Reads: []Place{
			inHome(".gemini/antigravity/global_skills/**").as(config.Skill), inHome(".gemini/antigravity/skills/**").as(config.Skill), inHome(".gemini/antigravity/global_workflows/**").as(config.Command), inConfig("Antigravity/User/settings.json").shared(),
			inProject(".agent/rules/**").as(config.Instructions), inProject(".agent/workflows/**").as(config.Command), inProject(".agent/skills/**").as(config.Skill),
		},
	},
	{
		Client: "rovo-dev", Title: "Rovo Dev",
		Sources: []string{"https://support.atlassian.com/rovo/docs/use-rovo-dev-cli/"},
		Places:  []Place{inHome(".rovodev/mcp.json"), inProject(".rovodev/mcp.json")},
		Reads:   append(both(".rovodev/subagents/**", config.Subagent), inHome(".rovodev/config.yml").shared(), inProject(".rovodev/config.yml").shared(), inHome(".rovodev/prompts.yml").shared(), inProject(".agent.md").as(config.Instructions), inHome(".rovodev/skills/**").as(config.Skill), inProject(".rovodev/skills/**").as(config.Skill)),
	},
	{
		Client: "openclaw", Title: "OpenClaw",
		Sources: []string{"https://docs.openclaw.ai/gateway/configuration", "https://docs.openclaw.ai/tools/skills"},
		Places:  []Place{inHome(".openclaw/openclaw.json").shared(), inHome(".clawdbot/clawdbot.json").shared(), inHome(".moltbot/moltbot.json").shared()},
		Reads: []Place{
			inHome(".openclaw/skills/**").as(config.Skill), inHome(".openclaw/workspace/skills/**").as(config.Skill), inHome(".clawdbot/skills/**").as(config.Skill), inHome(".openclaw/workspace/*.md").as(config.Instructions), inHome(".openclaw/workspace/memory/**").as(config.Instructions),
			inHome(".openclaw/hooks/**").as(config.Script), inHome(".openclaw/extensions/**").as(config.Script), inHome("clawd/*.md").as(config.Instructions), inHome("clawd/skills/**").as(config.Skill),
			inProject("SOUL.md").as(config.Instructions), inProject("HEARTBEAT.md").as(config.Instructions),
		},
		JSON5: true,
	},
	{
		Client: "pi", Title: "Pi",
		Sources: []string{"https://github.com/badlogic/pi-mono"},
		Places:  []Place{inHome(".pi/agent/mcp.json"), inProject(".pi/mcp.json")},
		Reads: []Place{
			inHome(".pi/agent/settings.json").shared(), inHome(".pi/agent/AGENTS.md").as(config.Instructions), inHome(".pi/agent/SYSTEM.md").as(config.Instructions), inHome(".pi/agent/skills/**").as(config.Skill), inHome(".pi/agent/prompts/**").as(config.Command), inHome(".pi/agent/extensions/**").as(config.Script),
			inProject(".pi/settings.json").shared(), inProject(".pi/SYSTEM.md").as(config.Instructions), inProject(".pi/skills/**").as(config.Skill), inProject(".pi/prompts/**").as(config.Command), inProject(".pi/extensions/**").as(config.Script),
		},
	},
	{
		Client: "deepagents", Title: "Deep Agents",
		Sources: []string{"https://docs.langchain.com/oss/python/deepagents/cli"},
		Places:  []Place{inHome(".deepagents/.mcp.json"), inProject(".deepagents/.mcp.json")},
		Reads:   []Place{inHome(".deepagents/*/AGENTS.md").as(config.Instructions), inHome(".deepagents/*/agent.md").as(config.Instructions), inHome(".deepagents/*/skills/**").as(config.Skill), inProject(".deepagents/agent.md").as(config.Instructions), inProject(".deepagents/skills/**").as(config.Skill)},
	},
	{
		Client: "boltai", Title: "BoltAI",
		Sources: []string{"https://docs.boltai.com/docs/plugins/mcp-servers"},
		Places:  []Place{inHome(".boltai/mcp.json")},
	},
	{
		Client: "5ire", Title: "5ire",
		Sources: []string{"https://github.com/nanbingxyz/5ire"},
		Places:  []Place{inConfig("5ire/mcp.json")},
	},
	{
		Client: "witsy", Title: "Witsy",
		Sources: []string{"https://github.com/nbonamy/witsy"},
		Places:  []Place{inConfig("Witsy/settings.json").shared()},
	},
	{
		Client: "librechat", Title: "LibreChat",
		Sources:    []string{"https://www.librechat.ai/docs/configuration/librechat_yaml/object_structure/mcp_servers"},
		Places:     []Place{inProject("librechat.yaml").shared()},
		References: []string{"${"},
	},
	{
		Client: "anythingllm", Title: "AnythingLLM",
		Sources: []string{"https://docs.anythingllm.com/mcp-compatibility/overview"},
		Places:  []Place{inConfig("anythingllm-desktop/storage/plugins/anythingllm_mcp_servers.json").alsoNamed("anythingllm_mcp_servers.json"), inProject("storage/plugins/anythingllm_mcp_servers.json")},
	},
	{
		Client: "raycast", Title: "Raycast",
		Sources: []string{"https://manual.raycast.com/model-context-protocol"},
		Places:  []Place{inConfig("com.raycast.macos/extensions/model-context-protocol/mcp-config.json").on("darwin"), inXDG("raycast/mcp-config.json")},
	},
	{
		Client: "kimi-cli", Title: "Kimi CLI",
		Sources: []string{"https://moonshotai.github.io/kimi-cli/en/reference/kimi-mcp.html", "https://moonshotai.github.io/kimi-code/zh/customization/mcp", "https://moonshotai.github.io/kimi-cli/en/configuration/config-files.html", "https://moonshotai.github.io/kimi-cli/en/customization/hooks.html"},
		Places:  []Place{inHome(".kimi/mcp.json"), inHome(".kimi-code/mcp.json").or("KIMI_CODE_HOME", "mcp.json"), inProject(".kimi-code/mcp.json")},
		Reads:   append(slices.Concat(both(".kimi/skills/**", config.Skill), both(".kimi-code/skills/**", config.Skill)), inHome(".kimi/config.toml").shared(), inHome(".kimi-code/config.toml").shared(), inHome(".kimi/AGENTS.md").as(config.Instructions)),
	},
	{
		Client: "mistral-vibe", Title: "Mistral Vibe",
		Sources: []string{"https://docs.mistral.ai/mistral-vibe/terminal/configuration", "https://docs.mistral.ai/vibe/code/cli/configuration-reference", "https://github.com/mistralai/mistral-vibe"},
		Places:  []Place{inHome(".vibe/config.toml").or("VIBE_HOME", "config.toml").shared(), inProject(".vibe/config.toml").shared()},
		Reads: append(slices.Concat(both(".vibe/skills/**", config.Skill), both(".vibe/prompts/**", config.Instructions)),
			inHome(".vibe/agents/*.toml").shared(), inProject(".vibe/agents/*.toml").shared(), inHome(".vibe/hooks.toml").shared(), inProject(".vibe/hooks.toml").shared(), inHome(".vibe/trusted_folders.toml").shared(), inHome(".vibe/tools/**").as(config.Script), inProject(".vibe/tools/**").as(config.Script), inHome(".vibe/AGENTS.md").as(config.Instructions)),
	},
	{
		Client: "grok-cli", Title: "Grok CLI",
		Sources: []string{"https://github.com/superagent-ai/grok-cli"},
		Places:  []Place{inHome(".grok/user-settings.json").shared(), inHome(".grok/settings.json").shared(), inProject(".grok/settings.json").shared()},
		Reads:   append(both(".grok/GROK.md", config.Instructions), both(".grok/skills/**", config.Skill)...),
	},
	{
		Client: "mcphub.nvim", Title: "mcphub.nvim",
		Sources:    []string{"https://github.com/ravitemer/mcphub.nvim"},
		Places:     []Place{inXDG("mcphub/servers.json").alsoNamed("mcphub/servers.json"), inProject(".mcphub/servers.json")},
		References: []string{"${", "${env:"}, Folders: true,
	},
	{
		Client: "jan", Title: "Jan",
		Sources: []string{"https://www.jan.ai/docs/desktop/integrations/mcp-servers", "https://www.jan.ai/docs/mcp"},
		Places:  []Place{inConfig("Jan/data/mcp_config.json"), inHome("jan/mcp_config.json")},
	},
	{
		Client: "mcphost", Title: "MCPHost",
		Sources: []string{"https://github.com/mark3labs/mcphost"},
		Places:  []Place{inHome(".mcphost.yml").shared(), inHome(".mcphost.json").shared(), inProject(".mcphost.yml").shared()},
	},
	{
		Client: "aider", Title: "Aider",
		Sources: []string{"https://aider.chat/docs/config/aider_conf.html", "https://aider.chat/docs/usage/conventions.html"},
		Reads:   []Place{inHome(".aider.conf.yml").shared(), inProject(".aider.conf.yml").shared()},
	},
	{
		Client: agentSkills, Title: "Agent Skills",
		Sources: []string{"https://agentskills.io/specification", "https://agents.md"},
		Reads: append(both(".agents/skills/**", config.Skill), inProject("AGENTS.md").as(config.Instructions), inProject("AGENTS.local.md").as(config.Instructions), inHome("AGENTS.md").as(config.Instructions),
			inProject("MEMORY.md").as(config.Instructions), inProject("agents/*.md").as(config.Subagent), inProject("agents/*/*.md").as(config.Subagent), inProject("commands/*.md").as(config.Command), inProject("commands/*/*.md").as(config.Command), inProject("hooks/*.json").shared(), inProject("hooks/*.md").as(config.Instructions),
			inProject(".envrc").as(config.Script), inProject(".npmrc").as(config.Script), inProject(".husky/**").as(config.Script), inProject(".githooks/**").as(config.Script), inProject("lefthook.yml").shared(), inProject(".pre-commit-config.yaml").shared(), inProject("mise.toml").shared(), inProject(".mise.toml").shared(), inProject("CONVENTIONS.md").as(config.Instructions), inProject("llms.txt").as(config.Instructions), inProject("*.mdc").as(config.Instructions)),
	},
}

// generic describes a file whose client is unknown.
var generic = Application{Client: config.Generic, Title: "mcp.json", References: []string{"${", "${env:", "{env:"}, Folders: true}

// vscode describes an edition of VS Code: user files of the default and other profiles below its own folder.
func vscode(client config.Client, title, folder string, project ...Place) Application {
	a := Application{
		Client: client, Title: title,
		Sources: []string{
			"https://code.visualstudio.com/docs/copilot/reference/mcp-configuration",
			"https://code.visualstudio.com/docs/configure/settings", "https://code.visualstudio.com/docs/configure/profiles",
			"https://code.visualstudio.com/docs/copilot/customization/custom-instructions", "https://code.visualstudio.com/docs/debugtest/tasks",
		},
		Places: append([]Place{
			inConfig(folder + "/User/mcp.json"), inConfig(folder + "/User/settings.json").shared(), inConfig(folder + "/User/profiles/*/mcp.json"),
		}, project...),
		Reads:      []Place{inConfig(folder + "/User/tasks.json").shared(), inConfig(folder + "/User/profiles/*/tasks.json").shared(), inConfig(folder + "/User/prompts/**").as(config.Instructions), inConfig(folder + "/User/profiles/*/prompts/**").as(config.Instructions)},
		References: []string{"${env:"}, Folders: true,
	}
	if len(project) > 0 { // a file elsewhere belongs to the ordinary edition
		a.recognise, a.commonForm = func(root *node, _ Format) bool { return root.get("servers") != nil }, true
	}
	return a
}

func inClaude(path string) Place { return inHome(".claude/"+path).or("CLAUDE_CONFIG_DIR", path) }

// both returns places below the user's folder and below a project.
func both(path string, role config.Role) []Place {
	return []Place{inHome(path).as(role), inProject(path).as(role)}
}

// inTrees returns what OpenCode and its like read below folders, whose names may be plural.
func inTrees(folders ...Place) (out []Place) {
	for _, f := range folders {
		out = append(out, f.within("command*/**", config.Command), f.within("agent*/**", config.Subagent), f.within("skill*/**", config.Skill), f.within("plugin*/**", config.Script), f.within("tool*/**", config.Script))
	}
	return out
}

// sharedPlaces marks places that may have no servers.
func sharedPlaces(places []Place) []Place {
	for i := range places {
		places[i].optional = true
	}
	return places
}

// inEditors returns places in the extension storage of VS Code and its derivatives.
func inEditors(path string) []Place {
	var out []Place
	for _, editor := range []string{"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"} {
		out = append(out, inConfig(editor+"/User/globalStorage/"+path).alsoNamed(path))
	}
	return out
}
