package clientplan

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/target"
)

// An agentFile is a file read by an agent, as an item of a snapshot: lockfiles and baselines identify it by path and hold a hash
// instead of its text.
type agentFile struct {
	Name string         `json:"name"`
	URI  string         `json:"uri"`
	Meta map[string]any `json:"_meta"`
}

// FileTargets returns the files that agents read, one target per client and project, so that they can be locked and compared like
// servers. A nil plan has none.
func (p *Plan) FileTargets() []target.Target {
	if p == nil {
		return nil
	}
	type group struct{ client, project string }
	files, of := map[group][]agentFile{}, map[group]map[string]*config.File{}
	var order []group
	for i := range p.Files {
		f := &p.Files[i]
		if f.Role == config.Configuration && !f.HasSettings() || f.LinksTo != "" || f.Role != config.Configuration && f.Sum == "" {
			continue
		}
		g := group{string(f.Client), f.Project}
		if files[g] == nil {
			order, of[g] = append(order, g), map[string]*config.File{}
		}
		name := cmp.Or(f.Rel, path.Base(strings.ReplaceAll(f.Path, `\\`, "/")))
		of[g][name] = f
		files[g] = append(files[g], agentFile{name, "agent-file:", map[string]any{"sha256": f.Content()}})
	}
	p.places = map[[2]string]*config.File{}
	var out []target.Target
	for _, g := range order {
		list := files[g]
		slices.SortFunc(list, func(a, b agentFile) int { return strings.Compare(a.Name, b.Name) })
		name := g.client
		if g.project != "" {
			name += ":" + path.Base(strings.ReplaceAll(g.project, `\\`, "/"))
		}
		name += "/files"
		for item, f := range of[g] {
			p.places[[2]string{name, item}] = f
		}
		text, err := json.Marshal(map[string]any{"server": map[string]string{"name": name, "version": "1"}, "tools": []any{}, "resources": list})
		if err != nil { // strings always encode
			panic(err)
		}
		out = append(out, target.Target{Text: string(text), Name: "files that " + g.client + " reads", Entries: []string{name}, Server: launch.Server{Configured: true}})
	}
	return out
}

// PlaceFiles sets the file locations of findings about them.
func (p *Plan) PlaceFiles(found []finding.Finding) {
	for i := range found {
		if l := &found[i].Location; l.File == "" {
			if f := p.places[[2]string{l.Server, l.Item}]; f != nil {
				l.File, l.Client, l.Line = f.Path, string(f.Client), 1
			}
		}
	}
}
