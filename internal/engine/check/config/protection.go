package config

import (
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/lazyregexp"
)

var yes = lazyregexp.New(`^(?i:true|on|yes|1|always|enabled)$`)

var _ = register(Check{
	ID: "GNT-109", Name: "protection-off", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP02:2025 close, ASI03 close, ASI02 close, AST03 close, AST06 close, CWE-862 weak, CWE-693 close, L6 weak, L4 close",
	Axis:     "excessive-agency", Source: "https://code.claude.com/docs/en/iam",
	Doc: `A setting lets an agent do everything without asking, or takes its sandbox away: bypassPermissions in Claude Code,
danger-full-access and approval_policy "never" in Codex, the yolo modes of Gemini CLI, Qwen Code and Cline, autoApprove of
VS Code, turbo in Windsurf, dangerouslyAllowAll in Amp, and their likes.

Whatever the agent then reads, a web page, an issue, a description of a tool, can have it run any command with the user's
rights. In a repository the setting also reaches everybody who opens it.

Not reported: modes that accept edits in the project, allow lists of single commands, and settings that forbid such modes.`,
	Advice: "Take the setting out, and allow single commands and tools instead.",
	Run: func(p *Pass) {
		p.reportSettings([]settingRule{
			{"defaultmode permissionmode defaultpermissionmode", lazyregexp.New(`^(?i:bypassPermissions|bypass|dontAsk|yolo)$`), finding.High, "the agent does everything without asking"},
			{"skipdangerousmodepermissionprompt bypasspermissionsmodeaccepted dangerouslyskippermissions dangerously_skip_permissions skip_permissions", yes, finding.High, "the agent does everything without asking"},
			{"sandbox_mode sandboxmode", lazyregexp.New(`^(?i:danger-full-access|none|off|disabled)$`), finding.High, "what the agent runs is not sealed off"},
			{"approval_policy ask_for_approval", lazyregexp.New(`^(?i:never)$`), finding.High, "the agent never asks before it runs a command"},
			{"approvalmode approval_mode defaultapprovalmode default_approval_mode autonomymode autonomylevel autonomy_level", lazyregexp.New(`^(?i:yolo|auto-high|unrestricted|full-auto|allow-all|never)$`), finding.High, "the agent does everything without asking"},
			{"chat/tools/autoapprove chat/tools/global/autoapprove chat/autoapprove autoapprovealltools autoapproveall chat/agent/autoapprove agent/autoapprove", yes, finding.High, "every tool runs without being asked for"},
			{"dangerouslyallowall amp/dangerouslyallowall allowall allow_all allow_all_tools allowalltools trustalltools trust_all_tools skip_requests alwaysapprove autoapprovealltoolcalls always_allow_tool_actions alwaysallowtoolactions", yes, finding.High, "every tool runs without being asked for"},
			{"executeallcommands alwaysallowexecute bravemode brave_mode yes-always yolo yolomode yolo_mode yolomodetoggled enableyolomode autorun autoexecute autoruncommands", yes, finding.High, "every command runs without being asked for"},
			{"cascadeautoexecutionpolicy autoexecutionpolicy windsurf/autoexecutionpolicy", lazyregexp.New(`^(?i:turbo|always|auto)$`), finding.High, "every command runs without being asked for"},
			{"tool_permissions/default toolpermissions/default toolpermissions/bash/default tool_permissions/bash/default permission permission/[*]", lazyregexp.New(`^(?i:allow)$`), finding.High, "every tool runs without being asked for"},
			{"permission/bash permission/bash/[*] permissions/bash", lazyregexp.New(`^(?i:allow)$`), finding.High, "every command runs without being asked for"},
			{"goose_mode", lazyregexp.New(`^(?i:auto)$`), finding.Medium, "the agent does everything without asking"},
			{"exec/ask", lazyregexp.New(`^(?i:off|never)$`), finding.High, "every command runs without being asked for"},
			{"exec/security", lazyregexp.New(`^(?i:full)$`), finding.High, "every command runs without being asked for"},
			{"sandbox/mode", lazyregexp.New(`^(?i:off|danger-full-access)$`), finding.Medium, "what the agent runs is not sealed off"},
			{"gateway/auth/mode", lazyregexp.New(`^(?i:none|off)$`), finding.High, "anybody who can connect may control the agent"},
			{"gateway/bind", lazyregexp.New(`^(?i:0\.0\.0\.0|lan|all|any)$`), finding.High, "the agent accepts commands from the network"},
			{"dmpolicy", lazyregexp.New(`^(?i:open)$`), finding.High, "anybody may control the agent"},
			{"workspace/trust/enabled foldertrust/enabled", lazyregexp.New(`^(?i:false)$`), finding.Medium, "folders are trusted without being asked for"},
			{"sandbox/enabled tools/sandbox /sandbox", lazyregexp.New(`^(?i:false)$`), finding.Low, "what the agent runs is not sealed off"},
			{"disableyolomode", lazyregexp.New(`^(?i:false)$`), finding.Low, "the mode that does everything without asking is allowed"},
			{"args/ args", lazyregexp.New(`^--?(?:dangerously-\S+|yolo|allow-all-tools|trust-all-tools|full-auto|no-sandbox)$`), finding.High, "a program is started without its protection"},
		}, false)
	},
})

