package discover

import (
	"path"
	"slices"
	"strings"
	"sync"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
)

// A projectPattern is a path below a project that a client reads.
type projectPattern struct {
	client config.Client
	role   config.Role
	parts  []string // a final ** matches all files below
	unread bool     // a file below that its client does not read
}

// projectPatterns holds all clients' patterns by their first part.
var projectPatterns = sync.OnceValue(func() map[string][]projectPattern {
	out := map[string][]projectPattern{}
	for i := range applications {
		a := &applications[i]
		for _, p := range a.places() {
			if p.base != projectFolder {
				continue
			}
			parts := strings.Split(p.path, "/")
			key := parts[0]
			if strings.Contains(key, "*") {
				key = "*"
			}
			out[key] = append(out[key], projectPattern{client: a.Client, role: p.role, parts: parts})
		}
	}
	return out
})

// patternOf returns the pattern that matches a path of a project, wherever the project begins, with the role that the path has.
func patternOf(rel string) (projectPattern, bool) {
	parts := strings.Split(rel, "/")
	for at := range parts {
		for _, key := range []string{parts[at], "*"} {
			for _, p := range projectPatterns()[key] {
				if !fits(parts[at:], p.parts) {
					continue
				}
				if p.role != config.Configuration && p.parts[len(p.parts)-1] == "**" {
					p.role = roleWithin(rel, p.role)
					p.unread = p.role == config.Configuration
				}
				return p, true
			}
		}
	}
	return projectPattern{}, false
}

func fits(parts, pattern []string) bool {
	for i, p := range pattern {
		if p == "**" {
			return len(parts) > i
		}
		if i >= len(parts) {
			return false
		}
		if ok, _ := path.Match(p, parts[i]); !ok {
			return false
		}
		if p == "*" && i == len(pattern)-1 && !configurationName(parts[i]) {
			return false
		}
	}
	return len(parts) == len(pattern)
}

// Folder reads everything that agents of any client read in a folder: configurations, instruction files, skills and plugins at any
// depth. Links that lead out of it are not followed.
func Folder(h Host, dir string) []config.File {
	s := &source{Host: h, seen: map[string]bool{}}
	w := h.walkTree(dir, true)
	s.add(w.problems, Hint{Project: dir})
	s.folder(w, dir, "")
	s.follow(dir)
	s.submodules(w, dir)
	return s.out
}

// HasAgentFiles reports whether Folder reads a file of a client, known or not.
func HasAgentFiles(h Host, dir string) bool {
	return slices.ContainsFunc(Folder(h, dir), func(f config.File) bool { return f.Client != "" && f.Client != config.Generic })
}

// Known reports whether a file's name is that of a client's file or one that an agent reads.
func Known(name string) bool {
	low := strings.ToLower(path.Base(slashed(name)))
	switch path.Ext(low) {
	case ".mcpb", ".dxt", ".skill", ".md", ".mdc", ".mdx", ".markdown":
		return true
	}
	_, placed := patternOf(slashed(name))
	return placed || clientOfName(name) != "" || pluginManifests[low] != "" || low == "hooks.json" || low == "plugin.json"
}

var pluginManifests = map[string]config.Client{
	".claude-plugin/plugin.json": "claude-code", ".codex-plugin/plugin.json": "codex", ".cursor-plugin/plugin.json": "cursor", ".github/plugin/plugin.json": "copilot-cli",
	"gemini-extension.json": "gemini-cli", "qwen-extension.json": "qwen-code", "POWER.md": "kiro",
}

// roots maps folders with a skill or plugin to its client.
type roots map[string]config.Client

// of returns the innermost root above a path.
func (r roots) of(rel string) (root string, client config.Client, ok bool) {
	for dir := path.Dir(rel); ; dir = path.Dir(dir) {
		if client, ok := r[dir]; ok {
			return dir, client, true
		}
		if dir == "." || dir == "/" {
			return "", "", false
		}
	}
}

