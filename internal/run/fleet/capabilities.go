package fleet

import (
	"os/exec"
	"slices"
	"strings"

	"gauntlet/internal/runtime/model"
	"gauntlet/internal/runtime/sandbox"
)

// Capabilities are what a worker can do, and what its owner lets it.
type Capabilities struct {
	// Words are the needs of jobs that it meets: "commands", "env NAME". "env *" and "model *" stand for all that it has.
	Words []string
	// Lookup looks up a variable of its own.
	Lookup func(string) (string, bool)
}

// Detect finds out what this machine can do.
func Detect(lookup func(string) (string, bool)) Capabilities {
	c := Capabilities{Lookup: lookup}
	if sandbox.Available() == nil {
		c.Words = append(c.Words, NeedsSandbox)
	}
	for _, l := range [...]struct{ language, program string }{{"docker", "docker"}, {"node", "npx"}, {"python", "uvx"}, {"python", "python3"}} {
		if _, err := exec.LookPath(l.program); err == nil && !slices.Contains(c.Words, "language "+l.language) {
			c.Allow("language", l.language)
		}
	}
	return c
}

// Allow adds needs of one kind ("region", "env", "model") that the worker meets; "" is none.
func (c *Capabilities) Allow(kind string, names ...string) {
	for _, name := range names {
		if name != "" {
			c.Words = append(c.Words, kind+" "+name)
		}
	}
}

// Meets returns the first of a job's needs that the worker lacks, "" if it lacks none.
func (c *Capabilities) Meets(needs []string) (lacks string) {
	for _, need := range needs {
		kind, name, _ := strings.Cut(need, " ")
		if !slices.Contains(c.Words, need) && !slices.Contains(c.Words, kind+" *") || !c.isSet(kind, name) {
			return need
		}
	}
	return ""
}

// isSet reports whether a variable, or the key for a model, is there.
func (c *Capabilities) isSet(kind, name string) bool {
	switch kind {
	case "env":
		_, set := c.Lookup(name)
		return set
	case "model":
		_, err := model.Resolve(name, "", func(name string) string { v, _ := c.Lookup(name); return v })
		return err == nil
	}
	return true
}