var _ = register(Check{
	ID: "GNT-110", Name: "wildcard-approval", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP02:2025 close, ASI02 close, ASI03 close, AST03 close, CWE-732 weak, CWE-269 close, L4 close, L6 weak",
	Axis:     "excessive-agency", Source: "https://code.claude.com/docs/en/settings",
	Doc: `Commands or tools are approved beforehand by a wildcard, or a server is trusted as a whole: "Bash(*)" in an allow list or
in a skill's allowed-tools, autoApprove or alwaysAllow with "*", trust: true, default_tools_approval_mode "approve".

The question before a call is what stands between a poisoned text and the user's machine. A server that is approved as a
whole may add a tool tomorrow, which is approved then too.

Severity is high for shells, every tool and servers as a whole, medium for all tools of one kind and for programs that can
run others or send data (curl, python, sudo, rm). Not reported: single commands such as "Bash(npm test)", lists of
tool names, and lists of what is denied.`,
	Advice: "Approve single tools and commands by name.",
	Run: func(p *Pass) {
		p.reportSettings([]settingRule{
			{"deny/ ask/ disallowedtools/ disallowed-tools excludetools/ denied/", lazyregexp.New(`.`), finding.None, ""},
			{"allow/ allow allowedtools/ allowedtools allowed-tools allowed-tools/ allowed_tools/ tools/allowed/ allowed/", lazyregexp.New(`(?i)(?:^|[,\s])(?:bash|shell|run_shell_command|execute_bash|execute|run_terminal_cmd|terminal|powershell)\s*(?:\(\s*(?::?\*|\*:\*|\.\*)?\s*\))(?:$|[,\s])|(?i)^(?:\*|bash|shell|run_shell_command|execute_bash|run_terminal_cmd|\.\*|all)$`), finding.High, "every command runs without being asked for"},
			{"autoapprove/ alwaysallow/ allowedtools/ allowed_tools/ trustedtools/ trusted_tools/ trustedcommands/ allowedcommands/ commandallowlist/ cascadecommandsallowlist/ commands/allowlist/ allowlist/ auto_approve/ autoallow/ always_allow/ terminalallowlist/ mcpallowlist/", lazyregexp.New(`^(?:\*|\*:\*|\.\*|\*\*|all|\^\.\*\$|/\.\*/)$`), finding.High, "every tool of the server, or every command, runs without being asked for"},
			{"mcpservers/*/autoapprove servers/*/autoapprove mcpservers/*/alwaysallow mcpservers/*/auto_approve", lazyregexp.New(`^(?:true|\*|all)$`), finding.High, "every tool of the server runs without being asked for"},
			{"mcpservers/*/trust mcp_servers/*/trust trust", lazyregexp.New(`^true$`), finding.High, "the server is trusted as a whole: its tools run without being asked for"},
			{"default_tools_approval_mode approval_mode tool_approval tools_approval_mode", lazyregexp.New(`^(?i:approve|auto|always|never)$`), finding.High, "every tool of the server runs without being asked for"},
			{"terminal/autoapprove/* terminal/autoapprove//[*]/ terminal/autoapprove/[*] terminal/autoapprove/*/*", yes, finding.None, ""},
			{"mcpallowlist/", lazyregexp.New(`^[\w. -]+:\*$`), finding.Medium, "every tool of the server runs without being asked for"},
			{"edits/autoapprove/[*][*]/[*] edits/autoapprove/[*]", yes, finding.Medium, "every file may be changed without asking"},
			{"permissions/*/action permissions//action", lazyregexp.New(`^allow$`), finding.None, ""},
			{"allow/ allow allowedtools/ allowed-tools allowed-tools/ autoapprove/", lazyregexp.New(`^(?:mcp__[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*(?:__\*)?|mcp__\*|@[\w-]+(?:/\*)?|mcp\(\*:?\*?\))$`), finding.Medium, "every tool of the server runs without being asked for"},
			{"allow/ allowedtools/ allowed-tools/", lazyregexp.New(`(?i)^(?:write|edit|multiedit|read|webfetch|notebookedit)\((?:\*|\*\*|/\*\*|~/\*\*|//\*\*|domain:\*)\)$`), finding.Medium, "every file, or every address, is open without being asked for"},
			{"allow/ allowedtools/ allowed-tools/", lazyregexp.New(`(?i)^(?:bash|shell)\((?:sudo|curl|wget|rm|python3?|node|sh|bash|zsh|eval|ssh|scp|nc|dd|chmod|docker|perl|ruby|npx|uvx)(?::\*| \*|\*)\)$`), finding.Low, "a program that can run others or send data runs without being asked for"},
		}, true)
		p.wildcardObjects()
	},
})

