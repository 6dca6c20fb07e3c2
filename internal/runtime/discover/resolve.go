package discover

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/leaf/charset"
)

// Resolve returns the entry as its client would start it: with environment and folder references expanded as far as the client
// documents them, including ~ in command and working directory. References that only the client can resolve, and unset variables,
// are problems: the entry must not be started. Resolve asks nobody.
func (h Host) Resolve(e config.Entry) (config.Entry, []finding.Problem) {
	r := &resolver{Host: h, entry: &e, application: applicationOf(e.Client)}
	e.Filled = nil
	e.Command = h.tilde(r.resolveText(e.Command, e.CommandAt))
	e.Cwd = h.tilde(r.resolveText(e.Cwd, e.Place))
	e.EnvFile = h.tilde(r.resolveText(e.EnvFile, e.Place))
	e.URL = r.resolveValue(e.URL)
	args := make([]config.Value, len(e.Args))
	for i, a := range e.Args {
		args[i] = r.resolveValue(a)
	}
	e.Args = args
	e.Env, e.Headers = r.variables(e.Env), r.variables(e.Headers)
	if e.EnvFile != "" && len(r.problems) == 0 {
		e.Env = append(r.envFile(e.EnvFile), e.Env...) // the last of a name wins, i.e. the entry's own
	}
	return e, r.problems
}

type resolver struct {
	Host
	entry       *config.Entry
	application *Application
	problems    []finding.Problem
}

func (r *resolver) variables(list []config.Variable) []config.Variable {
	out := make([]config.Variable, len(list))
	for i, v := range list {
		out[i] = config.Variable{Name: v.Name, Value: r.resolveValue(v.Value)}
	}
	return out
}

func (r *resolver) resolveValue(v config.Value) config.Value {
	return config.NewValue(r.resolveText(v.Reveal(), v.Place), v.Place)
}

func (r *resolver) resolveText(s string, at config.Place) string {
	var b strings.Builder
	from := 0
	for _, ref := range config.References(s) {
		with, ok := r.answerReference(ref, at)
		if !ok {
			continue
		}
		b.WriteString(s[from:ref.Start])
		b.WriteString(with)
		from = ref.End
	}
	return b.String() + s[from:]
}

// answerReference returns a reference's value, or false to keep it.
func (r *resolver) answerReference(ref config.Reference, at config.Place) (string, bool) {
	switch ref.Kind {
	case config.EnvReference:
		if !slices.Contains(r.application.References, ref.Form) && !(r.application.NamesVariables && ref.Form == "${env:") {
			return "", false
		}
		if r.Env != nil {
			if v, ok := r.Env(ref.Name); ok && (v != "" || !ref.HasDefault) {
				r.entry.Filled = append(r.entry.Filled, config.Variable{Name: ref.Name, Value: config.NewValue(v, at)})
				return v, true
			}
		}
		if ref.HasDefault {
			return ref.Default, true
		}
		r.unanswered(at, fmt.Sprintf("the environment variable %s is not set", ref.Name))
	case config.FolderReference:
		if slices.Contains([]string{"CLAUDE_PLUGIN_ROOT", "extensionPath", "__dirname"}, ref.Name) {
			return r.pluginFolder(), true
		}
		if !r.application.Folders {
			return "", false
		}
		switch ref.Name {
		case "userHome":
			return r.Home, true
		case "pathSeparator", "/":
			return r.joinPath("", "")[:1], true
		case "workspaceFolder", "cwd", "CLAUDE_PROJECT_DIR":
			if dir := r.folder(); dir != "" {
				return dir, true
			}
		case "workspaceFolderBasename":
			if dir := slashed(r.folder()); dir != "" {
				return dir[strings.LastIndexByte(dir, '/')+1:], true
			}
		}
		r.unanswered(at, fmt.Sprintf("only the client knows ${%s}", ref.Name))
	default:
		r.unanswered(at, fmt.Sprintf("only the client can answer the reference to its %s %q", ref.Kind, ref.Name))
	}
	return "", false
}

