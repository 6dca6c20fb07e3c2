package discover

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
)

// RoleOf returns a file's role for an agent by its name; Configuration if the name says nothing.
func RoleOf(name string) config.Role {
	if p, ok := patternOf(slashed(name)); ok {
		return p.role
	}
	switch low := strings.ToLower(path.Base(slashed(name))); {
	case low == "skill.md":
		return config.Skill
	case textName(low):
		return config.Instructions
	case programName(low):
		return config.Script
	}
	return config.Configuration
}

// textName reports whether a lower-case name is that of a prose file.
func textName(name string) bool {
	return ends(name, ".md", ".mdc", ".mdx", ".markdown", ".txt", ".rst", ".adoc")
}

// ends reports whether a name has one of the extensions, in small or capital letters.
func ends(name string, extensions ...string) bool {
	return slices.Contains(extensions, strings.ToLower(path.Ext(slashed(name))))
}

// programName reports whether a lower-case name is that of a program's source, in any language.
func programName(name string) bool { return programs[strings.TrimPrefix(path.Ext(name), ".")] }

var programs = wordSet(`sh bash zsh ksh csh fish nu command ps1 psm1 bat cmd vbs vbe wsf hta ahk applescript scpt jxa expect tcl awk py pyw pyi js mjs cjs jsx ts mts cts tsx coffee
	rb pl pm raku php lua r jl go rs swift kt kts java scala sc groovy gradle cs csx fs fsx vb c h cc cpp cxx hpp m mm d nim zig v cr ex exs erl escript hs lhs ml rkt scm lisp el clj cljs bb dart pas f90 asm s wat mk ipynb`)

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// dataName reports whether a lower-case name is that of a file of data, beside programs.
func dataName(name string) bool {
	return textName(name) || ends(name, ".json", ".jsonc", ".yaml", ".yml", ".toml", ".css", ".html", ".map", ".lock", ".xml", ".csv", ".svg")
}

// roleWithin returns the role of a file below a folder whose texts have a role.
func roleWithin(rel string, role config.Role) config.Role {
	name := strings.ToLower(path.Base(rel))
	switch {
	case name == "skill.md":
		return config.Skill
	case programName(name), name == "makefile", name == "justfile", role == config.Script && !dataName(name):
		return config.Script
	case role == config.Skill:
		return config.SkillFile
	case textName(name), ends(name, formsOf[role]...):
		return role
	}
	return config.Configuration
}

// formsOf are the endings of files that are no prose and tell an agent something: a policy, a command, an agent.
var formsOf = map[config.Role][]string{config.Instructions: {".rules", ".toml"}, config.Command: {".toml", ".yaml", ".yml"}, config.Subagent: {".json", ".yaml", ".yml"}}

// tree reads the files below a folder of a client.
func (s *source) tree(w *walk, hint Hint) {
	s.add(w.problems, hint)
	if hint.Role == config.Plugin {
		s.folder(w, hint.Project, hint.Client)
		return
	}
	for _, f := range w.files {
		h := hint
		if h.Role = roleWithin(f.rel, hint.Role); h.Role != config.Configuration {
			s.read(f.path, h)
		}
	}
}

// readText reads a file whose text an agent reads or whose code it runs.
func (r *reader) readText(s string) {
	if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 || strings.HasPrefix(s, "%PDF-") {
		r.readBinary(s)
		return
	}
	const mostText = 8 << 20
	if len(s) > mostText {
		r.problemIn(finding.Limit, nil, "the text is longer than %d MB and was not judged", mostText>>20)
		return
	}
	r.file.Text, r.cut = s, len(s)
	if strings.HasPrefix(s, "#!") { // a script without a file extension
		r.file.Role = config.Script
	}
	var root *node
	if !ends(r.file.Path, ".toml", ".json", ".yaml", ".yml") {
		root = r.frontMatter(s)
	} else if r.file.Role != config.SkillFile {
		root = r.parseFormat(s, formatOf(r.file.Path, s))
	}
	if root == nil {
		return
	}
	if root.kind == table && root.get("mcpServers") != nil { // sub-agents bring their own servers
		r.hint.Optional = true
		r.findServers(root)
	}
	r.addSettings(root)
}