// wildcardObjects judges approvals that are objects: in VS Code the pattern is a name, in Amp and Augment a member next to the action.
func (p *Pass) wildcardObjects() {
	all := lazyregexp.New(`^(?:\*|/\.\*/|/\^?\.\*\$?/\w*|\.\*|\*\*/?\*?)$`)
	for i := range p.Files {
		settings := p.Files[i].Settings
		for j := range settings {
			s := &settings[j]
			way, value := s.way(), s.Value.Reveal()
			last := s.Keys[max(0, len(s.Keys)-1):]
			switch {
			case len(last) == 1 && contains(way, "terminal/autoapprove") && all.MatchString(last[0]) && yes.MatchString(value),
				len(last) == 1 && last[0] == "approve" && contains(way, "terminal/autoapprove") && len(s.Keys) > 1 && all.MatchString(s.Keys[len(s.Keys)-2]) && value == "true":
				p.Report(Report{File: i, At: s.Value.Place, Evidence: settingText(s), Message: "every command runs without being asked for"})
			case len(last) == 1 && (last[0] == "tool" || last[0] == "toolName" || last[0] == "tool-name") && value == "*" && allowedBeside(settings, j):
				p.Report(Report{File: i, At: s.Value.Place, Evidence: settingText(s), Message: "every tool runs without being asked for"})
			}
		}
	}
}

// allowedBeside reports whether the setting's object says that it allows.
func allowedBeside(settings []Setting, at int) bool {
	n := len(settings[at].Keys) - 1
	object := parentPointer(&settings[at])
	for j := max(0, at-4); j < min(len(settings), at+5); j++ {
		o := &settings[j]
		if strings.HasPrefix(o.Value.Place.Pointer, object) && len(o.Keys) > n && (o.Keys[n] == "action" || o.Keys[n] == "permission") && o.Value.Reveal() == "allow" {
			return true
		}
	}
	return false
}

// parentPointer is the pointer to the setting's object, with a trailing slash.
func parentPointer(s *Setting) string {
	return s.Value.Place.Pointer[:strings.LastIndexByte(s.Value.Place.Pointer, '/')+1]
}

var _ = register(Check{
	ID: "GNT-111", Name: "unasked-servers", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP09:2025 close, MCP04:2025 weak, ASI04 close, AST02 close, CWE-829 close, L2 close, L6 weak",
	Axis:     "supply-chain", Source: "https://code.claude.com/docs/en/settings",
	Doc: `The servers that a repository names start without the question whether they may: enableAllProjectMcpServers, a list
enabledMcpjsonServers that the repository brings itself, servers that start with the editor, or tasks that run when the
folder is opened.

A server is a program on the user's machine. Who can change the repository then runs programs on the machines of all who
open it.

A user's own list of approved servers (enabledMcpjsonServers outside of a project, or in settings.local.json) is not
reported.`,
	Advice: "Approve servers one by one, outside of the repository.",
	Run: func(p *Pass) {
		p.reportSettings([]settingRule{
			{"enableallprojectmcpservers", yes, finding.High, "all servers that a project names start without being asked for"},
			{"chat/mcp/autostart mcp/autostart", lazyregexp.New(`^(?i:true|always|newandoutdated)$`), finding.Medium, "servers start without asking"},
			{"runoptions/runon", lazyregexp.New(`^folderOpen$`), finding.Medium, "a task runs as soon as the folder is opened"},
			{"extraknownmarketplaces/*/source/repo extraknownmarketplaces/*/source/url", anything, finding.Medium, "the settings add a place that plugins come from"},
			{"task/allowautomatictasks", lazyregexp.New(`^on$`), finding.Medium, "tasks of a folder run as soon as it is opened"},
		}, true)
		p.eachSetting(func(file int, s *Setting, way string) {
			f := &p.Files[file]
			if endsIn(way, "enabledmcpjsonservers/") && f.Project != "" && !contains(f.Path, "settings.local") {
				p.Report(Report{File: file, At: s.Value.Place, Evidence: settingText(s), Severity: finding.Medium, Message: "the project approves its own server"})
			}
		})
	},
})
