package fleet

import (
	"encoding/json"
	"errors"
	"fmt"

	"gauntlet/internal/runtime/fetch"
)

// A RegistryPage is one answer of an MCP registry to GET /v0/servers: its remotes are targets of the kind url, its npm and PyPI packages
// of the kind package.
type RegistryPage struct {
	Targets  []Target
	Problems []string // what it cannot be used for, each with the name of the server
	Next     *string  // the cursor of the next page, nil after the last
}

// ParseRegistry reads one answer of a registry.
func ParseRegistry(text string) (*RegistryPage, error) {
	var doc struct {
		Servers  []json.RawMessage `json:"servers"`
		Metadata struct {
			Next *string `json:"nextCursor"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil || doc.Servers == nil {
		return nil, errors.New("it is no answer of a registry: want an object with servers, and in metadata a nextCursor that is a string")
	}
	p := &RegistryPage{Next: doc.Metadata.Next}
	for i, raw := range doc.Servers {
		p.addServer(i, raw)
	}
	return p, nil
}

func (p *RegistryPage) addServer(i int, raw json.RawMessage) {
	s, err := fetch.ReadServer(raw)
	if err != nil {
		p.Problems = append(p.Problems, fmt.Sprintf("server %d: it has another form", i+1))
		return
	}
	add := func(kind Kind, value string) {
		t := Target{Kind: kind, Value: []string{value}, Name: s.Name}
		if err := t.Check(); err != nil {
			p.Problems = append(p.Problems, fmt.Sprintf("server %d, %q: %s", i+1, s.Name, err))
			return
		}
		p.Targets = append(p.Targets, t)
	}
	for _, r := range s.Remotes {
		add(URL, r.URL)
	}
	for j := range s.Packages {
		add(Package, s.Packages[j].Target())
	}
	if len(s.Remotes)+len(s.Packages) == 0 {
		p.Problems = append(p.Problems, fmt.Sprintf("server %d, %q: it has neither a remote nor a package", i+1, s.Name))
	}
}
