package config

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"gauntlet/finding"
	"gauntlet/internal/engine/acts"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/clause"
	"gauntlet/internal/leaf/lazyregexp"
)

const sourceSkills = "https://owasp.org/www-project-agentic-skills-top-10/"

var _ = register(Check{
	ID: "GNT-120", Name: "hostile-instruction", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP06:2025 close, MCP03:2025 weak, ASI01 close, ASI04 weak, AST01 close, AST05 weak, CWE-1427 close, L3 close, L1 weak",
	Axis:     "prompt-injection", Source: sourceSkills,
	Doc: `A file that instructs an agent, such as AGENTS.md, a skill, a command or a sub-agent, has it act against its user: take
data and send it to somebody outside, hide what it does, drop the rules that hold, switch protection off, run what it
downloads or receives, settle where it is read again, destroy, bend results.

Such files give orders by design, so that they do is no finding. What counts is what they have the agent do. Each such act
has a weight: one alone is mostly severity medium, a reason to look; several together, one that no honest text has, and one
in hidden text are high.

Not reported: what a text forbids or warns of, what a text about attacks names or says to look for, examples with example.com
or localhost, requests that carry a key to their own service, and installers of well-known vendors. Of lists of records in
a skill's data, such as the inputs of an evaluation, only what would be high is reported, as low, unless a text says to
follow them.`,
	Advice: "Do not use the file until you have read the place and know why it is there.",
	Run: func(p *Pass) {
		for i := range p.Files {
			if f := &p.Files[i]; f.Text != "" && f.Role != Script {
				p.reportActs(i, f, acts.Text(f.Text), false)
			}
		}
		p.eachSetting(func(file int, s *Setting, way string) {
			value := s.Value.Reveal()
			if p.Files[file].Text != "" || len(value) < shortestOrder || len(value) > MaxJudged || !instructs(way) {
				return
			}
			found := acts.Text(value)
			severity := severityOf(found)
			if severity == finding.None {
				return
			}
			heaviest := acts.Heaviest(found)
			p.Report(Report{File: file, Entry: p.Files[file].entryOf(s), At: s.Value.At(heaviest.Start, heaviest.End), Evidence: value[heaviest.Start:heaviest.End], Severity: severity, Message: "the text of " + shownName(lastName(s.Keys)) + " " + heaviest.Says})
		})
	},
})

// shortestOrder is the shortest value that is read as text, in bytes.
const shortestOrder = 24

// instructs reports whether a setting is text for a model: a hook's prompt, a mode's role.
func instructs(way string) bool {
	return endsInAny(way, "prompt", "inject_prompt", "instructions", "instructions/", "instruction", "systemprompt", "system_prompt", "system", "description", "roledefinition", "custominstructions", "whentouse", "rules/", "rules", "developer_instructions", "append_system_prompt", "additionalcontext", "systemmessage", "content", "text", "template")
}

// severityOf is the severity of acts, none for those that are fine.
func severityOf(found []acts.Act) finding.Severity {
	return map[acts.Verdict]finding.Severity{acts.Hostile: finding.High, acts.Suspect: finding.Medium}[acts.Judge(found)]
}

// reportActs reports the acts in a text, one per kind.
func (p *Pass) reportActs(file int, f *File, found []acts.Act, code bool) {
	severity := severityOf(found)
	if severity != finding.None && f.holdsRecords() && !p.obeyed(f) {
		severity = map[finding.Severity]finding.Severity{finding.High: finding.Low}[severity]
	}
	if severity == finding.None {
		return
	}
	best := map[acts.Kind]acts.Act{}
	for _, a := range found {
		if b, ok := best[a.Kind]; !ok || a.Weight > b.Weight || a.Hidden && !b.Hidden {
			best[a.Kind] = a
		}
	}
	heaviest := 0
	for _, a := range best {
		heaviest = max(heaviest, a.Weight)
	}
	for k := range acts.Kinds {
		a, ok := best[k]
		if !ok || a.Weight < 2 && heaviest >= 2 {
			continue
		}
		where, what := "", "the text"
		if a.Hidden {
			where = ", in a part that a person does not see"
		}
		if code {
			what = "the program"
		}
		p.Report(Report{File: file, At: f.PlaceIn(a.Start, a.End), Evidence: strings.TrimSpace(f.Text[a.Start:a.End]), Start: a.Start, End: a.End, Severity: severity,
			Message: fmt.Sprintf("%s %s%s", what, a.Says, where)})
	}
}

