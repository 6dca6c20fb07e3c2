package fleetplan

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
		Type string `json:"type"`
		URL  string `json:"url"`
	} `json:"remotes"`
	Packages []struct {
		RegistryType string `json:"registryType"`
		Identifier   string `json:"identifier"`
		Version      string `json:"version"`
	} `json:"packages"`
}

// ParseRegistry reads the export of a registry: its remotes are targets of the kind url, its npm and PyPI packages of the kind
// package. What it cannot use is returned as problems, each with the name of the server; it never sinks the rest.
func ParseRegistry(name, text string) (out []Target, problems []Error, err error) {
	var doc struct {
		Servers []json.RawMessage `json:"servers"`
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil || doc.Servers == nil {
		return nil, nil, errors.New("it is no export of a registry: want an object with servers")
	}
	for i, raw := range doc.Servers {
		targets, err := readRegistryServer(raw)
		if err != nil {
			problems = append(problems, Error{File: name, Msg: fmt.Sprintf("server %d: %s", i+1, err)})
			continue
		}
		out = append(out, targets...)
	}
	return out, problems, nil
}

func readRegistryServer(raw json.RawMessage) (out []Target, err error) {
	var wrapped struct {
		Server *registryServer `json:"server"`
	}
	var s registryServer
	if json.Unmarshal(raw, &wrapped) == nil && wrapped.Server != nil {
		s = *wrapped.Server
	} else if err := json.Unmarshal(raw, &s); err != nil {
		return nil, errors.New("it has another form")
	}
	for _, r := range s.Remotes {
		out = append(out, Target{Kind: URL, Value: []string{r.URL}, Name: s.Name})
	}
	for _, p := range s.Packages {
		switch p.RegistryType {
		case "npm":
			out = append(out, Target{Kind: Package, Value: []string{"npm:" + withVersion(p.Identifier, "@", p.Version)}, Name: s.Name})
		case "pypi":
			out = append(out, Target{Kind: Package, Value: []string{"pypi:" + withVersion(p.Identifier, "==", p.Version)}, Name: s.Name})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%q has neither a remote nor an npm or PyPI package", s.Name)
	}
	for i := range out {
		if err := out[i].Check(); err != nil {
			return nil, fmt.Errorf("%q: %w", s.Name, err)
		}
	}
	return out, nil
}

func withVersion(name, mark, version string) string {
	if version == "" {
		return name
	}
	return name + mark + version
}
