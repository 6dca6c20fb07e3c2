package fleet

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/yamltext"
	"gauntlet/internal/runtime/fetch"
)

// A Kind is a kind of target, or of what names several targets.
type Kind string

// The kinds.
const (
	File    Kind = "file"    // a snapshot, a lockfile or the answer to tools/list
	URL     Kind = "url"     // a server behind a URL
	Command Kind = "command" // a server that is started, without a shell
	Model   Kind = "model"   // a language model, by its id
	Agent   Kind = "agent"   // an agent, as --agent of attack run takes it
	Package Kind = "package" // a package of a registry: npm:NAME@VERSION or pypi:NAME==VERSION

	Directory Kind = "directory" // every file of JSON below it
	List      Kind = "list"      // a file with a target a line
	Registry  Kind = "registry"  // an MCP registry's list of servers, by its URL or in a file
)

func kindNames() []string {
	return []string{"file", "url", "command", "model", "agent", "package", "directory", "list", "registry"}
}

// A Target is one thing to be looked at.
type Target struct {
	Kind  Kind     `json:"kind"`
	Value []string `json:"value"` // the words of a command; of the other kinds one
	// Name is what reports call it, "" for the value. No other target of its kind in a fleet has it.
	Name string `json:"name,omitempty"`
	// Digest is SHA-256 of a file's content, in hex.
	Digest string `json:"digest,omitempty"`
	// Env and Bearer are names of variables that the worker has; a plan holds no values.
	Env    []string `json:"env,omitempty"`
	Bearer string   `json:"bearer,omitempty"`
}

// Label is what reports call the target.
func (t *Target) Label() string {
	if t.Name != "" {
		return t.Name
	}
	return strings.Join(t.Value, " ")
}

// The bounds on one target, so that a job's message stays small.
const (
	maxWords = 64
	maxWord  = 4096
)

var variableForm = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

// Check refuses a target that no lane can take.
func (t *Target) Check() error {
	switch {
	case !slices.Contains(kindNames(), string(t.Kind)):
		return fmt.Errorf("unknown kind of target %q", t.Kind)
	case len(t.Value) == 0 || t.Value[0] == "" || t.Kind != Command && len(t.Value) != 1:
		return fmt.Errorf("a %s target names one", t.Kind)
	case len(t.Value) > maxWords || len(t.Env) > maxWords:
		return fmt.Errorf("more than %d words", maxWords)
	}
	for _, s := range slices.Concat(t.Value, t.Env, []string{t.Name, t.Bearer, t.Digest}) {
		if len(s) > maxWord || strings.ContainsRune(s, 0) || !utf8.ValidString(s) {
			return fmt.Errorf("a word has more than %d bytes, a NUL or is no UTF-8", maxWord)
		}
	}
	switch u, err := url.Parse(t.Value[0]); {
	case t.Kind != Command && strings.HasPrefix(t.Value[0], "-"):
		return errors.New("the target would be taken for a flag: write ./ in front of it")
	case t.Kind == Package && !strings.HasPrefix(t.Value[0], "npm:") && !strings.HasPrefix(t.Value[0], "pypi:"):
		return errors.New("package: want npm:NAME@VERSION or pypi:NAME==VERSION")
	case (t.Kind == URL || t.Kind == Registry && fetch.IsWeb(t.Value[0])) && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil):
		return errors.New("url: want one that begins with http:// or https:// and names no user")
	case len(t.Env) > 0 && t.Kind != Command:
		return errors.New("env is for a command")
	case t.Bearer != "" && t.Kind != URL:
		return errors.New("bearer_env is for a URL")
	case slices.ContainsFunc(t.variables(), func(name string) bool { return !variableForm.MatchString(name) }):
		return errors.New("env and bearer_env hold names of variables, letters, digits and _: values do not belong into a plan")
	}
	return nil
}

// variables are the names of the variables that the target wants of a worker.
func (t *Target) variables() []string {
	if t.Bearer != "" {
		return []string{t.Bearer}
	}
	return t.Env
}

// bareTarget is what a line of a list or a short entry stands for.
func bareTarget(s string) Target {
	switch {
	case fetch.IsWeb(s):
		return Target{Kind: URL, Value: []string{s}}
	case strings.HasPrefix(s, "npm:"), strings.HasPrefix(s, "pypi:"):
		return Target{Kind: Package, Value: []string{s}}
	}
	return Target{Kind: File, Value: []string{s}}
}

// maxList is the most targets of a list.
const maxList = 5_000_000

// ParseList reads a list: a target a line (a URL, npm: or pypi: with a package, or the name of a file), # for comments.
func ParseList(text string) (out []Target, errs []*yamltext.Fault) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		t := bareTarget(line)
		switch err := t.Check(); {
		case len(out) == maxList:
			return out, append(errs, &yamltext.Fault{Line: number, Msg: fmt.Sprintf("more than %d targets: the rest was not read", maxList)})
		case err != nil:
			errs = append(errs, &yamltext.Fault{Line: number, Msg: err.Error()})
		default:
			out = append(out, t)
		}
	}
	return out, errs
}
