package discover

import (
	"errors"
	"io/fs"
	"strings"

	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/leaf/charset"
)

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
