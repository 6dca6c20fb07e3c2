package config

import (
	"cmp"
	"slices"
)

// An Agent is a client at work in one folder: its servers share one context, and each of
// them can speak to the model about the tools of the others.
type Agent struct {
	Client  Client `json:"client"`
	Project string `json:"project,omitempty"` // "" for work outside of every project that is known
	Servers []Seen `json:"servers"`
}

// A Seen is a server that an agent has, switched off or not.
type Seen struct {
	Name      string    `json:"name"`
	Transport Transport `json:"transport"`
	File      string    `json:"file"`
	Line      int       `json:"line"`
	Disabled  bool      `json:"disabled,omitempty"`

	file  int
	entry *Entry
}

// Entry returns the entry, one of those in the files that Agents was given.
func (s Seen) Entry() *Entry { return s.entry }

// Agents returns which servers one agent would see together: for each client, once without
// a project and once for each project, with the servers that hold everywhere first. A
// client without any entry is none.
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
