package config

import (
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/lazyregexp"
)

var (
	yes = lazyregexp.New(`^(?i:true|on|yes|1|always|enabled)$`)

	// unasked matches the modes that ask nothing, however a client spells them: bypassPermissions, bypass_permissions.
	unasked = lazyregexp.New(`(?i)^(?:bypass(?:[\W_]*permissions?)?|don'?t[\W_]*ask|never|yolo|(?:auto[\W_]*)?high|unrestricted|full[\W_]*auto|allow[\W_]*all)$`)
)

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
			{"defaultmode *permission*mode *approval*mode *autonomy*mode *autonomy*level", unasked, finding.High, "the agent does everything without asking"},
			{"disableyolomode", lazyregexp.New(`^(?i:false)$`), finding.Low, "the mode that does everything without asking is allowed"},
			{"disable*yolo*", lazyregexp.New(`\S`), finding.None, ""},
			{"skipdangerousmodepermissionprompt bypass*permission* skip_permissions /auto_approve /autoapprove", yes, finding.High, "the agent does everything without asking"},
			{"sandbox_mode sandboxmode", lazyregexp.New(`^(?i:danger-full-access|none|off|disabled)$`), finding.High, "what the agent runs is not sealed off"},
			{"approval_policy ask_for_approval", lazyregexp.New(`^(?i:never)$`), finding.High, "the agent never asks before it runs a command"},
			{"chat/tools/autoapprove chat/tools/global/autoapprove chat/autoapprove autoapprovealltools autoapproveall chat/agent/autoapprove agent/autoapprove", yes, finding.High, "every tool runs without being asked for"},
			{"/default_agent chat/permissions/default", lazyregexp.New(`^(?i:auto-?approve|autopilot|bypass\w*)$`), finding.High, "every tool runs without being asked for"},
			{"dangerously* allowall allow_all allow_all_tools allowalltools trustalltools trust_all_tools skip_requests alwaysapprove autoapprovealltoolcalls always_allow_tool_actions alwaysallowtoolactions", yes, finding.High, "every tool runs without being asked for"},
			{"executeallcommands alwaysallowexecute brave bravemode brave_mode yes-always *yolo* autorun autoexecute autoruncommands", yes, finding.High, "every command runs without being asked for"},
			{"cascadeautoexecutionpolicy autoexecutionpolicy windsurf/autoexecutionpolicy", lazyregexp.New(`^(?i:turbo|always|auto)$`), finding.High, "every command runs without being asked for"},
			{"tool_permissions/default toolpermissions/default toolpermissions/bash/default tool_permissions/bash/default permission permission/[*] /defaultbehavior", lazyregexp.New(`^(?i:allow)$`), finding.High, "every tool runs without being asked for"},
			{"permission/bash permission/bash/[*] permissions/bash tools/bash/permission tool_permissions/tools/terminal/default", lazyregexp.New(`^(?i:allow|always)$`), finding.High, "every command runs without being asked for"},
			{"goose_mode", lazyregexp.New(`^(?i:auto)$`), finding.Medium, "the agent does everything without asking"},
			{"exec/ask", lazyregexp.New(`^(?i:off|never)$`), finding.High, "every command runs without being asked for"},
			{"exec/security", lazyregexp.New(`^(?i:full)$`), finding.High, "every command runs without being asked for"},
			{"sandbox/mode", lazyregexp.New(`^(?i:off|danger-full-access)$`), finding.Medium, "what the agent runs is not sealed off"},
			{"gateway/auth/mode", lazyregexp.New(`^(?i:none|off)$`), finding.High, "anybody who can connect may control the agent"},
			{"gateway/bind", lazyregexp.New(`^(?i:0\.0\.0\.0|lan|all|any)$`), finding.High, "the agent accepts commands from the network"},
			{"dmpolicy", lazyregexp.New(`^(?i:open)$`), finding.High, "anybody may control the agent"},
			{"workspace/trust/enabled foldertrust/enabled", lazyregexp.New(`^(?i:false)$`), finding.Medium, "folders are trusted without being asked for"},
			{"sandbox/enabled tools/sandbox /sandbox", lazyregexp.New(`^(?i:false)$`), finding.Low, "what the agent runs is not sealed off"},
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
			{"allow/ allow allowedtools/ allowedtools allowed-tools allowed-tools/ allowed_tools/ tools/allowed/ allowed/", lazyregexp.New(`(?i)(?:^|[,\s])` + shellTools + `\s*(?:\(\s*(?::?\*|\*:\*|\.\*)?\s*\))(?:$|[,\s])|(?i)^(?:\*|` + shellTools + `|\.\*|all)$`), finding.High, "every command runs without being asked for"},
			{"autoapprove/ alwaysallow/ allowedtools/ allowed_tools/ trustedtools/ trusted_tools/ trustedcommands/ allowedcommands/ commandallowlist/ cascadecommandsallowlist/ commands/allowlist/ allowlist/ auto_approve/ autoallow/ always_allow/ terminalallowlist/ mcpallowlist/", lazyregexp.New(`^(?:\*|\*:\*|\.\*|\*\*|all|\^\.\*\$|/\.\*/)$`), finding.High, "every tool of the server, or every command, runs without being asked for"},
			{"mcpservers/*/autoapprove servers/*/autoapprove mcpservers/*/alwaysallow mcpservers/*/auto_approve", lazyregexp.New(`^(?:true|\*|all)$`), finding.High, "every tool of the server runs without being asked for"},
			{"mcpservers/*/trust mcp_servers/*/trust trust", lazyregexp.New(`^true$`), finding.High, "the server is trusted as a whole: its tools run without being asked for"},
			{"default_tools_approval_mode approval_mode tool_approval tools_approval_mode", lazyregexp.New(`^(?i:approve|auto|always|never)$`), finding.High, "every tool of the server runs without being asked for"},
			{"allowed_urls/ allowedurls/", everything, finding.Medium, "every address is open without being asked for"},
			{"mcpallowlist/", lazyregexp.New(`^[\w. -]+:\*$`), finding.Medium, "every tool of the server runs without being asked for"},
			{"allow/ allow allowedtools/ allowed-tools allowed-tools/ autoapprove/", lazyregexp.New(`^(?:mcp__[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*(?:__\*)?|mcp__\*|@[\w-]+(?:/\*)?|mcp\(\*:?\*?\))$`), finding.Medium, "every tool of the server runs without being asked for"},
			{"allow/ allowedtools/ allowed-tools/", lazyregexp.New(`(?i)^(?:write|edit|multiedit|read|webfetch|notebookedit)\((?:\*|\*\*|/\*\*|~/\*\*|//\*\*|domain:\*)\)$`), finding.Medium, "every file, or every address, is open without being asked for"},
			{"allow/ allowedtools/ allowed-tools/", lazyregexp.New(`(?i)^(?:bash|shell)\((?:sudo|curl|wget|rm|python3?|node|sh|bash|zsh|eval|ssh|scp|nc|dd|chmod|docker|perl|ruby|npx|uvx)(?::\*| \*|\*)\)$`), finding.Low, "a program that can run others or send data runs without being asked for"},
		}, true)
		p.approvalObjects()
	},
})