// frontMatter returns the front matter of a text, between lines of hyphens at its beginning.
func (r *reader) frontMatter(s string) *node {
	rest := strings.TrimPrefix(s, "\ufeff")
	if !strings.HasPrefix(rest, "---\n") && !strings.HasPrefix(rest, "---\r\n") {
		return nil
	}
	end := strings.Index(rest[3:], "\n---")
	if end < 0 || end > maxFlat {
		return nil
	}
	// Many clients read front matter line by line and accept what is no YAML: "description: Use: now".
	root, err := parseYAML(s[:len(s)-len(rest)+3+end+1], r.lines)
	if err != nil || root == nil || root.kind != table {
		return r.looseFrontMatter(s, len(s)-len(rest)+4, len(s)-len(rest)+3+end)
	}
	return root
}

// looseFrontMatter parses "name: value" lines.
func (r *reader) looseFrontMatter(s string, from, to int) *node {
	root := &node{kind: table, start: from, end: to, keyStart: -1}
	for from < to {
		end := strings.IndexByte(s[from:to], '\n')
		if end < 0 {
			end = to - from
		}
		line := s[from : from+end]
		if key, value, ok := strings.Cut(line, ":"); ok && key != "" && strings.TrimSpace(key) == key {
			trimmed := strings.TrimSpace(value)
			at := from + len(key) + 1 + strings.Index(value, trimmed)
			root.addChild(&node{kind: text, text: strings.Trim(trimmed, `"'`), start: at, end: at + len(trimmed)}, key, from, from+len(key))
		}
		from += end + 1
	}
	return root
}

// maxSettings bounds the values of one file that are checked.
const maxSettings = 20_000

// addSettings keeps the values of a file that say what its client lets an agent do.
func (r *reader) addSettings(root *node) {
	var add func(n *node, keys []string)
	add = func(n *node, keys []string) {
		if len(r.file.Settings) >= maxSettings {
			return
		}
		if s, ok := n.scalar(); ok {
			r.file.Settings = append(r.file.Settings, config.Setting{Keys: slices.Clone(keys), Value: r.newValue(n, s)})
			return
		}
		for _, c := range n.children {
			add(c, append(keys, c.key))
		}
	}
	add(root, nil)
	if len(r.file.Settings) >= maxSettings {
		r.problemIn(finding.Limit, nil, "more than %d values: the rest was not judged", maxSettings)
	}
}

// magics are the beginnings of binary files, and what those are. Those without a word are pictures, sounds and fonts.
var magics = []struct{ begins, what string }{
	{"\x7fELF", "a program"}, {"MZ", "a program"}, {"\xcf\xfa\xed\xfe", "a program"}, {"\xce\xfa\xed\xfe", "a program"}, {"\xca\xfe\xba\xbe", "a program"},
	{"\x00asm", "a program"}, {"!<arch>", "a library"}, {"SQLite format 3", "a database"}, {"%PDF-", "a PDF document"}, {"\xd0\xcf\x11\xe0", "an Office document"},
	{"\x1f\x8b", "an archive"}, {"BZh", "an archive"}, {"\xfd7zXZ", "an archive"}, {"7z\xbc\xaf", "an archive"}, {"Rar!", "an archive"}, {"\x28\xb5\x2f\xfd", "an archive"},
	{"\x89PNG", ""}, {"\xff\xd8\xff", ""}, {"GIF8", ""}, {"RIFF", ""}, {"OTTO", ""}, {"\x00\x01\x00\x00", ""}, {"true", ""}, {"ttcf", ""}, {"wOFF", ""}, {"wOF2", ""}, {"ID3", ""},
	{"\xff\xfb", ""}, {"OggS", ""}, {"fLaC", ""}, {"\x00\x00\x01\x00", ""}, {"BM", ""}, {"II*\x00", ""}, {"MM\x00*", ""}, {"\x00\x00\x00", ""},
}

func (r *reader) readBinary(s string) {
	what := "neither text nor a known format"
	if ends(r.file.Path, ".pyc", ".pyo", ".class") {
		what = "a compiled program"
	} else {
		for _, m := range magics {
			if strings.HasPrefix(s, m.begins) {
				if what = m.what; what == "" {
					return
				}
				break
			}
		}
	}
	if strings.HasSuffix(what, "program") || strings.HasSuffix(what, "library") {
		r.file.Role = config.Program
	}
	r.problemIn(finding.Unread, nil, "it is %s and was not read", what)
}
