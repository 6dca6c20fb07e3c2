package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
)

// registryServer is the part of an entry of a registry's export that says where the server is. The form is that of the
// answer to GET /v0/servers of the MCP registry, https://registry.modelcontextprotocol.io/docs.
type registryServer struct {
	Name    string `json:"name"`
	Remotes []struct {
		URL string `json:"url"`
	} `json:"remotes"`
	Packages []struct {
		Type       string `json:"registryType"`
		Identifier string `json:"identifier"`
		Version    string `json:"version"`
	} `json:"packages"`
}

// A RegistryPage is one answer of a registry: its remotes are targets of the kind url, its npm and PyPI packages of the kind
// package.
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
	var wrapped struct {
		registryServer
		Server *registryServer `json:"server"`
	}
	if err := json.Unmarshal(raw, &wrapped); err != nil {
		p.Problems = append(p.Problems, fmt.Sprintf("server %d: it has another form", i+1))
		return
	}
	s := &wrapped.registryServer
	if wrapped.Server != nil {
		s = wrapped.Server
	}
	add := func(t Target) {
		t.Name = s.Name
		if err := t.Check(); err != nil {
			p.Problems = append(p.Problems, fmt.Sprintf("server %d, %q: %s", i+1, s.Name, err))
			return
		}
		p.Targets = append(p.Targets, t)
	}
	for _, r := range s.Remotes {
		add(Target{Kind: URL, Value: []string{r.URL}})
	}
	for _, k := range s.Packages {
		version := k.Version
		if mark := map[string]string{"npm": "@", "pypi": "=="}[k.Type]; version != "" {
			version = mark + version
		}
		add(Target{Kind: Package, Value: []string{k.Type + ":" + k.Identifier + version}})
	}
	if len(s.Remotes)+len(s.Packages) == 0 {
		p.Problems = append(p.Problems, fmt.Sprintf("server %d, %q: it has neither a remote nor a package", i+1, s.Name))
	}
}
