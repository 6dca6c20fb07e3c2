package discover

import (
	"slices"
	"strings"

	"gauntlet/finding"
)

// maxProjects bounds the known projects that are read.
const maxProjects = 500

// serverHolders are the names that lead to servers in a file: of Amp, Zed, Codex, a workspace of VS Code, Augment and Continue.
var serverHolders = [][]string{{"amp.mcpServers"}, {"context_servers"}, {"mcp_servers"}, {"settings", "mcp", "servers"}, {"augment.advanced", "mcpServers"}, {"experimental", "modelContextProtocolServers"}}

// findServers finds the servers below a root, wherever clients keep them.
func (r *reader) findServers(root *node) {
	if root.kind == list && r.hint.Optional { // tasks of Zed: settings, among which are no servers
		return
	}
	if root.kind != table {
		r.problemIn(finding.Malformed, root, "the file holds %s where a configuration is an object", root.kind)
		return
	}
	before := len(r.file.Problems)
	found := false
	hold := func(n *node, project string, loose bool) {
		if n != nil {
			found = true
			r.holder(n, project, loose)
		}
	}
	if servers := root.get("mcpServers"); servers != nil && servers.kind == text {
		found = true // a plugin names another file, which is also read
	} else {
		hold(servers, r.hint.Project, false)
	}
	for _, way := range serverHolders {
		n := root
		for _, name := range way {
			n = n.get(name)
		}
		hold(n, r.hint.Project, false)
	}
	if servers := root.get("servers"); servers != nil && (servers.kind == table || servers.kind == list) {
		hold(servers, r.hint.Project, false)
	}
	if plugins := root.get("plugins"); plugins != nil && plugins.kind == list { // of a marketplace
		found = true
		for _, p := range plugins.children {
			if servers := p.get("mcpServers"); servers.str() == "" {
				hold(servers, r.hint.Project, false)
			}
		}
	}
	if extensions := root.get("extensions"); extensions != nil && r.file.Client == "goose" {
		found = true
		r.holder(extensions, r.hint.Project, true)
	}
	found = r.manifest(root) || found
	if mcp := root.get("mcp"); mcp != nil {
		found = true
		hold(mcp.get("servers"), r.hint.Project, false)
		// OpenCode 1 and earlier keep servers here, others their settings.
		r.direct(mcp)
		r.excluded(mcp)
	}
	if projects := root.get("projects"); projects != nil {
		found = true
		for _, p := range projects.children {
			if strings.ContainsAny(p.key, `/\`) && len(r.file.Projects) < maxProjects {
				r.file.Projects = append(r.file.Projects, p.key)
			}
			hold(p.get("mcpServers"), p.key, false)
			r.off(p.key, p.get("disabledMcpServers"))
		}
	}
	if !found {
		found = r.bare(root)
	}
	if !found && !r.hint.Optional && len(r.file.Problems) == before && len(root.children) > 0 {
		r.problemIn(finding.Unread, nil, "%s", unknownForm(root))
	}
}

// unknownForm says why a file without servers is no configuration, and which command reads it if it is a server snapshot.
func unknownForm(root *node) string {
	if isSnapshot(root) {
		return "this is a snapshot of a server, not a client's configuration: scan it without --config"
	}
	return "no MCP servers found: a client's configuration lists them below a key such as mcpServers or servers"
}

// isSnapshot reports whether a file is a snapshot of a server.
func isSnapshot(root *node) bool {
	if result := root.get("result"); result != nil {
		root = result
	}
	return slices.ContainsFunc([]string{"tools", "prompts", "resources", "resourceTemplates"}, func(name string) bool {
		n := root.get(name)
		return n != nil && n.kind == list
	})
}

// holder reads an object of servers by name, or a list of servers with names.
func (r *reader) holder(n *node, project string, loose bool) {
	if n.unread {
		r.problemIn(finding.Limit, n, "nested too deeply to be read")
		return
	}
	switch n.kind {
	case null:
	case table, list:
		for _, c := range n.children {
			if loose && !serverLike(c) {
				continue
			}
			r.addEntry(c, project)
		}
	default:
		r.problemIn(finding.Malformed, n, "the servers are %s, want an object or a list", n.kind)
	}
}

func (r *reader) direct(mcp *node) {
	if mcp.kind != table {
		if mcp.kind != null {
			r.problemIn(finding.Malformed, mcp, "the servers are %s, want an object", mcp.kind)
		}
		return
	}
	for _, c := range mcp.children {
		if c.key == "servers" && c.kind == table && !serverLike(c) {
			continue
		}
		switch {
		case serverLike(c), applicationOf(r.file.Client).AllServers && c.kind != list && c.key != "timeout":
			r.addEntry(c, r.hint.Project)
		}
	}
}

// bare reads a root that is itself the object of servers, as in some plugins' .mcp.json.
func (r *reader) bare(root *node) bool {
	if !slices.ContainsFunc(root.children, serverLike) || slices.ContainsFunc(root.children, func(n *node) bool { return n.kind == table && !serverLike(n) }) {
		return false
	}
	r.holder(root, r.hint.Project, true)
	return true
}

func serverLike(n *node) bool {
	return n.kind == table && n.first("command", "url", "serverUrl", "httpUrl", "cmd", "uri") != nil
}

// manifest reads a bundle's manifest (.mcpb, .dxt), which says how its server starts.
func (r *reader) manifest(root *node) bool {
	if root.first("manifest_version", "dxt_version") == nil {
		return false
	}
	if start := root.get("server").get("mcp_config"); start != nil {
		r.addEntry(start, r.hint.Project)
		if e := &r.file.Entries[len(r.file.Entries)-1]; root.get("name").str() != "" {
			e.Name = root.get("name").text
		}
	}
	return true
}

// excluded disables what Gemini CLI lists under mcp.excluded, and what mcp.allowed does not list.
func (r *reader) excluded(mcp *node) {
	if !applicationOf(r.file.Client).Excludes {
		return
	}
	r.off(r.hint.Project, mcp.get("excluded"))
	if allowed := mcp.get("allowed"); allowed != nil && allowed.kind == list {
		listed := namesIn(allowed)
		for i := range r.file.Entries {
			e := &r.file.Entries[i]
			e.Disabled = e.Disabled || !listed[e.Name]
		}
	}
}

// off disables a project's entries named in a list.
func (r *reader) off(project string, names *node) {
	if names == nil || names.kind != list {
		return
	}
	listed := namesIn(names)
	for i := range r.file.Entries {
		e := &r.file.Entries[i]
		e.Disabled = e.Disabled || e.Project == project && listed[e.Name]
	}
}

func namesIn(names *node) map[string]bool {
	out := map[string]bool{}
	for _, n := range names.children {
		if n.kind == text {
			out[n.text] = true
		}
	}
	return out
}