// shellTools are the names that clients give to their shell.
const shellTools = `(?:bash|shell|run_shell_command|execute_bash|execute|run_terminal_cmd|terminal|powershell|launch-process)`

var (
	// everything matches patterns that everything fits.
	everything = lazyregexp.New(`^(?:\*+(?:/\*+)?|/?\^?\.\*\$?(?:/\w*)?|(?:https?:/*)?/*\*)?$`)
	shellTool  = lazyregexp.New(`^(?i:` + shellTools + `)$`)
	allows     = lazyregexp.New(`^(?i:true|allow|always)$`)
)

// approvalObjects judges approvals that are objects. In VS Code their patterns are names; in Amp, Augment and Junie a tool and patterns
// for its input are members beside the action.
func (p *Pass) approvalObjects() {
	for i := range p.Files {
		settings := p.Files[i].Settings
		for j := range settings {
			s := &settings[j]
			keys := s.Keys
			if len(keys) > 1 && (keys[len(keys)-1] == "type" || keys[len(keys)-1] == "approve" || keys[len(keys)-1] == "approveRequest") {
				keys = keys[:len(keys)-1] // {"permission": {"type": "allow"}}
			}
			if len(keys) < 2 || !allows.MatchString(s.Value.Reveal()) {
				continue
			}
			name, of := keys[len(keys)-1], strings.ToLower(strings.Join(keys[:len(keys)-1], "/"))
			severity, says := finding.High, ""
			switch of = strings.ReplaceAll(of, ".", "/"); {
			case strings.HasSuffix(of, "autoapprove") && everything.MatchString(name):
				if says = "every command runs without being asked for"; strings.Contains(of, "urls/") {
					severity, says = finding.Medium, "every address is open without being asked for"
				} else if strings.Contains(of, "edits/") {
					severity, says = finding.Medium, "every file may be changed without asking"
				}
			case name == "action" || name == "permission":
				says = approves(settings, j, len(keys)-1, of)
			}
			if says != "" {
				p.Report(Report{File: i, At: s.Value.Place, Evidence: settingText(s), Severity: p.Files[i].soften(severity), Message: says})
			}
		}
	}
}

