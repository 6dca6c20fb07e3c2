package config

import "strings"

// A ReferenceKind is the kind of what a reference refers to.
type ReferenceKind string

// The kinds of reference that clients replace by values.
const (
	EnvReference    ReferenceKind = "env"    // an environment variable
	InputReference  ReferenceKind = "input"  // a value that the client asks its user for
	FileReference   ReferenceKind = "file"   // the content of a file
	SecretReference ReferenceKind = "secret" // the client's secret store
	FolderReference ReferenceKind = "folder" // a folder or another word that the client predefines
)

// A Reference is a part of a value that a client replaces: text[Start:End].
type Reference struct {
	Kind       ReferenceKind
	Name       string
	Default    string // of ${NAME:-default}
	HasDefault bool
	Form       string // the opening: "${", "${env:", "{env:", "$", "${{", "%"
	Start, End int
}

// References finds references in text, in the syntax of any client: ${VAR}, ${VAR:-default}, ${env:VAR}, ${input:ID},
// ${workspaceFolder}, {env:VAR}, {file:PATH}, ${{ secrets.NAME }}, $VAR and %VAR%. The caller knows which of them a client supports.
func References(text string) []Reference {
	var out []Reference
	for i := 0; i < len(text); {
		r, ok := referenceAt(text, i)
		if !ok {
			i++
			continue
		}
		out = append(out, r)
		i = r.End
	}
	return out
}

const maxReference = 512

func referenceAt(text string, i int) (Reference, bool) {
	// References are bounded: an unbounded search would take quadratic time on a hostile text.
	s := text[i:min(len(text), i+maxReference)]
	switch {
	case strings.HasPrefix(s, "${{"):
		if n := strings.Index(s, "}}"); n > 0 {
			name := strings.TrimSpace(s[3:n])
			r := Reference{Kind: SecretReference, Name: strings.TrimPrefix(name, "secrets."), Form: "${{", Start: i, End: i + n + 2}
			if strings.HasPrefix(name, "inputs.") {
				r.Kind, r.Name = InputReference, strings.TrimPrefix(name, "inputs.")
			}
			return r, name != ""
		}
	case strings.HasPrefix(s, "${"):
		if n := strings.IndexByte(s, '}'); n > 2 {
			return braced(s[2:n], i, i+n+1)
		}
	case strings.HasPrefix(s, "{env:"), strings.HasPrefix(s, "{file:"):
		if n := strings.IndexByte(s, '}'); n > 0 {
			kind, name, _ := strings.Cut(s[1:n], ":")
			return Reference{Kind: ReferenceKind(kind), Name: name, Form: "{" + kind + ":", Start: i, End: i + n + 1}, name != ""
		}
	case s[0] == '$':
		if n := nameLength(s[1:]); n > 0 {
			return Reference{Kind: EnvReference, Name: s[1 : 1+n], Form: "$", Start: i, End: i + 1 + n}, true
		}
	case s[0] == '%':
		if n := nameLength(s[1:]); n > 0 && len(s) > n+1 && s[n+1] == '%' {
			return Reference{Kind: EnvReference, Name: s[1 : 1+n], Form: "%", Start: i, End: i + 2 + n}, true
		}
	}
	return Reference{}, false
}

// braced parses what is between ${ and }.
func braced(body string, start, end int) (Reference, bool) {
	r := Reference{Form: "${", Start: start, End: end}
	if name, def, ok := strings.Cut(body, ":-"); ok && nameLength(name) == len(name) && name != "" {
		r.Kind, r.Name, r.Default, r.HasDefault = EnvReference, name, def, true
		return r, true
	}
	if kind, name, ok := strings.Cut(body, ":"); ok {
		r.Name, r.Form = name, "${"+kind+":"
		switch kind {
		case "env":
			r.Kind = EnvReference
		case "input", "promptString", "command":
			r.Kind = InputReference
		case "file":
			r.Kind = FileReference
		default:
			r.Kind = FolderReference
			r.Name = body
		}
		return r, name != ""
	}
	r.Name = body
	switch {
	case strings.HasPrefix(body, "user_config."):
		r.Kind = InputReference
	case predefined[body]:
		r.Kind = FolderReference
	case nameLength(body) == len(body):
		r.Kind = EnvReference
	default:
		return r, false
	}
	return r, true
}

// predefined are the words that VS Code and its relatives replace themselves.
var predefined = map[string]bool{
	"workspaceFolder": true, "workspaceFolderBasename": true, "userHome": true, "cwd": true, "file": true,
	"pathSeparator": true, "/": true, "execPath": true, "extensionPath": true, "CLAUDE_PLUGIN_ROOT": true, "CLAUDE_PROJECT_DIR": true, "__dirname": true,
}

// nameLength returns the length of an environment variable name at the start of s.
func nameLength(s string) int {
	n := 0
	for n < len(s) && (s[n] == '_' || 'a' <= s[n]|0x20 && s[n]|0x20 <= 'z' || n > 0 && '0' <= s[n] && s[n] <= '9') {
		n++
	}
	return n
}

// literal returns text without its references: what the file itself says.
func literal(text string) string {
	var b strings.Builder
	at := 0
	for _, r := range References(text) {
		// A bare $NAME is a reference only for some clients; inside a longer word, such as a password, it is not one.
		if r.Form == "$" && (r.Start != 0 || r.End != len(text)) {
			continue
		}
		b.WriteString(text[at:r.Start])
		b.WriteString(r.Default)
		at = r.End
	}
	b.WriteString(text[at:])
	return b.String()
}

func refers(text string) bool { return len(References(text)) > 0 }
