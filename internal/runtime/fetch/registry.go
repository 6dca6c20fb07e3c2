package fetch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// A RegistryServer is what an MCP registry says of a server (server.json), https://registry.modelcontextprotocol.io/docs.
type RegistryServer struct {
	Name     string            `json:"name"`
	Version  string            `json:"version"`
	Packages []RegistryPackage `json:"packages"`
	Remotes  []struct {
		URL string `json:"url"`
	} `json:"remotes"`
	Status string `json:"status"`
}

// A RegistryPackage is one package of a server.
type RegistryPackage struct {
	RegistryType string `json:"registryType"`
	RegistryName string `json:"registry_name"` // of older registries
	Identifier   string `json:"identifier"`
	Name         string `json:"name"` // of older registries
	Version      string `json:"version"`
	Environment  []struct {
		Name       string `json:"name"`
		IsRequired bool   `json:"isRequired"`
	} `json:"environmentVariables"`
}

// ReadServer reads an entry of a registry: a server by itself, or beside what the registry adds.
func ReadServer(text []byte) (*RegistryServer, error) {
	var entry struct {
		RegistryServer
		Server *RegistryServer `json:"server"`
	}
	if err := json.Unmarshal(text, &entry); err != nil {
		return nil, fmt.Errorf("what the registry says of it is no entry: %w", err)
	}
	return cmp.Or(entry.Server, &entry.RegistryServer), nil
}

// Target returns the package as [Parse] takes it.
func (p *RegistryPackage) Target() string {
	kind, name := cmp.Or(p.RegistryType, p.RegistryName), cmp.Or(p.Identifier, p.Name)
	switch {
	case p.Version == "" || kind == "oci":
		return kind + ":" + name
	case kind == "pypi":
		return kind + ":" + name + "==" + p.Version
	}
	return kind + ":" + name + "@" + p.Version
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
	for i := range e.Packages {
		one := &e.Packages[i]
		if kind := Kind(cmp.Or(one.RegistryType, one.RegistryName)); kind != NPM && kind != PyPI && kind != OCI {
			continue
		}
		spec, err := Parse(one.Target())
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
		p.needFrom(one)
		return p, nil
	}
	for _, r := range e.Remotes {
		if IsWeb(r.URL) && f.Public {
			return nil, errNotPublic
		}
		if IsWeb(r.URL) {
			return &Fetched{Kind: URL, Name: e.Name, Version: e.Version, Label: e.Name, URL: r.URL}, nil
		}
	}
	return nil, errors.New("the registry names no package of a kind that is known here, and no address")
}

// needFrom has the package started with the variables that the registry says it needs.
func (p *Fetched) needFrom(entry *RegistryPackage) {
	install := p.install
	if install == nil {
		return
	}
	p.install = func(ctx context.Context) (*Start, error) {
		s, err := install(ctx)
		if err != nil {
			return nil, err
		}
		for _, v := range entry.Environment {
			if v.IsRequired && !strings.ContainsAny(v.Name, "=\x00") && v.Name != "" {
				s.Needs = append(s.Needs, v.Name)
			}
		}
		return s, nil
	}
}

func (f *Fetcher) lookUp(ctx context.Context, s Spec) (*RegistryServer, error) {
	base, version := cmp.Or(f.Registry, DefaultRegistry), cmp.Or(s.Version, "latest")
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
	e, err := ReadServer(text)
	if err == nil && e.Name != s.Name {
		err = errors.New("the registry answers with another server")
	}
	return e, err
}
