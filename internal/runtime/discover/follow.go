package discover

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/leaf/lazyregexp"
)

// Limits on what files name: how many hops from a file that a client reads by itself, as deep as Claude Code imports, and
// how many names in one file.
const (
	maxHops     = 5
	maxMentions = 500
)

// A mention is a file or folder that another file names, and that an agent or its client reads or runs because of that.
type mention struct {
	path   string      // as written
	role   config.Role // of what is there
	script string      // for a package.json, the script of it that is run
	at     config.Place
	must   bool // nothing there, or nothing that can be read, is a problem
}

// follow reads what the files that were read name, hop by hop, below root or, where they say so, in the user's home. What
// lies elsewhere is a problem of the file that names it.
func (s *source) follow(root string) {
	hops := make([]int, len(s.out))
	for i := 0; i < len(s.out); i++ {
		for n, m := range mentionsOf(&s.out[i]) {
			if n == maxMentions {
				f := &s.out[i]
				f.Problems = append(f.Problems, finding.Problem{Kind: finding.Limit, Message: fmt.Sprintf("it names more than %d files: the rest was not read", maxMentions), Location: finding.Location{File: f.Path}})
				break
			}
			why := s.followOne(&s.out[i], m, root, hops[i] >= maxHops)
			if why != "" {
				f := &s.out[i]
				if m.at.Line == 0 { // of a text, whose lines are counted only now
					m.at = f.PlaceIn(m.at.Start, m.at.End)
				}
				f.Problems = append(f.Problems, finding.Problem{Kind: finding.Unread, Message: fmt.Sprintf("it names %s, which %s", m.path, why), Order: m.at.Start,
					Location: finding.Location{Pointer: m.at.Pointer, File: f.Path, Line: m.at.Line, Column: m.at.Column}})
			}
			for len(hops) < len(s.out) {
				hops = append(hops, hops[i]+1)
			}
		}
	}
}

