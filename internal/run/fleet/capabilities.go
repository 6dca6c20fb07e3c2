package fleet

import (
	"os/exec"
	"slices"
	"strings"

	"gauntlet/internal/engine/fleetplan"
	"gauntlet/internal/runtime/model"
	"gauntlet/internal/runtime/sandbox"
)

// Capabilities are what a worker can do, and what its owner lets it.
type Capabilities struct {
	Commands bool     // it starts the commands that a plan names
	Sandbox  bool     // it can seal them off
	Region   string   // "" for none
	Env      []string // variables of its own that jobs may use; "*" for all
	// Languages are those whose programs it found.
	Languages []string
	// Models are ids that it may ask; "*" for all whose keys are in its environment.
	Models []string
	// Lookup looks up a variable of its own.
	Lookup func(string) (string, bool)
}

// Detect finds out what this machine can do.
func Detect(lookup func(string) (string, bool)) Capabilities {
	c := Capabilities{Sandbox: sandbox.Available() == nil, Lookup: lookup}
	for _, l := range [...]struct{ language, program string }{{"docker", "docker"}, {"node", "npx"}, {"python", "uvx"}, {"python", "python3"}} {
		if _, err := exec.LookPath(l.program); err == nil && !slices.Contains(c.Languages, l.language) {
			c.Languages = append(c.Languages, l.language)
		}
	}
	return c
}

// Meets reports whether the worker has what a job needs, and else names the first thing that it lacks.
func (c *Capabilities) Meets(needs []string) (lacks string) {
	for _, need := range needs {
		if !c.has(need) {
			return need
		}
	}
	return ""
}

func (c *Capabilities) has(need string) bool {
	what, name, _ := strings.Cut(need, " ")
	switch what {
	case fleetplan.NeedsSandbox:
		return c.Sandbox
	case fleetplan.NeedsCommands:
		return c.Commands
	case "language":
		return slices.Contains(c.Languages, name)
	case "region":
		return c.Region == name
	case "env":
		_, set := c.Lookup(name)
		return set && (slices.Contains(c.Env, name) || slices.Contains(c.Env, "*"))
	case "model":
		return c.asks(name)
	}
	return false
}

func (c *Capabilities) asks(id string) bool {
	if !slices.Contains(c.Models, id) && !slices.Contains(c.Models, "*") {
		return false
	}
	_, err := model.Resolve(id, "", func(name string) string { v, _ := c.Lookup(name); return v })
	return err == nil
}

// Words lists the capabilities as jobs name them.
func (c *Capabilities) Words() (out []string) {
	if c.Commands {
		out = append(out, fleetplan.NeedsCommands)
	}
	if c.Sandbox {
		out = append(out, fleetplan.NeedsSandbox)
	}
	for _, l := range c.Languages {
		out = append(out, "language "+l)
	}
	if c.Region != "" {
		out = append(out, "region "+c.Region)
	}
	for _, e := range c.Env {
		out = append(out, "env "+e)
	}
	for _, m := range c.Models {
		out = append(out, "model "+m)
	}
	return out
}