// folder reads what agents read among the files of a walk. client applies to files whose place names none.
func (s *source) folder(w *walk, project string, client config.Client) {
	skills, plugins, hidden := roots{}, roots{}, map[string]bool{}
	for _, f := range w.files {
		if first, _, below := strings.Cut(f.rel, "/"); below && first[0] == '.' {
			hidden[first] = true
		}
		if strings.EqualFold(path.Base(f.rel), "SKILL.md") {
			skills[path.Dir(f.rel)] = client
		}
		for m, c := range pluginManifests {
			if f.rel == m || strings.HasSuffix(f.rel, "/"+m) {
				plugins[path.Clean(strings.TrimSuffix(f.rel, m))] = c
			}
		}
	}
	for _, f := range w.files {
		out := w.within && w.leadsOut(f.path)
		hint, ok := hintIn(f.rel, skills, plugins)
		if !ok && out { // possibly a folder, in which files would be read
			hint, ok = hintIn(f.rel+"/x.md", skills, plugins)
		}
		if !ok {
			folder, _, below := strings.Cut(f.rel, "/")
			if stem := "." + strings.ToLower(strings.TrimSuffix(folder, path.Ext(folder))); !below && hidden[stem] { // NEWAGENT.md beside .newagent
				folder, f.rel = stem, stem+"/"+f.rel
			}
			switch {
			case !strings.HasPrefix(f.rel, ".") || out || strings.Count(f.rel, "/") > maxUnknownDeep:
			case unknownText(f.rel):
				s.read(f.path, Hint{Client: unknownOf(folder), Role: config.Instructions, Optional: true, Project: project})
			default:
				s.unknownFile(f.path, project, unknownOf(folder))
			}
			continue
		}
		if client != "" && (hint.Client == agentSkills || hint.Client == config.Generic) {
			hint.Client = client
		}
		hint.Project = project
		if out {
			s.out = append(s.out, outside(w, f, hint))
			continue
		}
		s.read(f.path, hint)
	}
}

const agentSkills config.Client = "agent-skills"

// hintIn returns a file's role for an agent, or false.
func hintIn(rel string, skills, plugins roots) (Hint, bool) {
	plugin, client, isPlugin := plugins.of(rel)
	if p, ok := patternOf(rel); ok && !p.unread {
		if p.client == agentSkills && isPlugin {
			p.client = client
		}
		return Hint{Client: p.client, Role: p.role, Optional: true}, true
	}
	if skill, _, ok := skills.of(rel); ok && !(isPlugin && len(skill) < len(plugin)) {
		if !isPlugin {
			client = agentSkills
		}
		return Hint{Client: client, Role: roleWithin(rel, config.Skill), Optional: true}, true
	}
	if isPlugin {
		within := strings.TrimPrefix(rel, strings.TrimPrefix(plugin+"/", "./"))
		first, _, _ := strings.Cut(within, "/")
		if role, ok := pluginRole(first, within); ok {
			return Hint{Client: client, Role: role, Optional: true}, true
		}
	}
	switch name := strings.ToLower(path.Base(rel)); path.Ext(name) {
	case ".mcpb", ".dxt":
		return Hint{Client: "claude-desktop", Optional: true}, true
	case ".skill":
		return Hint{Client: agentSkills, Role: config.Skill, Optional: true}, true
	}
	return Hint{}, false
}

func pluginRole(first, within string) (config.Role, bool) {
	if low := strings.ToLower(within); first == within && textName(low) && !strings.HasPrefix(low, "readme") && !strings.HasPrefix(low, "license") && !strings.HasPrefix(low, "changelog") && !strings.HasPrefix(low, "contributing") && !strings.HasPrefix(low, "security") && !strings.HasPrefix(low, "code_of") {
		return config.Instructions, true // an extension's manifest names its context file
	}
	switch first {
	case ".claude-plugin", ".codex-plugin", ".cursor-plugin", ".mcp.json", "mcp.json", "settings.json", "hooks.json", "gemini-extension.json", "qwen-extension.json", ".lsp.json", "hooks", "monitors":
		if path.Ext(within) == ".json" {
			return config.Configuration, true
		}
	}
	role := roleWithin(within, map[string]config.Role{"commands": config.Command, "agents": config.Subagent, "rules": config.Instructions, "steering": config.Instructions, "output-styles": config.Instructions,
		"instructions": config.Instructions, "context": config.Instructions, "hooks": config.Script, "scripts": config.Script, "bin": config.Script}[first])
	return role, role != config.Configuration
}

// outside reports a link that leads out of the folder.
func outside(w *walk, f treeFile, hint Hint) config.File {
	real, _ := w.FS.Resolve(f.path)
	out := failedAs(finding.Unread, f.path, hint, "it is a link that leads out of the folder and was not followed")
	out.LinksTo = real
	return out
}

// submodules reports the folders of submodules that are not checked out.
func (s *source) submodules(w *walk, dir string) {
	at := w.joinPath(dir, ".gitmodules")
	data, err := s.FS.ReadFile(at, maxFlat)
	if err != nil {
		return
	}
	for i, line := range strings.Split(string(data), "\n") {
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.TrimSpace(key) != "path" || strings.Contains(value, "..") {
			continue
		}
		sub := w.joinPath(dir, strings.TrimSpace(value))
		if names, err := s.FS.ReadDir(sub); err != nil || len(names) == 0 {
			f := failedAs(finding.Unread, at, Hint{Client: config.Generic, Project: dir}, "the submodule "+strings.TrimSpace(value)+" is not checked out, so nothing of it was read")
			f.Problems[0].Location.Line = i + 1
			s.out = append(s.out, f)
		}
	}
}
