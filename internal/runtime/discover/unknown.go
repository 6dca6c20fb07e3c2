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

// Limits on the search for clients that nobody told gauntlet about: a file of settings is short, and lies near the root of
// its program's folder.
const (
	maxUnknownBytes = 1 << 20
	maxUnknownFiles = 50_000
	maxUnknownDeep  = 3
)

// Unknown begins the names of clients that are none of the list: behind it stands the folder in which their files lie.
const Unknown config.Client = "unknown-client"

func unknownOf(folder string) config.Client {
	return Unknown + config.Client(" ("+strings.TrimPrefix(folder, ".")+")")
}

// caches are folders of a home in which programs keep what is no setting.
var caches = map[string]bool{".cache": true, ".npm": true, ".cargo": true, ".rustup": true, ".local": true, ".config": true, ".nvm": true, ".pyenv": true, ".m2": true, ".gradle": true, ".mozilla": true, ".thunderbird": true, ".Trash": true,
	"Cache": true, "Code Cache": true, "GPUCache": true, "IndexedDB": true, "blob_storage": true, "extensions": true, "logs": true, "sessions": true, "history": true}

// namesServers matches a text that may configure servers.
var namesServers = lazyregexp.New(`(?i)mcp_?-?servers|context_servers|["\[]mcp["\].]|(?m)^mcp:|"servers"\s*:`)

// namesRights matches a text that may set what an agent runs by itself, or may do unasked.
var namesRights = lazyregexp.New(`(?i)"?hooks"?\s*[:=\]]|"?permissions"?\s*[:=\]]|auto_?-?approve|approval_?-?(?:mode|policy)|\byolo\b`)

// guidance are the names of folders in which texts for agents lie.
var guidance = map[string]bool{"rules": true, "skills": true, "commands": true, "agents": true, "subagents": true, "prompts": true, "instructions": true, "guidelines": true, "microagents": true, "steering": true, "workflows": true}

// unknownText reports whether a path of a project or a home is that of a text for agents of a client that belongs to none of the list: it
// lies in a folder for such, is named like one, or like the client's folder: .qoder/rules/style.md, .qoder/rules.md, .qoder/QODER.md.
func unknownText(rel string) bool {
	parts := strings.Split(strings.ToLower(rel), "/")
	name := parts[len(parts)-1]
	stem := strings.TrimSuffix(name, path.Ext(name))
	parts[len(parts)-1] = stem
	return len(parts) > 1 && strings.HasPrefix(rel, ".") && textName(name) && (stem == parts[0][1:] || slices.ContainsFunc(parts[1:], func(p string) bool { return guidance[p] }))
}

// unknownClients reads the files of settings in the user's home that hold servers, and the skills there, that belong to no client of
// the list. It comes behind those: what was read is left.
func (s *source) unknownClients() {
	left := maxUnknownFiles
	look := func(dir string, hidden bool, deep int) { s.unknownIn(dir, "", hidden, deep, &left) }
	look(s.Home, true, maxUnknownDeep)
	for _, dir := range []string{s.Host.folder(configFolder), s.Host.folder(localFolder), s.Host.folder(xdgFolder), s.joinPath(s.Home, ".config"), s.joinPath(s.Home, ".local/share")} {
		look(dir, false, maxUnknownDeep-1)
	}
	if left <= 0 {
		s.out = append(s.out, failedAs(finding.Limit, s.Home, Hint{Client: Unknown}, fmt.Sprintf("more than %d files of settings: the rest was not searched for servers", maxUnknownFiles)))
	}
}

// unknownIn looks for files with servers, and for texts, in a folder; rel is its path from where the search began, hidden says only those
// whose names begin with a dot.
func (s *source) unknownIn(dir, rel string, hidden bool, deep int, left *int) {
	if s.looked[dir] {
		return
	}
	s.looked[dir] = true
	names, _ := s.FS.ReadDir(dir) // one that is missing or locked has nothing for a client either
	for _, name := range names {
		if *left--; *left < 0 {
			return
		}
		p, within := s.joinPath(dir, name), path.Join(rel, name)
		folder, _, _ := strings.Cut(within, "/")
		mode, err := s.FS.Mode(p)
		switch {
		case err != nil, hidden && !strings.HasPrefix(name, "."), s.seen[p]:
		case mode.IsDir() && deep > 0 && !caches[name] && !skipped[name]:
			s.unknownIn(p, within, false, deep-1, left)
		case mode.IsRegular() && strings.EqualFold(name, "SKILL.md"):
			s.tree(s.walkTree(dir, true), Hint{Client: unknownOf(folder), Role: config.Skill, Optional: true})
		case mode.IsRegular() && unknownText(within):
			s.read(p, Hint{Client: unknownOf(folder), Role: config.Instructions, Optional: true})
		case mode.IsRegular():
			s.unknownFile(p, "", unknownOf(folder))
		}
	}
}

// unknownFile reads a file if it is one of settings and holds servers, hooks or rights.
func (s *source) unknownFile(p, project string, client config.Client) {
	if !configurationName(p) && !ends(p, ".jsonc", ".json5", ".toml") {
		return
	}
	data, err := s.FS.ReadFile(p, maxUnknownBytes+1)
	yaml := ends(p, ".yaml", ".yml") // pipelines and checks before a commit have hooks and permissions, too
	rights := project != "" && err == nil && !yaml && namesRights.Match(data)
	if err != nil || !rights && !namesServers.Match(data) {
		return
	}
	hint := Hint{Client: client, Project: project, Optional: true}
	if len(data) > maxUnknownBytes {
		s.out = append(s.out, failedAs(finding.Limit, p, hint, fmt.Sprintf("it may hold servers, is longer than %d MB, and was not read", maxUnknownBytes>>20)))
		return
	}
	if f := Read(p, data, hint); rights || len(f.Entries) > 0 {
		s.read(p, hint)
	}
}
