package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// A registryEntry is what an MCP registry says of a server (server.json).
type registryEntry struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Packages []struct {
		RegistryType string `json:"registryType"`
		RegistryName string `json:"registry_name"` // of older registries
		Identifier   string `json:"identifier"`
		Name         string `json:"name"` // of older registries
		Version      string `json:"version"`
		Environment  []struct {
			Name       string `json:"name"`
			IsRequired bool   `json:"isRequired"`
		} `json:"environmentVariables"`
	} `json:"packages"`
	Remotes []struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	} `json:"remotes"`
	Status string `json:"status"`
}

const maxRegistryAnswer = 4 << 20

// fetchRegistry looks a server up in an MCP registry and gets the first of its packages of a kind that is known,
// or else the address of a server that runs elsewhere.
func (f *Fetcher) fetchRegistry(ctx context.Context, s Spec) (*Fetched, error) {
	f.Progress("%s: asking the MCP registry", s.Text)
	e, err := f.lookUp(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, one := range e.Packages {
		kind, name := one.RegistryType, one.Identifier
		if kind == "" {
			kind, name = one.RegistryName, one.Name
		}
		separator := "@"
		if kind == "pypi" {
			separator = "=="
		}
		text := kind + ":" + name
		if one.Version != "" && kind != "oci" {
			text += separator + one.Version
		}
		if kind != "npm" && kind != "pypi" && kind != "oci" {
			continue
		}
		spec, err := Parse(text)
		if err != nil {
			return nil, fmt.Errorf("what the registry says of it: %w", err)
		}
		p, err := f.Fetch(ctx, spec)
		if err != nil {
			return nil, err
		}
		if e.Status == "deprecated" && p.Facts.Deprecated == "" {
			p.Facts.Deprecated = "its entry in the MCP registry is deprecated"
		}
		p.needFrom(one.Environment)
		return p, nil
	}
	for _, r := range e.Remotes {
		if isWeb(r.URL) && f.Public {
			return nil, errNotPublic
		}
		if isWeb(r.URL) {
			return &Fetched{Kind: URL, Name: e.Name, Version: e.Version, Label: e.Name, URL: r.URL}, nil
		}
	}
	return nil, errors.New("the registry names no package of a kind that is known here, and no address")
}

// needFrom has the package started with the variables that the registry says it needs.
func (p *Fetched) needFrom(variables []struct {
	Name       string `json:"name"`
	IsRequired bool   `json:"isRequired"`
}) {
	install := p.install
	if install == nil {
		return
	}
	p.install = func(ctx context.Context) (*Start, error) {
		s, err := install(ctx)
		if err != nil {
			return nil, err
		}
		for _, v := range variables {
			if v.IsRequired && !strings.ContainsAny(v.Name, "=\x00") && v.Name != "" {
				s.Needs = append(s.Needs, v.Name)
			}
		}
		return s, nil
	}
}

// lookUp asks the registry for a server by its name.
func (f *Fetcher) lookUp(ctx context.Context, s Spec) (*registryEntry, error) {
	base := f.Registry
	if base == "" {
		base = DefaultRegistry
	}
	version := s.Version
	if version == "" {
		version = "latest"
	}
	var text []byte
	var err error
	for _, api := range []string{"v0.1", "v0"} {
		// The name has a slash, which is one word of the path here.
		address := strings.TrimRight(base, "/") + "/" + api + "/servers/" + url.PathEscape(s.Name) + "/versions/" + url.PathEscape(version)
		if text, err = Get(ctx, address, "application/json", maxRegistryAnswer); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	var answer struct {
		registryEntry
		Server *registryEntry `json:"server"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("what the registry says of it is no entry: %w", err)
	}
	e := &answer.registryEntry
	if answer.Server != nil {
		e = answer.Server
	}
	if e.Name != s.Name {
		return nil, errors.New("the registry answers with another server")
	}
	return e, nil
}
