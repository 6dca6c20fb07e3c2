package fleet

import (
	"errors"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
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

// A Job is one target in one lane.
type Job struct {
	Plan    string   `json:"plan"` // digest of the plan that names it
	Version string   `json:"version"`
	Round   string   `json:"round,omitempty"`
	Lane    LaneName `json:"lane"`
	Target  Target   `json:"target"`
	// Document is the attack document of the lanes attack and redteam: a built-in one by its name, or with DocumentDigest a
	// file of that SHA-256.
	Document       string   `json:"document,omitempty"`
	DocumentDigest string   `json:"document_digest,omitempty"`
	Options        []string `json:"options,omitempty"`
	// Needs are the capabilities that a worker must have declared, sorted.
	Needs []string `json:"needs,omitempty"`
}

// ID names the job by what is looked at, what it is called, how, by which version, in which round. Where a file lies on this
// machine does not matter, but two files are two jobs even if they hold the same: each has a result that says which it is.
func (j *Job) ID() string {
	t, document := j.Target, j.Document
	t.Name = t.Label()
	if t.Kind == File {
		t.Value = nil
	}
	if j.DocumentDigest != "" {
		document = ""
	}
	return hashOf(j.Version, j.Round, j.Lane, t, document, j.DocumentDigest, j.Options)[:32]
}

// ClassOf names a set of needs, which is sorted, as one word of a subject.
func ClassOf(needs []string) string {
	if len(needs) == 0 {
		return "any"
	}
	return hashOf(needs)[:16]
}

var (
	digestForm = lazyregexp.New(`^[0-9a-f]{64}$`)
	docForm    = lazyregexp.New(`^[a-z0-9][a-z0-9-]{0,99}$`)
)

// Check refuses a job that no plan makes.
func (j *Job) Check() error {
	switch hasDocument := j.Document != "" || j.DocumentDigest != ""; {
	case !j.Lane.Takes(j.Target.Kind):
		return fmt.Errorf("the lane %q takes no target of the kind %q", j.Lane, j.Target.Kind)
	case j.Target.Kind == File && !digestForm.MatchString(j.Target.Digest):
		return errors.New("a file without its digest")
	case hasDocument && (!lanes[j.Lane].documents || j.DocumentDigest == "" && !docForm.MatchString(j.Document) || j.DocumentDigest != "" && !digestForm.MatchString(j.DocumentDigest)):
		return errors.New("a document that the lane does not take")
	case !hasDocument && j.Lane == Attack:
		return errors.New("the lane attack names no document")
	case !slices.IsSorted(j.Needs) || len(j.Needs) > maxWords:
		return errors.New("its needs are out of order")
	}
	return errors.Join(j.Target.Check(), checkOptions(j.Lane, j.Options))
}

// A Document is an attack document of a lane: built in, or with the digest of its file.
type Document struct{ Name, Digest string }

// Jobs makes the jobs of one target: one for each lane that takes its kind, and for each document. documents holds those of
// each lane, by its place in the plan.
func (p *Plan) Jobs(t Target, digest, version string, documents [][]Document) (out []Job) {
	for i, l := range p.Lanes {
		if !l.Name.Takes(t.Kind) {
			continue
		}
		docs := documents[i]
		if len(docs) == 0 {
			docs = []Document{{}}
		}
		for _, d := range docs {
			j := Job{Plan: digest, Version: version, Round: p.Round, Lane: l.Name, Target: t, Document: d.Name, DocumentDigest: d.Digest, Options: l.Options}
			j.Needs = p.needs(&j)
			out = append(out, j)
		}
	}
	return out
}

// The capabilities that workers declare, beside LANGUAGE, "model ID", "region NAME" and "env NAME".
const (
	NeedsSandbox  = "sandbox"  // it can seal servers off
	NeedsCommands = "commands" // it starts what the plan names
)

// languages are what a command or a package wants to be there, by the name of its program or registry.
var languages = map[string]string{
	"npx": "node", "node": "node", "npm": "node", "bunx": "node", "uvx": "python", "uv": "python", "python": "python", "python3": "python", "pipx": "python", "pypi": "python", "docker": "docker",
}

// needs are the capabilities that a worker must have for a job, sorted.
func (p *Plan) needs(j *Job) []string {
	var out []string
	add := func(kind, name string) {
		if name != "" {
			out = append(out, kind+name)
		}
	}
	t := &j.Target
	switch first := t.Value[0]; t.Kind {
	case Command:
		out = append(out, NeedsCommands)
		add("language ", languages[path.Base(first)])
		if level := strings.Join(optionValues(j.Options, "sandbox"), ""); level == "require" || level == "" && j.Lane == Probe {
			out = append(out, NeedsSandbox)
		}
	case Package:
		registry, _, _ := strings.Cut(first, ":")
		out = append(out, NeedsCommands) // it is started, sealed off
		add("language ", languages[registry])
	case Model:
		add("model ", first)
	case Agent:
		if id, ok := strings.CutPrefix(first, "model:"); ok {
			add("model ", id)
		} else if !strings.HasPrefix(first, "builtin:") {
			out = append(out, NeedsCommands)
		}
	}
	for _, id := range optionValues(j.Options, "model") {
		add("model ", id)
	}
	for _, name := range t.variables() {
		add("env ", name)
	}
	add("region ", p.Region)
	slices.Sort(out)
	return slices.Compact(out)
}

// Args are the arguments of gauntlet that do the job. file and document are where the worker has the contents of the target
// and of the document, "" for none. The report goes to output, as JSON.
func (j *Job) Args(file, document, output string) []string {
	args := []string{string(j.Lane)}
	if j.Lane == Attack {
		args = append(args, "run")
	}
	args = append(args, "--format=json", "--output="+output, "--quiet")
	args = append(args, j.Options...)
	if j.Lane == Scan {
		args = append(args, "--no-suppressions")
	}
	t := &j.Target
	if t.Bearer != "" {
		args = append(args, "--bearer-env="+t.Bearer)
	}
	for _, name := range t.Env {
		args = append(args, "--env="+name)
	}
	switch value := t.Value[0]; {
	case t.Kind == Model && j.Lane == Redteam:
		args = append(args, "--model="+value)
	case t.Kind == Model:
		args = append(args, "--agent=model:"+value)
	case t.Kind == Agent:
		args = append(args, "--agent="+value)
	case t.Kind == URL && j.Lane == Attack:
		args = append(args, "--url="+value)
	case t.Kind == File:
		args = append(args, file)
	case t.Kind != Command:
		args = append(args, value)
	}
	if j.DocumentDigest != "" {
		args = append(args, document)
	} else if j.Document != "" {
		args = append(args, j.Document)
	}
	if t.Kind == Command {
		args = append(append(args, "--"), t.Value...)
	}
	return args
}
