package classify

import (
	"strings"

	"gauntlet/capability"
)

// How much a value that stands for a parameter says of its role: a default is such a value; an example stands in prose.
const (
	pathWeight   = 3 // what has a slash may be something else
	sampleWeight = 4
)

// scoreRoleSample reads a role from a value that the parameter may have: "127.0.0.1" is an address, "src/tokens.css" a
// path, whatever the parameter is called.
func (w *toolReader) scoreRoleSample(t *tally, p *parameter) {
	if p.closed || p.kind == boolKind || p.kind == numberKind || p.kind == objectKind {
		return
	}
	said, kind := p.sample, "schema_default:"
	if said == "" {
		said, kind = exampleIn(truncate(w.saidOf(p), 300)), "param_description:"
	}
	if role, ok := roleOfSample(said); ok {
		weight := sampleWeight
		if role == capability.Path || kind != "schema_default:" {
			weight = pathWeight
		}
		t.addEvidence(&t.schema, 2, role, weight, kind+truncate(said, 40))
	}
}

// exampleIn returns the first word that a description gives as an example, "" if none.
func exampleIn(s string) string {
	for _, mark := range [...]string{"e.g.", "E.g.", "for example", "such as"} {
		if _, rest, ok := strings.Cut(s, mark); ok {
			rest = strings.TrimLeft(rest, " ,:`\"'(")
			if end := strings.IndexAny(rest, " ,;`\"')\n"); end >= 0 {
				rest = rest[:end]
			}
			return strings.TrimRight(rest, ".")
		}
	}
	return ""
}

// maxSample is how long a value may be to be read, in bytes.
const maxSample = 200

// roleOfSample says what a value looks like, if it looks like anything.
func roleOfSample(s string) (capability.Role, bool) {
	switch {
	case s == "" || len(s) > maxSample || strings.ContainsAny(s, " \n{}<>"):
		return "", false
	case strings.Contains(s, "://"):
		return capability.URL, true
	case isAddress(s) || s == "localhost" || isHostName(strings.ToLower(s)) && !strings.ContainsAny(s, "/@_"):
		return capability.Host, true
	case looksLikePath(s):
		return capability.Path, true
	}
	return "", false
}

// isAddress reports whether s is an address of four numbers.
func isAddress(s string) bool {
	dots, digits := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '.' && digits > 0:
			dots, digits = dots+1, 0
		case isDigit(c) && digits < 3:
			digits++
		default:
			return false
		}
	}
	return dots == 3 && digits > 0
}

// looksLikePath reports whether s is written as a path is: with a root, or with directories and the ending of a file.
func looksLikePath(s string) bool {
	for _, root := range [...]string{"/", "./", "../", "~/", `C:\`} {
		if len(s) > len(root) && strings.HasPrefix(s, root) {
			return !strings.ContainsAny(s, "()*?|") // and is no pattern
		}
	}
	dir, file := s[:strings.LastIndexByte(s, '/')+1], s[strings.LastIndexByte(s, '/')+1:]
	dot := strings.LastIndexByte(file, '.')
	return dir != "" && dot > 0 && len(file)-dot >= 2 && len(file)-dot <= 6 && isWordByte(file[dot+1]) && !isDigit(file[dot+1])
}
