package discover

import (
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
	p, dir, found := s.find(f, m.path, root)
	switch {
	case !found && m.must:
		return "is not there or cannot be told beforehand, and was not read"
	case !found, s.seen[p], m.role == config.SkillFile && config.HoldsCredentials(m.path): // a file of credentials is GNT-124's
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
		return s.packageScript(p, m.script, hint)
	case !dir:
		s.read(p, hint)
		return ""
	}
	for _, file := range s.walkTree(p, true).files {
		h := hint
		if h.Role = roleWithin(file.rel, m.role); h.Role != config.Configuration {
			s.read(file.path, h)
		}
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

// packageScript adds a script of a package.json, with what runs before and behind it, as the command of a hook that it is.
func (s *source) packageScript(p, name string, hint Hint) (why string) {
	key := p + "\x00" + name
	if s.seen[key] {
		return ""
	}
	s.seen[key] = true
	hint.Format = JSON
	for _, f := range s.readFiles(p, hint) {
		f.Settings = slices.DeleteFunc(f.Settings, func(set config.Setting) bool {
			return len(set.Keys) != 2 || set.Keys[0] != "scripts" || !slices.Contains([]string{name, "pre" + name, "post" + name}, set.Keys[1])
		})
		if len(f.Settings) == 0 {
			return "has no script " + name + " that could be read"
		}
		for i := range f.Settings {
			f.Settings[i].Keys = []string{"hooks", f.Settings[i].Keys[1], "command"}
		}
		f.Entries = []config.Entry{}
		s.out = append(s.out, f)
	}
	return ""
}

// mentionsOf returns what a file names: programs of the commands that run by themselves, what a plugin's manifest
// points to, what a text imports, the scripts of a skill.
func mentionsOf(f *config.File) (out []mention) {
	manifest := isManifest(f.Path)
	for i := range f.Settings {
		set := &f.Settings[i]
		role, points := config.Configuration, false
		if manifest {
			role, points = manifestRole(set)
		}
		switch {
		case points:
			out = append(out, mention{path: set.Value.Reveal(), role: role, at: set.Value.Place, must: true})
		case set.RunsBySelf():
			out = commandMentions(out, set.Value.Reveal(), set.Value.Place, 0)
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

// manifestRole returns the role of what a member of a plugin's manifest points to, or false if it is no path.
func manifestRole(set *config.Setting) (config.Role, bool) {
	role, known := map[string]config.Role{
		"hooks": config.Configuration, "mcpServers": config.Configuration, "lspServers": config.Configuration, "commands": config.Command, "agents": config.Subagent,
		"skills": config.Skill, "outputStyles": config.Instructions, "rules": config.Instructions, "contextFileName": config.Instructions,
	}[set.Keys[0]]
	at := set.Keys[len(set.Keys)-1]
	return role, known && (len(set.Keys) == 1 || len(set.Keys) == 2 && at == "" || set.Keys[0] == "commands" && at == "source")
}

var (
	substitution = lazyregexp.New(`\$\([^()]*\)|` + "`[^`]*`")
	runner       = lazyregexp.New(`(?:^|[\s;&|(])(npm|pnpm|yarn|bun|make|just)((?:\s+-\S+)*)(?:\s+(run|run-script|rum)((?:\s+-\S+)*))?\s+([\w:.-]+)`)
	recipes      = map[string][]string{"make": {"Makefile", "makefile", "GNUmakefile"}, "just": {"justfile", "Justfile", ".justfile"}}
)

// commandMentions adds the programs that a command names. A script that is not there is a problem, another word is none:
// "npx prettier --write x.css".
func commandMentions(out []mention, command string, at config.Place, depth int) []mention {
	const deepest = 2
	if len(command) > config.MaxJudged || depth > deepest || strings.Contains(command, "://") && !strings.Contains(command, " ") {
		return out
	}
	for _, m := range runner.FindAllStringSubmatch(command, maxMentions) {
		switch files := recipes[m[1]]; {
		case files != nil:
			for _, name := range files {
				out = append(out, mention{path: name, role: config.Script, at: at})
			}
		case m[3] != "":
			out = append(out, mention{path: "package.json", script: m[5], at: at, must: true})
		default: // "npm test", but also "npm install"
			out = append(out, mention{path: "package.json", script: m[5], at: at, must: slices.Contains([]string{"test", "start"}, m[5])})
		}
	}
	words := config.Words(strings.NewReplacer(";", " ; ", "|", " | ", "&", " & ", "<", " ", ">", " ").Replace(substitution.ReplaceAllString(command, "$$PWD")), false)
	for i, w := range words {
		low := strings.ToLower(slashed(w))
		if strings.ContainsAny(w, " \n\t") {
			out = commandMentions(out, w, at, depth+1)
			continue
		}
		first := i == 0 || strings.Contains("|&;", words[i-1])
		switch {
		case i > 0 && words[i-1] == "-m":
			out = append(out, mention{path: strings.ReplaceAll(w, ".", "/") + ".py", role: config.Script, at: at})
		case strings.HasPrefix(w, "-") || strings.Contains(w, "://") || strings.Contains(w, "*"):
		case scriptName(low):
			out = append(out, mention{path: w, role: config.Script, at: at, must: true})
		case path.Ext(low) == "" && strings.Contains(low, "/"):
			out = append(out, mention{path: w, role: config.Script, at: at, must: first && (homely(w) || strings.HasPrefix(w, "./") || leadingReference.MatchString(w))})
		}
	}
	return out
}

// textMentions adds what a text imports, and the scripts that a skill, a command or a sub-agent names.
func textMentions(out []mention, f *config.File) []mention {
	for _, span := range config.Imports(f.Text) {
		name := f.Text[span[0]:span[1]]
		role := config.SkillFile
		switch low := strings.ToLower(name); {
		case scriptName(low):
			role = config.Script
		case f.Role == config.Instructions && (textName(low) || path.Ext(low) == "" && !config.HoldsCredentials(low)):
			role = config.Instructions
		}
		out = append(out, mention{path: name, role: role, at: config.Place{Start: span[0], End: span[1]}})
	}
	if f.Role == config.Instructions {
		return out
	}
	start := -1
	for i := 0; i <= len(f.Text); i++ {
		if i < len(f.Text) && !strings.ContainsRune(" \t\r\n`\"'()[]<>,;|=", rune(f.Text[i])) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			w := strings.TrimRight(f.Text[start:i], ".:!?*")
			if scriptName(strings.ToLower(w)) && !strings.Contains(w, "://") {
				out = append(out, mention{path: strings.TrimPrefix(w, "@"), role: config.Script, at: config.Place{Start: start, End: start + len(w)}})
			}
		}
		start = -1
	}
	return out
}