// approves says what an object of settings allows as a whole, "" for less. at is its action, depth how many names lead to it.
func approves(settings []Setting, at, depth int, of string) string {
	object, most := settings[at].Keys[:depth], 8
	pointer := settings[at].Value.Place.Pointer
	for n := len(settings[at].Keys); n > depth; n-- {
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	}
	tool, narrow, patterns := "", false, 0
	for j := max(0, at-most); j < min(len(settings), at+most); j++ {
		o := &settings[j]
		if len(o.Keys) <= len(object) || !strings.HasPrefix(o.Value.Place.Pointer, pointer+"/") {
			continue
		}
		switch value := o.Value.Reveal(); o.Keys[depth] {
		case "tool", "toolName", "tool-name":
			tool = value
		case "action", "permission", "context", "eventType", "description", "comment":
		default:
			patterns++
			narrow = narrow || !everything.MatchString(value)
		}
	}
	switch {
	case narrow:
		return ""
	case shellTool.MatchString(tool), tool == "" && patterns > 0 && strings.Contains(of, "executables"):
		return "every command runs without being asked for"
	case tool == "*", tool == "" && patterns > 0 && strings.Contains(of, "mcptools"):
		return "every tool runs without being asked for"
	}
	return ""
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

A task that only builds, checks or serves the project (tsc -w, a script of package.json that does) has severity low. A
user's own list of approved servers (enabledMcpjsonServers outside of a project, or in settings.local.json) is not
reported.`,
	Advice: "Approve servers one by one, outside of the repository.",
	Run: func(p *Pass) {
		p.reportSettings([]settingRule{
			{"enableallprojectmcpservers", yes, finding.High, "all servers that a project names start without being asked for"},
			{"chat/mcp/autostart mcp/autostart", lazyregexp.New(`^(?i:true|always|newandoutdated)$`), finding.Medium, "servers start without asking"},
			{"extraknownmarketplaces/*/source/repo extraknownmarketplaces/*/source/url", lazyregexp.New(`\S`), finding.Medium, "the settings add a place that plugins come from"},
			{"task/allowautomatictasks", lazyregexp.New(`^on$`), finding.Medium, "tasks of a folder run as soon as it is opened"},
		}, true)
		p.eachSetting(func(file int, s *Setting, way string) {
			f := &p.Files[file]
			if endsIn(way, "enabledmcpjsonservers/") && f.Project != "" && !strings.Contains(f.Path, "settings.local") {
				p.Report(Report{File: file, At: s.Value.Place, Evidence: settingText(s), Severity: finding.Medium, Message: "the project approves its own server"})
			}
			if endsIn(way, "runoptions/runon") && s.Value.Reveal() == "folderOpen" {
				severity := finding.Medium
				if p.onlyBuilds(file, strings.TrimSuffix(s.Value.Place.Pointer, "/runOptions/runOn")) {
					severity = finding.Low
				}
				p.Report(Report{File: file, At: s.Value.Place, Evidence: settingText(s), Severity: severity, Message: "a task runs as soon as the folder is opened"})
			}
		})
	},
})
