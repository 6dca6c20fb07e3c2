package discover

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/leaf/charset"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/rawjson"
)

// Limits on one file. Claude Code keeps its history in the file of its servers, which can be large.
const (
	MaxBytes   = 32 << 20
	MaxEntries = 2_000
)

// maxFlat bounds texts given to third-party parsers, in bytes.
const maxFlat = 2 << 20

// A Format is a file format.
type Format string

// The formats. JSON includes comments and trailing commas.
const (
	JSON Format = "json"
	TOML Format = "toml"
	YAML Format = "yaml"
	Env  Format = "env" // NAME=VALUE
)

// A Hint is what is known of a file before it is read. With the zero Hint, format and client are detected from name and content.
type Hint struct {
	Client config.Client
	Format Format
	// Role is the file's role for an agent; Configuration if it holds servers and settings.
	Role config.Role
	// Project is the folder the file applies to.
	Project string
	// Optional says that the file serves other purposes too: having no servers is no problem.
	Optional bool
}

// Read parses a configuration in any client's form. It never fails as a whole: what could not be read is a Problem of the File. It
// does no I/O.
func Read(name string, data []byte, hint Hint) config.File {
	s := charset.Decode(string(data))
	r := &reader{hint: hint, lines: newLines(""), file: config.File{Client: hint.Client, Path: name, Project: hint.Project, Role: hint.Role, Entries: []config.Entry{}, Problems: []finding.Problem{}}}
	if r.file.Client == "" {
		r.file.Client = clientOfName(name)
	}
	if len(s) > MaxBytes {
		r.problemIn(finding.Limit, nil, "the file is longer than %d MB and was not read", MaxBytes>>20)
		return r.file
	}
	r.lines = newLines(s)
	if strings.TrimSpace(s) == "" {
		if hint.Client == "" {
			r.problemIn(finding.Unread, nil, "the file is empty")
		}
		return r.file
	}
	if r.file.Role == config.Configuration && hint.Client == "" && hint.Format == "" {
		r.file.Role = RoleOf(name)
	}
	if r.file.Role != config.Configuration {
		r.file.Sum = finding.ContentHash(string(data))
		r.readText(s)
		return r.file
	}
	format := hint.Format
	if format == "" {
		format = formatOf(name, s)
	}
	root := r.parseFormat(s, format)
	if root == nil {
		return r.file
	}
	if r.file.Client == "" {
		r.file.Client = clientOfContent(root, format)
	}
	r.findServers(root)
	if len(r.file.Problems) == 0 || len(r.file.Entries) > 0 || !isSnapshot(root) { // the texts of a snapshot are a server's, not a client's
		r.addSettings(root)
	}
	return r.file
}

func formatOf(name, s string) Format {
	switch strings.ToLower(path.Ext(slashed(name))) {
	case ".toml":
		return TOML
	case ".yaml", ".yml":
		return YAML
	case ".json", ".jsonc", ".json5":
		return JSON
	case ".env":
		return Env
	}
	if strings.HasPrefix(path.Base(slashed(name)), ".env.") {
		return Env
	}
	switch first := strings.TrimLeft(s, " \t\r\n"); {
	case strings.HasPrefix(first, "{"), strings.HasPrefix(first, "//"), strings.HasPrefix(first, "/*"):
		return JSON
	case strings.HasPrefix(first, "[mcp_servers"), strings.Contains(s, "\n[mcp_servers"):
		return TOML
	case !strings.HasPrefix(first, "[") && yamlLine.MatchString(s):
		return YAML
	}
	return JSON
}

var yamlLine = lazyregexp.New(`(?m)^[A-Za-z][\w-]*:(?:\s|$)`)

func slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }

type reader struct {
	hint  Hint
	file  config.File
	lines *lines
	cut   int // offset from which a broken file was not read
	full  bool
}

