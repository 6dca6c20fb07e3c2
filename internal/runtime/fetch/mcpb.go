package fetch

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/result"
)

// A bundleManifest is the manifest.json of a bundle, as far as it is needed here
// (https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md).
type bundleManifest struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Server  struct {
		Type       string `json:"type"`
		EntryPoint string `json:"entry_point"`
		Config     struct {
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env"`
		} `json:"mcp_config"`
	} `json:"server"`
	UserConfig map[string]struct {
		Type    string          `json:"type"`
		Default json.RawMessage `json:"default"`
	} `json:"user_config"`
}

// recogniseBundle reads the manifest of an unpacked bundle. What is wrong with it is a fault of the archive.
func (f *Fetcher) recogniseBundle(p *Fetched) error {
	text, err := readSmall(filepath.Join(p.Dir, "manifest.json"))
	var m bundleManifest
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		p.Facts.Faults = append(p.Facts.Faults, result.ArchiveFault{Kind: result.FaultBroken, Path: "manifest.json", Detail: "could not be read, so it is no bundle"})
		p.install = func(context.Context) (*Start, error) {
			return nil, fmt.Errorf("it %w: its manifest.json could not be read", ErrCannotStart)
		}
		return nil
	}
	if m.Name != "" {
		p.Name, p.Version, p.Label = m.Name, m.Version, m.Name+"@"+m.Version
	}
	p.install = func(context.Context) (*Start, error) { return m.start(p) }
	return nil
}

// start is how a bundle says that it is started. A bundle brings what it depends on.
func (m *bundleManifest) start(p *Fetched) (*Start, error) {
	c := &m.Server.Config
	if c.Command == "" {
		return nil, fmt.Errorf("it %w: its manifest names no command", ErrCannotStart)
	}
	program, err := bundleProgram(m.fill(c.Command, p.Dir), p.Dir)
	if err != nil {
		return nil, err
	}
	s := &Start{Dir: p.Dir, Command: []string{program}, Read: []string{p.Dir}}
	for _, a := range c.Args {
		s.Command = append(s.Command, m.fill(a, p.Dir))
	}
	for name, v := range c.Env {
		s.Env = append(s.Env, name+"="+m.fill(v, p.Dir))
	}
	slices.Sort(s.Env)
	if lib := filepath.Join(p.Dir, "server", "lib"); m.Server.Type == "python" && isDir(lib) && len(c.Env) == 0 {
		s.Env = append(s.Env, "PYTHONPATH="+lib)
	}
	if len(m.UserConfig) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d settings that its user would make got values without a meaning", len(m.UserConfig)))
	}
	return s, nil
}

// bundleProgram is the program that a manifest names: one that is looked up on PATH, such as node, or a file of the bundle.
func bundleProgram(command, dir string) (string, error) {
	if command == "python" {
		return "python3", nil
	}
	if !strings.ContainsAny(command, `/\`) {
		return command, nil
	}
	if !filepath.IsAbs(command) {
		command = filepath.Join(dir, command)
	}
	if !liesWithin(command, dir) {
		return "", fmt.Errorf("it %w: its program is outside of the bundle, or not there", ErrCannotStart)
	}
	return command, nil
}

// liesWithin reports whether a file is there and lies in a directory also where links lead to it.
func liesWithin(file, dir string) bool {
	file, fileErr := filepath.EvalSymlinks(file)
	dir, dirErr := filepath.EvalSymlinks(dir)
	rel, err := filepath.Rel(dir, file)
	return fileErr == nil && dirErr == nil && err == nil && filepath.IsLocal(rel)
}

func (m *bundleManifest) fill(text, dir string) string {
	text = strings.NewReplacer("${__dirname}", dir, "${HOME}", "/tmp", "${DESKTOP}", "/tmp", "${DOCUMENTS}", "/tmp", "${DOWNLOADS}", "/tmp", "${pathSeparator}", "/", "${/}", "/").Replace(text)
	for name, c := range m.UserConfig {
		text = strings.ReplaceAll(text, "${user_config."+name+"}", settingValue(c.Type, c.Default))
	}
	return text
}

// settingValue is the default of a setting, or a value of its type.
func settingValue(kind string, preset json.RawMessage) string {
	var text string
	if json.Unmarshal(preset, &text) == nil && text != "" && !strings.Contains(text, "${") {
		return text
	}
	switch kind {
	case "directory", "file":
		return "/tmp"
	case "number":
		return "1"
	case "boolean":
		return "false"
	}
	return "placeholder-0123456789abcdef"
}
