package config

import (
	"cmp"
	"slices"
)

// An Agent is a client in one folder: its servers share one context, so that each can influence how the model uses the others' tools.
type Agent struct {
	Client  Client `json:"client"`
	Project string `json:"project,omitempty"` // "" outside of all known projects
	Servers []Seen `json:"servers"`
}

// A Seen is an agent's server, enabled or disabled.
type Seen struct {
	Name      string    `json:"name"`
	Transport Transport `json:"transport"`
	File      string    `json:"file"`
	Line      int       `json:"line"`
	Disabled  bool      `json:"disabled,omitempty"`

	file  int
	entry *Entry
}

// Entry returns the entry, which belongs to the files given to Agents.
func (s Seen) Entry() *Entry { return s.entry }

// Agents returns the servers that each agent sees together: for each client once without a project and once per
// project, global servers first. Clients without entries are omitted.
func Agents(files []File) []Agent {
	type key struct {
		client  Client
		project string
	}
	var order []key
	own := map[key][]Seen{}
	for i := range files {
		for j := range files[i].Entries {
			e := &files[i].Entries[j]
			k := key{e.Client, e.Project}
			if own[k] == nil {
				order = append(order, k)
			}
			own[k] = append(own[k], Seen{e.Name, e.Transport, e.File, e.Place.Line, e.Disabled, i, e})
		}
	}
	slices.SortStableFunc(order, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.client, b.client), cmp.Compare(a.project, b.project))
	})
	var out []Agent
	for _, k := range order {
		servers := slices.Clone(own[key{k.client, ""}])
		if k.project != "" {
			servers = append(servers, own[k]...)
		}
		out = append(out, Agent{k.client, k.project, servers})
	}
	return out
}