func (r *reader) problemIn(k finding.ProblemKind, n *node, format string, args ...any) {
	p := config.Place{}
	name := ""
	if n != nil {
		p = r.lines.placeOfName(n)
	}
	r.file.Problems = append(r.file.Problems, finding.Problem{Kind: k, Message: fmt.Sprintf(format, args...), Order: p.Start,
		Location: finding.Location{Server: name, Pointer: p.Pointer, File: r.file.Path, Line: p.Line, Column: p.Column}})
}

func (r *reader) problemAt(k finding.ProblemKind, off int, message string) {
	line, column := r.lines.lineAndColumn(off)
	r.file.Problems = append(r.file.Problems, finding.Problem{Kind: k, Message: message, Order: off,
		Location: finding.Location{File: r.file.Path, Line: line, Column: column}})
}

// parseFormat returns the root, nil if nothing could be read.
func (r *reader) parseFormat(s string, format Format) *node {
	r.cut = len(s)
	if format != JSON && len(s) > maxFlat {
		r.problemIn(finding.Limit, nil, "a file of this format may have %d MB at most", maxFlat>>20)
		return nil
	}
	switch format {
	case Env:
		return parseEnv(s)
	case TOML:
		root, faults := parseTOML(s)
		for _, f := range faults {
			r.problemAt(finding.Malformed, f.offset, "not TOML: "+unquoted(f.err.Error())+"; the rest of its table is unread")
		}
		if len(faults) >= maxFaults {
			r.problemIn(finding.Limit, nil, "too many faults: the rest of the file is unread")
		}
		return root
	case YAML:
		root, err := parseYAML(s, r.lines)
		if err != nil {
			r.problemIn(finding.Malformed, nil, "not YAML: %s", yamlMessage(err))
		}
		return root
	}
	skip := uninteresting
	if len(s) <= maxFlat {
		skip = func(*node) bool { return false }
	}
	root, cut, err := parseJSON(s, false, skip)
	if err != nil && (applicationOf(r.file.Client).JSON5 || ends(r.file.Path, ".json5")) {
		root, cut, err = parseJSON(s, true, skip)
	}
	if err != nil {
		r.cut = cut
		message, at := "it cannot be parsed", cut
		if syntax, ok := errors.AsType[*rawjson.SyntaxError](err); ok {
			message, at = unquoted(syntax.Msg), syntax.Offset
		}
		r.problemAt(finding.Malformed, at, "not JSON: "+message+"; a client would refuse the whole file, and what follows is unread")
	}
	return root
}

// uninteresting keeps large parts of large files out of memory: of the root only members that can hold servers are read, of Claude
// Code's projects only their servers.
func uninteresting(n *node) bool {
	depth := 0
	top := n
	for p := n.parent; p != nil; p = p.parent {
		depth++
		if p.parent != nil {
			top = p
		}
	}
	switch {
	case depth == 0:
		return false
	case top.parent != nil && !holders[top.key]:
		return true
	case top.key == "projects" && depth == 3:
		return n.key != "mcpServers" && !strings.HasPrefix(n.key, "disabledMcp")
	}
	return false
}

// holders are root members that can hold servers or describe them.
var holders = map[string]bool{"mcpServers": true, "servers": true, "mcp": true, "context_servers": true, "mcp_servers": true, "projects": true, "experimental": true, "inputs": true, "amp.mcpServers": true, "extensions": true, "server": true, "hooks": true, "permissions": true, "plugins": true}

// Parsers quote the offending text, which may be a secret: only the part of their message before any quotation is kept.

var yamlWhere = lazyregexp.New(`\bline \d+(?:, column \d+)?`)

// yamlMessage keeps the position only: the parser's message contains parts of the text.
func yamlMessage(err error) string {
	if where := yamlWhere.FindString(err.Error()); where != "" {
		return "it cannot be parsed at " + where
	}
	if strings.Contains(err.Error(), "more values than are read") {
		return err.Error()
	}
	return "it cannot be parsed"
}

func unquoted(s string) string {
	if i := strings.IndexAny(s, "\"'`"); i >= 0 {
		return strings.TrimRight(s[:i], " :")
	}
	return s
}