// followOne reads what a file names, or says why it was not read; "" too for what is nothing.
func (s *source) followOne(f *config.File, m mention, root string, tooFar bool) (why string) {
	if strings.Contains(m.path, "*") && !tooFar {
		return s.followPattern(f, m)
	}
	p, dir, found := s.find(f, m.path, root)
	switch {
	case strings.Contains(m.path, "://"):
		return "lies at an address and was not read"
	case !found && m.must:
		return "is not there or cannot be told beforehand, and was not read"
	case !found, s.seen[p], m.role == config.SkillFile && config.HoldsCredentials(m.path): // a file of credentials is GNT-124's
		return ""
	case dir && m.role == config.Script && (homely(m.path) || strings.HasPrefix(f.Path, strings.TrimRight(p, `/\`)+"/")): // "cd ~/", "sh ./"
		return ""
	case tooFar:
		return fmt.Sprintf("is more than %d files away and was not read", maxHops)
	case !s.below(p, root) && !s.below(p, f.Project) && !(homely(m.path) && s.below(p, s.Home)):
		if m.role == config.Script && !m.must { // a program of the system
			return ""
		}
		return "lies outside of the folder and was not read"
	}
	hint := Hint{Client: f.Client, Project: f.Project, Role: m.role, Optional: true}
	switch {
	case m.script != "":
		if why = s.packageScript(p, m.script, hint); !m.must {
			return ""
		}
		return why
	case !dir:
		s.read(p, hint)
		return ""
	}
	s.tree(s.walkTree(p, true), hint)
	return ""
}

// followPattern reads the files of the project, or of the file's folder, that a pattern names: docs/**/*.md.
func (s *source) followPattern(f *config.File, m mention) (why string) {
	base := cmp.Or(f.Project, f.Path[:max(strings.LastIndexAny(f.Path, `/\`), 0)])
	pattern := slashed(m.path)
	read := func(p string) {
		if ok, _ := path.Match(path.Base(pattern), path.Base(slashed(p))); ok && s.below(p, base) {
			s.read(p, Hint{Client: f.Client, Project: f.Project, Role: m.role, Optional: true})
		}
	}
	for _, p := range s.glob(s.joinPath(base, strings.TrimPrefix(pattern, "./")), func(w *walk) {
		for _, file := range w.files {
			read(file.path)
		}
	}) {
		read(p)
	}
	return ""
}

// below reports whether a path lies in a folder once links are resolved.
func (s *source) below(p, folder string) bool {
	if folder == "" {
		return false
	}
	real, err := s.FS.Resolve(p)
	base, err2 := s.FS.Resolve(folder)
	return err == nil && err2 == nil && strings.HasPrefix(slashed(real)+"/", strings.TrimRight(slashed(base), "/")+"/")
}

// leadingReference matches what stands for a folder that the client knows: $CLAUDE_PROJECT_DIR/, ${CLAUDE_PLUGIN_ROOT}/, %CD%\.
var leadingReference = lazyregexp.New(`^(?:\$\{?[A-Za-z_][\w:.-]*\}?|\{\w+\}|%\w+%)/`)

// homely reports whether a path is written as one in the user's home.
func homely(p string) bool {
	return strings.HasPrefix(p, "~") || strings.HasPrefix(p, "$HOME/") || strings.HasPrefix(p, "${HOME}/")
}

// find returns the path of what a file names. A relative one is looked for in the file's folder and in those above it up
// to the root: wherever a project or a plugin begins, it is one of them.
func (s *source) find(f *config.File, name, root string) (p string, dir, found bool) {
	name = slashed(name)
	if homely(name) {
		if s.Home == "" {
			return "", false, false
		}
		_, rest, _ := strings.Cut(name, "/")
		return s.there(s.joinPath(s.Home, rest))
	}
	if m := leadingReference.FindString(name); m != "" {
		name = name[len(m):]
	} else if strings.HasPrefix(name, "/") {
		return s.there(name)
	}
	if strings.ContainsAny(name, "$*?%{}") {
		return "", false, false
	}
	folder := f.Path
	for range maxDeep {
		at := strings.LastIndexAny(folder, `/\`)
		if at <= 0 {
			break
		}
		folder = folder[:at]
		if p, dir, found = s.there(path.Clean(slashed(folder) + "/" + name)); found {
			return p, dir, true
		}
		if folder == root || folder == f.Project {
			break
		}
	}
	return "", false, false
}

func (s *source) there(p string) (string, bool, bool) {
	if s.OS == "windows" {
		p = strings.ReplaceAll(p, "/", `\`)
	}
	mode, err := s.FS.Mode(p)
	return p, err == nil && mode.IsDir(), err == nil && (mode.IsDir() || mode.IsRegular())
}

// packageScript adds a script of a package.json, with what runs before and behind it. An installation runs what builds the package, too.
func (s *source) packageScript(p, name string, hint Hint) (why string) {
	key := p + "\x00" + name
	if s.seen[key] {
		return ""
	}
	s.seen[key] = true
	hint.Format = JSON
	for _, f := range s.readFiles(p, hint) {
		f.Settings = slices.DeleteFunc(f.Settings, func(set config.Setting) bool {
			return len(set.Keys) != 2 || set.Keys[0] != "scripts" || !slices.Contains([]string{name, "pre" + name, "post" + name}, set.Keys[1]) && !(name == "install" && set.Keys[1] == "prepare")
		})
		if len(f.Settings) == 0 {
			return "has no script " + name + " that could be read"
		}
		for i := range f.Settings {
			f.Settings[i].Keys = append(f.Settings[i].Keys, "command")
		}
		f.Entries = []config.Entry{}
		s.out = append(s.out, f)
	}
	return ""
}

// mentionsOf returns what a file names: programs of the commands that run by themselves and of a project's servers, what a
// configuration points to, what a text imports or has its reader run or read.
func mentionsOf(f *config.File) (out []mention) {
	manifest := isManifest(f.Path)
	for i := range f.Settings {
		set := &f.Settings[i]
		value := set.Value.Reveal()
		if m, ok := pointed(set, value, manifest); ok {
			out = append(out, m)
		} else if f.RunsBySelf(set) {
			how := byItself
			if set.Keys[0] == "configurations" { // what a debugger starts when the user asks for it, and what is built before
				how = told
			}
			out = commandMentions(out, value, set.Value.Place, 0, how)
		}
		switch {
		case set.Fits("tasks//script"): // a task of type npm
			out = append(out, mention{path: "package.json", script: value, at: set.Value.Place})
		case set.Fits("command/*/template"): // OpenCode
			eachCommand(value, func(start, end int) {
				out = commandMentions(out, value[start:end], set.Value.Place, 0, told)
			})
		}
	}
	for i := range f.Entries {
		if e := &f.Entries[i]; !e.Disabled {
			command := e.CommandLine()
			if e.Cwd != "" {
				command = "cd " + e.Cwd + " && " + command
			}
			out = commandMentions(out, command, e.CommandAt, 0, served)
			if e.EnvFile != "" {
				out = append(out, mention{path: e.EnvFile, at: e.Place})
			}
		}
	}
	switch f.Role {
	case config.Instructions, config.Skill, config.SkillFile, config.Command, config.Subagent:
		out = textMentions(out, f)
	}
	seen := map[string]bool{}
	out = slices.DeleteFunc(out, func(m mention) bool {
		key := m.path + "\x00" + m.script
		again := seen[key]
		seen[key] = true
		return again
	})
	return out
}

func isManifest(p string) bool {
	for m := range pluginManifests {
		if strings.HasSuffix("/"+slashed(p), "/"+m) {
			return true
		}
	}
	return false
}

// A pointer is a setting whose value is the path of another file of the agent.
type pointer struct {
	keys string // as of settingRule
	role config.Role
}

var (
	manifestPointers = []pointer{
		{"/hooks /hooks/ /mcpservers /mcpservers/ /lspservers /lspservers/", config.Configuration}, {"/commands /commands/ /commands/*/source", config.Command},
		{"/agents /agents/", config.Subagent}, {"/skills /skills/", config.Skill}, {"/outputstyles /outputstyles/ /rules /rules/ /contextfilename /contextfilename/", config.Instructions},
	}
	// Of OpenCode, Aider, VS Code, Codex, Gemini CLI and Qwen Code.
	pointers = []pointer{
		{"/instructions/ /read /read/ instructions//file model_instructions_file experimental_instructions_file ", config.Instructions},
		{lookedFor, config.Instructions},
		{"/plugin/ /load", config.Script},
	}
	// lookedFor are settings whose files need not be there.
	lookedFor = "context/filename context/filename/ project_doc_fallback_filenames/"

	fileReference = lazyregexp.New(`^\{file:([^{}\s]+)\}$`)
)

// pointed returns what a setting points to. Outside of manifests only what looks like a path is one.
func pointed(set *config.Setting, value string, manifest bool) (mention, bool) {
	if m := fileReference.FindStringSubmatch(value); m != nil { // OpenCode
		return mention{path: m[1], role: config.Instructions, at: set.Value.Place, must: true}, true
	}
	if len(set.Keys) == 2 && strings.HasSuffix(set.Keys[0], "FilesLocations") && value == "true" { // VS Code, with the path as the name
		return mention{path: set.Keys[1], role: config.Instructions, at: set.Value.Place}, true
	}
	known := pointers
	if manifest {
		known = manifestPointers
	}
	value = strings.TrimPrefix(value, "file://")
	low := strings.ToLower(value)
	for _, p := range known {
		if set.Fits(p.keys) && (manifest || textName(low) || p.role == config.Script && programName(low)) && !strings.ContainsAny(value, " \n") {
			return mention{path: value, role: p.role, at: set.Value.Place, must: !set.Fits(lookedFor)}, true
		}
	}
	return mention{}, false
}

var (
	separated    = strings.NewReplacer(";", " ; ", "|", " | ", "&", " & ", "<", " ", ">", " ")
	substitution = lazyregexp.New(`\$\([^()]*\)|` + "`[^`]*`")
	runner       = lazyregexp.New(`(?:^|[\s;&|(])(npm|pnpm|yarn|bun|make|just|task|rake|pip3?)((?:\s+-\S+)*)(?:\s+(run|run-script|rum)((?:\s+-\S+)*))?\s+([\w:.-]+)`)
	recipes      = map[string][]string{"make": {"Makefile", "makefile", "GNUmakefile"}, "just": {"justfile", "Justfile", ".justfile"}, "task": {"Taskfile.yml", "Taskfile.yaml"}, "rake": {"Rakefile"}, "pip": {"setup.py"}, "pip3": {"setup.py"}}
	interpreters = wordSet("sh bash zsh dash ksh fish ash source . python node bun tsx ts-node deno perl ruby php lua run execute start launch call invoke pwsh powershell rscript sudo env osascript nu julia swift java kotlin groovy elixir tclsh cscript wscript")
)

// filterPrograms are those that are given a path within data.
var filterPrograms = wordSet("jq yq gojq jaq dasel fx")

// interprets reports whether a program, in small letters, runs the one behind it: /usr/bin/python3.12, bash.exe.
func interprets(program string) bool {
	name := strings.TrimSuffix(program[strings.LastIndexByte(program, '/')+1:], ".exe")
	return interpreters[name] || strings.HasPrefix(name, "python") && interpreters[strings.TrimRight(name, "0123456789.")]
}

// inFolder matches what has a command run in another folder, which is none that a variable names.
var inFolder = lazyregexp.New(`\s(?:--prefix|--directory|--cwd|--dir|-C)[\s=]+([^\s$"'-]\S*)|(?:^|[;&|]\s*)cd\s+([^\s;&|$"'~/-][^\s;&|$]*)\s*(?:&&|;)`)

// A way says how sure it is that a command is run.
type way uint8

const (
	byItself way = iota // by a client: what it names must be there
	told                // by the reader of a text: only what it runs is looked for
	served              // as a server: a program without an extension is mostly a compiled one
)

// commandMentions adds the programs that a command names. A script that is not there is a problem, another word is none:
// "npx prettier --write x.css".
func commandMentions(out []mention, command string, at config.Place, depth int, how way) []mention {
	const deepest = 2
	oneWord := !strings.ContainsAny(command, " \t\n;|&<>")
	if len(command) > config.MaxJudged || depth > deepest || oneWord && (strings.Contains(command, "://") || how == told && !strings.HasPrefix(command, "./")) {
		return out
	}
	dir := ""
	if m := inFolder.FindStringSubmatch(command); m != nil {
		dir, command = strings.TrimSuffix(m[1]+m[2], "/")+"/", strings.Replace(command, m[0], " ", 1)
	}
	for _, m := range runner.FindAllStringSubmatch(command, maxMentions) {
		switch files := recipes[m[1]]; {
		case files != nil:
			for _, name := range files {
				out = append(out, mention{path: dir + name, role: config.Script, at: at})
			}
		default: // "npm test", but also "npm install"
			script := m[5]
			if script == "i" || script == "ci" {
				script = "install"
			}
			out = append(out, mention{path: dir + "package.json", script: script, at: at, must: how == byItself && (m[3] != "" || slices.Contains([]string{"test", "start"}, script))})
		}
	}
	words := config.Words(separated.Replace(substitution.ReplaceAllString(command, "$$PWD")), false)
	runs, filters := true, false // the next word is a program, and the last program's words are no files
	for i, w := range words {
		low := strings.ToLower(slashed(w))
		run := runs
		runs = strings.Contains("|&;", w) || run && strings.HasPrefix(w, "-") || interprets(low)
		if run && !strings.HasPrefix(w, "-") {
			filters = filterPrograms[low]
		}
		if filters && strings.HasPrefix(w, ".") && !strings.Contains(w, "/") { // jq .tool_input.command
			continue
		}
		if strings.ContainsAny(w, " \n\t") {
			out = commandMentions(out, w, at, depth+1, how)
			continue
		}
		if dir != "" && run && !strings.HasPrefix(w, "/") && (programName(low) || strings.Contains(low, "/")) {
			out = append(out, mention{path: dir + strings.TrimPrefix(w, "./"), role: config.Script, at: at})
			continue
		}
		first := i == 0 || strings.Contains("|&;", words[i-1])
		switch {
		case i > 0 && words[i-1] == "-m":
			out = append(out, mention{path: strings.ReplaceAll(w, ".", "/") + ".py", role: config.Script, at: at})
		case strings.HasPrefix(w, "-") || strings.Contains(w, "://") || strings.Contains(w, "*") || how != byItself && !run, how == served && first && path.Ext(low) == "", how == told && len(words) == 1 && !strings.HasPrefix(w, "./"):
		case programName(low):
			out = append(out, mention{path: w, role: config.Script, at: at, must: how == byItself})
		case path.Ext(low) == "" && strings.Contains(low, "/"):
			out = append(out, mention{path: w, role: config.Script, at: at, must: how == byItself && first && (homely(w) || strings.HasPrefix(w, "./") || leadingReference.MatchString(w))})
		}
	}
	return out
}

// textMentions adds what a text imports, what it has its reader run, and the files that it names: programs, which a project's
// instructions name for other reasons too, and texts, which an agent reads when they are named.
func textMentions(out []mention, f *config.File) []mention {
	imports := f.Client == "claude-code" || f.Client == "gemini-cli" || f.Client == "qwen-code"
	prose := []byte(f.Text) // without code, in which nothing is imported
	eachCommand(f.Text, func(start, end int) {
		out = commandMentions(out, f.Text[start:end], config.Place{Start: start, End: end}, 0, told)
		copy(prose[start:end], strings.Repeat(" ", end-start))
	})
	for _, span := range config.Imports(f.Text) {
		name := f.Text[span[0]:span[1]]
		role, must := config.SkillFile, false
		switch low := strings.ToLower(name); {
		case programName(low):
			role = config.Script
		case f.Role == config.Instructions && (textName(low) || path.Ext(low) == "" && !config.HoldsCredentials(low)):
			role, must = config.Instructions, imports && textName(low) && !homely(name)
		}
		out = append(out, mention{path: name, role: role, at: config.Place{Start: span[0], End: span[1]}, must: must && string(prose[span[0]:span[1]]) == name})
	}
	start, before := -1, ""
	for i := 0; i <= len(f.Text); i++ {
		if i < len(f.Text) && strings.IndexByte(" \t\r\n`\"'()[]<>,;|=", f.Text[i]) < 0 {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			w := strings.TrimRight(f.Text[start:i], ".:!?*")
			m := mention{path: strings.TrimPrefix(w, "@"), role: config.Script, at: config.Place{Start: start, End: start + len(w)}}
			said := runVerbs[strings.ToLower(before)] // "Run ./scripts/setup.sh first"
			before = w
			switch low := strings.ToLower(w); {
			case strings.Contains(w, "://") || strings.Contains(w, "*"):
			case programName(low) && (said || f.Role != config.Instructions), said && strings.Contains(w, "/") && path.Ext(low) == "":
				out = append(out, m)
			case textName(low) && f.Role != config.SkillFile:
				m.role = config.SkillFile
				out = append(out, m)
			}
		}
		start = -1
	}
	return out
}

// runVerbs are the words before a program that a text has its reader run.
var runVerbs = wordSet("run execute start launch call invoke source bash sh python python3 node")

// eachCommand calls judge for the commands in a text: lines of blocks of code, by fences or by indentation, and spans of code.
func eachCommand(text string, judge func(start, end int)) {
	fence, at := false, 0
	for line := range strings.Lines(text) {
		switch trimmed := strings.TrimLeft(line, " \t>$"); {
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			fence = !fence
		case fence, strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t"):
			judge(at+len(line)-len(trimmed), at+len(line))
		default:
			from := at
			for i, part := range strings.Split(line, "`") {
				if i%2 == 1 {
					judge(from, from+len(part))
				}
				from += len(part) + 1
			}
		}
		at += len(line)
	}
}