// obeyed reports whether a text has its reader do what stands in another file: "Read steps.yaml and follow it."
func (p *Pass) obeyed(f *File) bool {
	if p.named == nil {
		p.named = map[string]bool{}
		for i := range p.Files {
			if p.Files[i].Role != Script {
				noteObeyed(p.Files[i].Text, p.named)
			}
		}
	}
	return p.named[path.Base(strings.ReplaceAll(f.Path, `\`, "/"))]
}

// noteObeyed notes the words near those that say to follow something: among them are the names of the files to follow.
func noteObeyed(text string, named map[string]bool) {
	for _, m := range obeys.FindAllStringSubmatchIndex(text, -1) {
		for word := range strings.FieldsFuncSeq(text[max(0, m[0]-60):min(len(text), m[1]+60)], func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
		}) {
			named[strings.TrimRight(word, ".")] = true
		}
	}
}

var obeys = lazyregexp.New(`(?i)\b(?:read|follow|obey|apply|carry out|do what|work through|execute)\b`)

// holdsRecords reports whether a file of a skill is a list of records, such as the inputs of an evaluation, which a program reads.
func (f *File) holdsRecords() bool {
	if f.Role != SkillFile {
		return false
	}
	switch path.Ext(strings.ToLower(f.Path)) {
	case ".csv", ".tsv", ".jsonl", ".ndjson":
		return true
	case ".json", ".yaml", ".yml":
		return records.MatchString(f.Text)
	}
	return false
}

// records matches the beginning of a list in JSON or YAML, which may have a name.
var records = lazyregexp.New(`\A(?:---\s*\n|\s*#[^\n]*\n|\s)*(?:[\w-]+:\s*\n\s*)?-\s|\A\s*(?:\{\s*"[\w-]+"\s*:\s*)?\[`)

// PlaceIn returns the place of a part of the file's text.
func (f *File) PlaceIn(start, end int) Place {
	for start < end && (f.Text[start] == ' ' || f.Text[start] == '\n' || f.Text[start] == '\t' || f.Text[start] == '\r') {
		start++
	}
	p := Place{Start: start, End: end}
	line := func(at int) (int, int) {
		before := f.Text[:at]
		return strings.Count(before, "\n") + 1, len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
	}
	p.Line, p.Column = line(start)
	p.EndLine, p.EndColumn = line(end)
	return p
}

var _ = register(Check{
	ID: "GNT-122", Name: "hostile-script", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP05:2025 close, ASI05 close, ASI04 close, AST01 close, AST02 weak, CWE-506 close, CWE-494 close, L2 close, L6 weak",
	Axis:     "command-execution", Source: sourceSkills,
	Doc: `A script of a skill, a plugin or a hook acts against the user: runs a download without looking at it, runs what is
encoded, opens a shell for somebody outside, sends credentials or the whole environment away, lets others log in, writes
what runs again by itself, wipes its traces, takes passwords from a browser.

Severity is high for what has no honest use and for several acts together, medium for one that has. A download from a
vendor's own place over TLS is not reported.

Scripts are read line by line, and what is taken in one place and sent in another counts together. Programs that cannot be
read are GNT-123.`,
	Advice: "Do not let an agent use the script until you have read it.",
	Run: func(p *Pass) {
		hooks := map[string]bool{} // the names of programs that get what the agent does
		p.eachSetting(func(file int, s *Setting, way string) {
			if strings.Contains(way, "hook") && p.Files[file].RunsBySelf(s) {
				for word := range strings.FieldsFuncSeq(s.Value.Reveal(), func(r rune) bool { return strings.ContainsRune(" \t\n\"'`;&|()", r) }) {
					hooks[base(word)] = true
				}
			}
		})
		for i := range p.Files {
			f := &p.Files[i]
			if f.Role != Script {
				continue
			}
			read := acts.Code
			if hooks[base(f.Path)] || strings.Contains(strings.ToLower(strings.ReplaceAll(f.Path, `\`, "/")), "/hooks/") {
				read = acts.Hook
			}
			p.reportActs(i, f, read(f.Text), true)
		}
	},
})

var _ = register(Check{
	ID: "GNT-112", Name: "hostile-hook", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP05:2025 close, ASI05 close, ASI04 weak, AST01 close, AST02 weak, CWE-506 close, CWE-78 weak, L2 close, L6 weak",
	Axis:     "command-execution", Source: "https://code.claude.com/docs/en/hooks",
	Doc: `A command that a client runs by itself, such as a hook, a status line, a task on opening a folder or a helper for
credentials, downloads and runs something, hands what the agent does to somebody outside, allows whatever it is asked, or does
what GNT-122 lists. So does a value of a server that a client computes: "$(cat ~/.netrc)".

Nobody is asked before such a command runs, and it sees every prompt and every call. Severity is high, medium where the
address is on the user's own side or the act has an honest use.

Not reported: hooks that run a formatter, a test or a script of the project; the script itself is GNT-122.`,
	Advice: "Take the hook out, or have it run a script that you have read.",
	Run: func(p *Pass) {
		p.eachSetting(func(file int, s *Setting, way string) {
			f := &p.Files[file]
			given, what := s.Value.Reveal(), "a command that runs by itself"
			command := f.withSecrets(given)
			substituted := strings.Contains(given, "$(") && f.entryOf(s) != nil
			if !substituted && !f.RunsBySelf(s) || len(command) > MaxJudged {
				return
			}
			if substituted && acts.ReadsCredentials(command) {
				p.Report(Report{File: file, Entry: f.entryOf(s), At: s.Value.Place, Evidence: given, Message: "a value that is computed at each start takes a file of credentials"})
				return
			}
			read := acts.Code
			if f.hooks(way) {
				read = acts.Hook
			}
			found := read(command)
			if acts.Judge(found) == acts.Fine {
				p.reportTalkingHook(file, s, way)
				return
			}
			heaviest := acts.Heaviest(found)
			severity, at := finding.High, s.Value.Place
			if command == given {
				at = s.Value.At(heaviest.Start, heaviest.End)
			}
			if strings.HasPrefix(way, "scripts/") {
				what = "a script of the package that a file for agents names"
			} else if strings.HasPrefix(way, "configurations/") {
				what = "a command that a debugger starts"
			}
			if heaviest.Weight < 3 && heaviest.Kind != acts.Send && heaviest.Kind != acts.Run {
				severity = finding.Medium
			}
			p.Report(Report{File: file, At: at, Evidence: given, Severity: severity, Message: what + " " + heaviest.Says})
		})
	},
})

// hooks reports whether a setting is one of a hook, by its name or that of its file.
func (f *File) hooks(way string) bool {
	return strings.Contains(way, "hook") || strings.Contains(base(f.Path), "hook")
}

// withSecrets writes the secrets of a workflow for the variables that get them.
func (f *File) withSecrets(command string) string {
	for i := 0; i < len(f.Settings) && strings.Contains(command, "$"); i++ {
		if s := &f.Settings[i]; s.Fits("env/*") && strings.Contains(s.Value.Reveal(), "secrets.") {
			name, value := s.Keys[len(s.Keys)-1], s.Value.Reveal()
			command = strings.NewReplacer("${"+name+"}", value, "$"+name, value).Replace(command)
		}
	}
	return command
}

// reportTalkingHook reports a hook that contacts an outside host on each event, by its address or through a program that sends.
func (p *Pass) reportTalkingHook(file int, s *Setting, way string) {
	command := s.Value.Reveal()
	if !p.Files[file].hooks(way) || !strangeAddress(command) || endsIn(way, "prompt") {
		return
	}
	severity := finding.Medium
	if endsIn(way, "url") || handsOn.MatchString(command) {
		severity = finding.High
	}
	p.Report(Report{File: file, At: s.Value.Place, Evidence: command, Severity: severity, Message: "a command that runs by itself talks to somebody outside at each event"})
}

// handsOn matches commands that use input from the client.
var handsOn = lazyregexp.New(`(?i)stdin|@-|/dev/fd/0|\$\(cat\)|\$\{?(?:tool_input|claude_|input|prompt)|sys\.argv|process\.argv|\$\{?[@*1]`)

// RunsBySelf reports whether a setting is a command that a client runs without asking, and not one that starts a server.
func (f *File) RunsBySelf(s *Setting) bool {
	way := strings.TrimRight(s.way(), "/")
	e := f.entryOf(s)
	return runsBySelf(way) && (e == nil || !endsInAny(way, "command", "args", "command/path") || commandName.MatchString(strings.ToLower(e.Name)))
}

func runsBySelf(way string) bool {
	parts := strings.Split(way, "/")
	name, of := parts[len(parts)-1], parts[max(0, len(parts)-2)]
	switch {
	case permits.MatchString(name):
		return false
	case commandName.MatchString(name), strings.HasSuffix(of, "command"), strings.Contains(way, "hook") && hookName.MatchString(name):
		return true
	}
	return endsInAny(way, selfRunning...)
}

// Names of settings whose values a client runs, a command being a list of words as well, or several by name; those of a hook's; and those
// that only say what is permitted.
var (
	commandName = lazyregexp.New(`command|cmd$|script|shell$|helper|hooks?$|^notify$|^statusline$|arg(?:ument)?s$|setup|executable|wrapper|authrefresh$|credentialexport$|^on_failure$`)
	hookName    = lazyregexp.New(`^(?:bash|powershell|run|windows|linux|osx|prompt|url|entry|enter|leave|cd|preinstall|postinstall)$`)
	permits     = lazyregexp.New(`allow|den(?:y|ied)|approv|exclude|trust|block|disabled|description`)
)

// selfRunning are further settings whose commands run without asking.
var selfRunning = strings.Fields(`steps//run commands/*/run /install /start /update then/prompt permissions//to`)

var _ = register(Check{
	ID: "GNT-114", Name: "redirected-model", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP01:2025 weak, ASI03 close, AST01 weak, AST04 weak, CWE-441 close, CWE-522 close, CWE-319 weak, L2 close, L5 weak",
	Axis:     "secret-exposure", Source: "https://code.claude.com/docs/en/llm-gateway",
	Doc: `A file of a project sends the user's prompts and keys to another address than the model's: ANTHROPIC_BASE_URL,
OPENAI_BASE_URL or a proxy in an env block, base_url of a model provider, an endpoint for telemetry with the prompts in it,
or it names a command that hands out credentials (apiKeyHelper).

Before the user says a word, the client sends its key to the address. Severity is high in a project, medium in the user's own
settings, where a gateway is mostly meant. NODE_TLS_REJECT_UNAUTHORIZED=0 counts like a proxy.

Not reported: addresses on this machine or in a private network, those of the vendors, and references to the user's own
variables.`,
	Advice: "Take the setting out of the project. Set a gateway in your own settings.",
	Run: func(p *Pass) {
		p.eachSetting(func(file int, s *Setting, way string) {
			value := s.Value.Reveal()
			what := ""
			switch {
			case redirects(way, p.Files[file].entryOf(s) != nil) && strangeAddress(value):
				what = "prompts and keys go to another address than the model's"
			case endsIn(way, "node_tls_reject_unauthorized") && value == "0":
				what = "certificates are not checked, so that anybody on the way can read prompts and keys"
			case p.Files[file].Project != "" && (endsIn(way, "apikeyhelper") || endsIn(way, "awscredentialexport") || endsIn(way, "otelheadershelper")):
				what = "a file of the project names a command that hands out credentials"
			default:
				return
			}
			severity := finding.High
			if p.Files[file].Project == "" || strings.HasPrefix(what, "a file") {
				severity = finding.Medium
			}
			p.Report(Report{File: file, At: s.Value.Place, Evidence: settingText(s), Severity: severity, Message: what})
		})
	},
})

// redirects reports whether a setting, by its path or among what a server gets, determines where prompts are sent.
func redirects(way string, ofServer bool) bool {
	last := way[strings.LastIndexByte(way, '/')+1:]
	of := way
	if ofServer {
		of = last
	}
	return modelAddress.MatchString(last) && ofModel.MatchString(of) || endsInAny(way, "https_proxy", "http_proxy", "all_proxy", "proxy", "http/proxy", "otel_exporter_otlp_endpoint", "otlpendpoint", "exporter/*/endpoint")
}

// A model's address by the end of its name, and what its name or that of what it stands in says: modelProviders.openai.0.baseUrl.
var (
	modelAddress = lazyregexp.New(`(?:base[_-]?url|api[_-]?(?:base|host|url)|endpoint|_host)$`)
	ofModel      = lazyregexp.New(`anthropic|openai|gemini|claude|chatgpt|code_assist|qwen|mistral|groq|openrouter|deepseek|bedrock|vertex|(?:^|[/_-])(?:(?:custom)?models?|llm|(?:model[_-]?)?providers?)(?:[/_-]|$)|apibase$`)
)

var _ = register(Check{
	ID: "GNT-123", Name: "unreadable-program", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP04:2025 close, ASI04 close, AST01 weak, AST02 close, AST08 close, CWE-506 weak, CWE-829 weak, L2 close, L6 weak",
	Axis:     "supply-chain", Source: sourceSkills,
	Doc: `A skill or a plugin brings a program that nobody can read: a binary, a library, bytecode of Python beside the source or
without it.

An agent runs what a skill tells it to run, and a reader of the skill sees only the text. Bytecode is run in place of the
source beside it if the times fit.

Not reported: pictures, fonts and sounds. What else cannot be read is a problem of the scan.`,
	Advice: "Build it from source, or take it out.",
	Run: func(p *Pass) {
		for i := range p.Files {
			if f := &p.Files[i]; f.Role == Program {
				name := f.Path[strings.LastIndexAny(f.Path, `/\`)+1:]
				p.Report(Report{File: i, At: Place{Line: 1, Column: 1, EndLine: 1, EndColumn: 1}, Evidence: name, Message: "a program that cannot be read lies among the files of an agent"})
			}
		}
	},
})

var _ = register(Check{
	ID: "GNT-124", Name: "link-out-of-folder", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP02:2025 weak, ASI03 weak, AST01 weak, AST06 close, CWE-59 close, CWE-61 close, L2 weak, L6 close",
	Axis:     "path-traversal", Source: "https://cwe.mitre.org/data/definitions/59.html",
	Doc: `A file for an agent is a symbolic link that leads out of the folder, or imports a file of credentials (@~/.ssh/id_rsa). The agent reads what the link leads to as if it belonged
to the project: a key, a configuration, another project.

Severity is high where the link leads to a file or a folder of credentials. A link within the folder is followed and not reported.`,
	Advice: "Replace the link by the file, or take it out.",
	Run: func(p *Pass) {
		for i := range p.Files {
			f := &p.Files[i]
			if f.Role == Instructions && (f.Client == "claude-code" || f.Client == "gemini-cli" || f.Client == "qwen-code") {
				for n, at := range Imports(f.Text) {
					if n == mostImports {
						break
					}
					if path := f.Text[at[0]:at[1]]; HoldsCredentials(path) {
						p.Report(Report{File: i, At: f.PlaceIn(at[0], at[1]), Evidence: path, Severity: finding.High, Message: "the file has a file of credentials read into every conversation"})
					}
				}
			}
			if f.LinksTo == "" {
				continue
			}
			severity := finding.Medium
			if clause.Credential(f.LinksTo) || strings.Contains(f.LinksTo, "/.ssh") || strings.Contains(f.LinksTo, "/.aws") {
				severity = finding.High
			}
			p.Report(Report{File: i, At: Place{Line: 1, Column: 1, EndLine: 1, EndColumn: 1}, Evidence: f.LinksTo, Severity: severity, Message: "the file is a link that leads out of the folder"})
		}
	},
})

// HoldsCredentials reports whether an imported path is that of a file of credentials.
func HoldsCredentials(path string) bool {
	return clause.Credential(path) && !strings.HasSuffix(path, ".md")
}

// mostImports limits the imports judged per file.
const mostImports = 1_000

// Imports returns where a text names a file to be read with it: @path at the beginning of a word, without the @.
func Imports(text string) (out [][2]int) {
	for i := strings.IndexByte(text, '@'); i >= 0 && i < len(text); {
		start := i + 1
		if i == 0 || strings.IndexByte(" \t\n\f\r(", text[i-1]) >= 0 {
			if m := imported.FindStringIndex(text[start:min(len(text), start+longestImport)]); m != nil {
				out = append(out, [2]int{start, start + m[1]})
				start += m[1]
			}
		}
		next := strings.IndexByte(text[start:], '@')
		if next < 0 {
			break
		}
		i = start + next
	}
	return out
}

// longestImport is the longest path that is read as one, as file systems have it.
const longestImport = 4096

var imported = lazyregexp.New(`^~?/?[\w./~-]*[\w-]`)