// pluginFolder returns the folder of the plugin that contains the entry.
func (r *resolver) pluginFolder() string {
	dir := r.entry.File[:max(strings.LastIndexAny(r.entry.File, `/\`), 0)]
	if at := strings.LastIndexAny(dir, `/\`); at >= 0 && strings.HasSuffix(dir, "-plugin") {
		dir = dir[:at]
	}
	return dir
}

// folder returns the project that a workspace reference means.
func (r *resolver) folder() string {
	return cmp.Or(r.entry.Project, r.Cwd)
}

func (r *resolver) unanswered(at config.Place, why string) {
	r.problems = append(r.problems, finding.Problem{Kind: finding.Unread, Message: fmt.Sprintf("server %q: %s", r.entry.Name, why), Order: at.Start,
		Location: finding.Location{Server: r.entry.Name, Pointer: at.Pointer, File: r.entry.File, Line: at.Line, Column: at.Column}})
}

const maxEnvFile = 1 << 20

// envFile reads an environment file. A relative path is relative to the entry's project, or the working directory.
func (r *resolver) envFile(path string) []config.Variable {
	if !r.absolute(path) {
		path = r.joinPath(r.folder(), path)
	}
	bad := func(why string) []config.Variable {
		r.unanswered(r.entry.Place, "its environment file cannot be read: "+why)
		return nil
	}
	mode, err := r.FS.Mode(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return bad("no such file or directory")
	case err != nil:
		return bad(reasonWithoutPath(err))
	case !mode.IsRegular():
		return bad("it is not a file")
	}
	data, err := r.FS.ReadFile(path, maxEnvFile+1)
	switch {
	case err != nil:
		return bad(reasonWithoutPath(err))
	case len(data) > maxEnvFile:
		return bad("it is too long")
	}
	vars, ok := readEnv(string(data), r.entry.Place)
	if !ok {
		return bad("one of its lines is not of the form NAME=VALUE")
	}
	return vars
}

func (h Host) absolute(path string) bool {
	if h.OS == "windows" {
		return len(path) > 2 && path[1] == ':' || strings.HasPrefix(path, `\\`)
	}
	return strings.HasPrefix(path, "/")
}

// readEnv parses the NAME=VALUE lines of a dotenv file, with optional "export", quotes, # comments and empty lines. Nothing is
// expanded. It returns false on any other line.
func readEnv(text string, at config.Place) ([]config.Variable, bool) {
	var out []config.Variable
	for line := range strings.Lines(charset.Decode(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || strings.ContainsAny(name, " \t\"'\x00") || strings.ContainsRune(value, 0) {
			return nil, false
		}
		if value, ok = unquote(value); !ok {
			return nil, false
		}
		out = append(out, config.Variable{Name: name, Value: config.NewValue(value, at)})
	}
	return out, true
}

// unquote removes a value's quotes or trailing comment; false if a quote is not closed.
func unquote(value string) (string, bool) {
	if value == "" || value[0] != '"' && value[0] != '\'' {
		if at := strings.Index(value, " #"); at >= 0 {
			value = strings.TrimSpace(value[:at])
		}
		return value, true
	}
	var b strings.Builder
	for i := 1; i < len(value); i++ {
		switch c := value[i]; {
		case c == value[0]:
			rest := strings.TrimSpace(value[i+1:])
			return b.String(), rest == "" || rest[0] == '#'
		case c == '\\' && value[0] == '"' && i+1 < len(value):
			i++
			if n := strings.IndexByte("nrt", value[i]); n >= 0 {
				b.WriteByte("\n\r\t"[n])
			} else {
				b.WriteByte(value[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// parseEnv returns the NAME=VALUE lines of a dotenv file as the object "env" of settings; other lines are left out.
func parseEnv(s string) *node {
	root, env := &node{kind: table, end: len(s), keyStart: -1}, &node{kind: table, end: len(s)}
	root.addChild(env, "env", -1, -1)
	at := 0
	for line := range strings.Lines(s) {
		name, value, ok := strings.Cut(line, "=")
		key := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "export "))
		if said, closed := unquote(strings.TrimSpace(value)); ok && closed && key != "" && key[0] != '#' {
			start := at + len(name) + 1
			env.addChild(&node{kind: text, text: said, start: start, end: start + len(strings.TrimRight(value, "\r\n"))}, key, at, at+len(name))
		}
		at += len(line)
	}
	return root
}
