package fleetplan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Digest names the plan by everything in it that jobs depend on.
func (p *Plan) Digest(version string) string {
	named := *p
	named.File = ""
	text, err := json.Marshal([]any{version, named})
	if err != nil {
		panic(err) // strings, numbers and maps of them
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
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
			j.Paces = p.paces(&j)
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

// languages are what a command wants to be there, by the name of its program.
var languages = map[string]string{
	"npx": "node", "node": "node", "npm": "node", "bunx": "node", "uvx": "python", "uv": "python", "python": "python", "python3": "python", "pipx": "python", "docker": "docker",
}

// needs are the capabilities that a worker must have for a job, sorted.
func (p *Plan) needs(j *Job) []string {
	var out []string
	t := &j.Target
	switch t.Kind {
	case Command:
		out = append(out, NeedsCommands)
		if l := languages[path.Base(t.Value[0])]; l != "" {
			out = append(out, "language "+l)
		}
		level := strings.Join(optionValues(j.Options, "sandbox"), "")
		if level == "require" || level == "" && j.Lane == Probe {
			out = append(out, NeedsSandbox)
		}
	case Package:
		out = append(out, NeedsCommands) // it is started, sealed off
		if strings.HasPrefix(t.Value[0], "npm:") {
			out = append(out, "language node")
		} else {
			out = append(out, "language python")
		}
	case Model:
		out = append(out, "model "+t.Value[0])
	case Agent:
		if id, ok := strings.CutPrefix(t.Value[0], "model:"); ok {
			out = append(out, "model "+id)
		} else if !strings.HasPrefix(t.Value[0], "builtin:") {
			out = append(out, NeedsCommands)
		}
	}
	for _, id := range optionValues(j.Options, "model") {
		out = append(out, "model "+id)
	}
	for _, name := range t.variables() {
		out = append(out, "env "+name)
	}
	if p.Region != "" {
		out = append(out, "region "+p.Region)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// paces are the rates that the start of a job keeps to.
func (p *Plan) paces(j *Job) (out []Pace) {
	add := func(what, name string, rates map[string]Rate) {
		r, ok := rates[name]
		if !ok {
			r, ok = rates["*"]
		}
		if ok && name != "" {
			out = append(out, Pace{what + " " + name, r})
		}
	}
	add("host", j.Target.Host(), p.Rates.Hosts)
	for _, need := range j.Needs {
		if id, ok := strings.CutPrefix(need, "model "); ok {
			add("provider", providerOf(id), p.Rates.Providers)
		}
	}
	return out
}

// providerOf names the provider of a model by its id, as the rates of a plan call it.
func providerOf(id string) string {
	id = strings.TrimPrefix(id, "models/")
	for _, f := range []struct{ prefix, name string }{
		{"claude-", "anthropic"}, {"gpt-", "openai"}, {"chatgpt-", "openai"}, {"o1", "openai"}, {"o3", "openai"}, {"o4", "openai"},
		{"gemini-", "google"}, {"mistral", "mistral"}, {"ministral", "mistral"}, {"codestral", "mistral"}, {"magistral", "mistral"},
	} {
		if strings.HasPrefix(id, f.prefix) {
			return f.name
		}
	}
	return strings.ToLower(id)
}

// Args are the arguments of gauntlet that do the job. file and document are where the worker has the contents of the target
// and of the document, "" for none. The report goes to output, as JSON.
func (j *Job) Args(file, document, output string) ([]string, error) {
	if err := j.Check(); err != nil {
		return nil, err
	}
	doc := j.Document
	if j.DocumentDigest != "" {
		doc = document
	}
	args := []string{string(j.Lane)}
	if j.Lane == Attack {
		args = append(args, "run")
	}
	args = append(args, "--format=json", "--output="+output, "--quiet")
	args = append(args, j.Options...)
	switch j.Lane {
	case Scan:
		args = append(args, "--no-suppressions")
	case Attack, Redteam:
		if doc == "" && j.Lane == Attack {
			return nil, fmt.Errorf("the lane attack names no document")
		}
	}
	return append(args, j.targetArgs(file, doc)...), nil
}

func (j *Job) targetArgs(file, doc string) (args []string) {
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
	if doc != "" {
		args = append(args, doc)
	}
	if t.Kind == Command {
		args = append(append(args, "--"), t.Value...)
	}
	return args
}
