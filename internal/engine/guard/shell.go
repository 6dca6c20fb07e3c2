package guard

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A word of a command: with quotes and variables resolved; * stands for what is known only when it runs. It is
// script[start:end].
type word struct {
	text       string
	start, end int
	secret     string // a variable in it that is named like a secret and that the script does not set
}

// A command is one simple command of a shell's script.
type command struct {
	words         []word
	reads, writes []word   // files that its input comes from and its output goes to
	data          []word   // here-documents and here-strings
	nested        []string // scripts whose output it is given: $(…), `…`, <(…)
	sets          []string // variables that it gives to its program, NAME=value
	piped         bool     // into the next command
}

// A shell reads scripts as a POSIX shell would, as far as their words can be told beforehand.
type shell struct {
	script   string
	at       int
	vars     map[string]string
	commands []command
	depth    int // scripts that it stands in
	now      command
	text     strings.Builder
	start    int      // of the word being read, -1 for none
	secret   string   // of the word being read
	quoted   bool     // the word being read is in double quotes here
	into     *[]word  // where the next word goes, nil for the command
	here     []string // delimiters of here-documents whose texts follow
}

// maxValue bounds a variable, in bytes: each may be made of two others.
const maxValue = 4 << 10

// readScript returns the simple commands of a script that stands in depth others. vars are those set so far.
func readScript(script string, vars map[string]string, depth int) []command {
	s := &shell{script: script, vars: vars, start: -1, depth: depth}
	for s.at < len(script) {
		s.step()
	}
	s.endCommand(false)
	return s.commands
}

func (s *shell) begin() {
	if s.start < 0 {
		s.start = s.at
	}
}

func (s *shell) endWord() {
	if s.start < 0 {
		return
	}
	w := word{s.text.String(), s.start, s.at, s.secret}
	s.text.Reset()
	s.start, s.secret = -1, ""
	if s.into != nil {
		*s.into = append(*s.into, w)
		s.into = nil
		return
	}
	if name, value, ok := strings.Cut(w.text, "="); ok && len(s.now.words) == 0 && variableName(name) {
		s.set(name, value)
		s.now.sets = append(s.now.sets, w.text)
		return
	}
	s.now.words = append(s.now.words, w)
}

func (s *shell) set(name, value string) {
	if len(value) <= maxValue {
		s.vars[name] = value
	}
}

// expand adds what a variable or a substitution yields: outside of quotes and of an assignment, more than one word.
func (s *shell) expand(value string) {
	name, _, assigns := strings.Cut(s.text.String(), "=")
	if s.quoted || assigns && len(s.now.words) == 0 && variableName(name) {
		s.add(value)
		return
	}
	for i, field := range strings.Fields(value) {
		if i > 0 {
			s.endWord()
		}
		s.add(field)
	}
}

func variableName(s string) bool {
	return s != "" && nameEnd(s) == len(s) && (s[0] < '0' || s[0] > '9')
}

// nameEnd returns how much of the beginning of s may stand in a variable's name.
func nameEnd(s string) int {
	n := 0
	for n < len(s) && (s[n] == '_' || s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' || s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return n
}

func (s *shell) endCommand(piped bool) {
	s.endWord()
	c := s.now
	s.now, s.into = command{}, nil
	c.piped = piped
	switch w := c.words; {
	case len(w) > 3 && w[0].text == "for" && w[2].text == "in":
		s.set(w[1].text, "{"+strings.Join(strings.Fields(join(w[3:])), ",")+",}")
	case len(w) > 3 && w[0].text == "printf" && w[1].text == "-v":
		s.set(w[2].text, join(w[min(4, len(w)-1):]))
	case len(w) > 1 && w[0].text == "read" && len(c.data) > 0:
		s.set(w[len(w)-1].text, c.data[0].text)
	}
	if len(c.words)+len(c.reads)+len(c.writes)+len(c.data)+len(c.nested)+len(c.sets) > 0 {
		s.commands = append(s.commands, c)
	}
}

// step reads one character, or one group of them.
func (s *shell) step() {
	switch c := s.script[s.at]; c {
	case ' ', '\t', '\r':
		s.endWord()
	case '\n':
		s.endCommand(false)
		s.at++
		s.hereDocuments()
		return
	case ';', '(', ')':
		s.endCommand(false)
	case '&':
		if s.peek(1) == '>' {
			s.endWord()
			break
		}
		s.endCommand(false)
	case '|':
		or := s.peek(1) == '|'
		s.endCommand(!or)
		if or || s.peek(1) == '&' {
			s.at++
		}
	case '#':
		if s.start < 0 {
			s.skipTo('\n')
			return
		}
		s.add("#")
	case '<', '>':
		s.redirect(c)
		return
	default:
		s.begin()
		s.character(c)
		return
	}
	s.at++
}

func (s *shell) peek(n int) byte {
	if s.at+n < len(s.script) {
		return s.script[s.at+n]
	}
	return 0
}

func (s *shell) add(text string) {
	s.begin()
	if s.text.Len() <= longest {
		s.text.WriteString(text)
	}
}

func (s *shell) skipTo(c byte) {
	if i := strings.IndexByte(s.script[s.at:], c); i >= 0 {
		s.at += i
		return
	}
	s.at = len(s.script)
}

// character reads a part of a word, and leaves at behind it.
func (s *shell) character(c byte) {
	switch c {
	case '\\':
		if n := s.peek(1); n != 0 && n != '\n' {
			s.add(s.script[s.at+1 : s.at+2])
		}
		s.at += 2
	case '\'':
		from := s.at + 1
		s.at = from
		s.skipTo('\'')
		s.add(s.script[from:s.at])
		s.at++
	case '"':
		s.at++
		s.quoted = true
		for s.at < len(s.script) && s.script[s.at] != '"' {
			switch c := s.script[s.at]; {
			case c == '$' || c == '`' || c == '\\' && strings.IndexByte("$`\"\\\n", s.peek(1)) >= 0:
				s.character(c)
			default:
				s.add(s.script[s.at : s.at+1])
				s.at++
			}
		}
		s.quoted = false
		s.at++
	case '`':
		from := s.at + 1
		s.at = from
		s.skipTo('`')
		s.within(s.script[from:s.at])
		s.at++
	case '$':
		s.dollar()
	default:
		s.add(s.script[s.at : s.at+1])
		s.at++
	}
	s.at = min(s.at, len(s.script))
}

// dollar reads a variable, a substitution or a text with escapes.
func (s *shell) dollar() {
	switch n := s.peek(1); {
	case n == '(':
		s.at++
		s.substitution()
	case n == '{':
		from := s.at + 2
		s.skipTo('}')
		inside := s.script[min(from, s.at):s.at]
		name := inside[:nameEnd(inside)]
		if _, otherwise, ok := strings.Cut(inside, "-"); ok && s.vars[name] == "" && name != "HOME" { // ${F:-~/x}
			s.expand(otherwise)
		} else {
			s.expand(s.value(name))
		}
		s.at++
	case n == '\'':
		from := s.at + 2
		s.at = from
		for s.at < len(s.script) && s.script[s.at] != '\'' {
			if s.script[s.at] == '\\' {
				s.at++
			}
			s.at++
		}
		s.at = min(s.at, len(s.script))
		s.add(unescaped(s.script[min(from, s.at):s.at]))
		s.at++
	case n == '"':
		s.at++
	default:
		from := s.at + 1
		s.at = min(from+nameEnd(s.script[min(from, len(s.script)):]), len(s.script))
		if s.at == from && s.at < len(s.script) && strings.IndexByte("@*#?$!-0123456789", s.script[s.at]) >= 0 {
			s.at++
		}
		s.expand(s.value(s.script[from:s.at]))
	}
}

// value returns a variable's value as far as the script says it.
func (s *shell) value(name string) string {
	if v, ok := s.vars[name]; ok {
		return v
	}
	switch name {
	case "HOME":
		return "~"
	case "PWD":
		return "."
	}
	if secretName(name) {
		s.secret = name
	}
	return "*"
}

// unescaped resolves the escapes of $'…'.
func unescaped(s string) string {
	s = strings.ReplaceAll(s, `"`, `\"`)
	for _, octal := range []string{`\057`, `\0057`} {
		s = strings.ReplaceAll(s, octal, "/")
	}
	if out, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `\'`, "'") + `"`); err == nil {
		return out
	}
	return "*"
}

// substitution reads a script in parentheses, at the first of them.
func (s *shell) substitution() {
	from, depth := s.at+1, 0
	for ; s.at < len(s.script); s.at++ {
		switch s.script[s.at] {
		case '\\':
			s.at++
		case '\'':
			s.at++
			s.skipTo('\'')
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				s.within(s.script[from:s.at])
				s.at++
				return
			}
		}
	}
	s.at = len(s.script)
	s.within(s.script[min(from, s.at):])
}

// within takes a script whose output stands in a word. What only repeats its operands, as $(ls ~/.ssh/id_*), is known beforehand.
func (s *shell) within(script string) {
	s.now.nested = append(s.now.nested, script)
	output := "*"
	if s.depth < deepest {
		inner := readScript(script, maps.Clone(s.vars), s.depth+1)
		if len(inner) > 0 && len(inner[0].words) > 1 && slices.Contains(listers, inner[0].words[0].text) {
			output = repeated(inner[0].words[1:])
		}
	}
	s.expand(output)
}

// repeated is what a lister prints.
func repeated(words []word) string {
	var out []string
	for _, w := range words {
		if !strings.HasPrefix(w.text, "-") {
			out = append(out, w.text)
		}
	}
	if text := strings.Join(out, " "); len(out) > 0 && len(text) <= maxValue {
		return text
	}
	return "*"
}

// redirect reads < or > and leaves at before the file's name.
func (s *shell) redirect(c byte) {
	if strings.Trim(s.text.String(), "0123456789") == "" { // a file's number
		s.text.Reset()
		s.start = -1
	}
	if s.peek(1) == '(' {
		s.begin()
		s.at++
		s.substitution()
		return
	}
	s.endWord()
	n := 1
	for s.peek(n) == c {
		n++
	}
	s.at += n
	switch {
	case c == '<' && n == 2:
		if s.peek(0) == '-' {
			s.at++
		}
		s.here = append(s.here, s.delimiter())
	case c == '<' && n == 3:
		s.into = &s.now.data
	case s.peek(0) == '&':
		s.at++
		for s.peek(0) >= '0' && s.peek(0) <= '9' || s.peek(0) == '-' {
			s.at++
		}
	case c == '<':
		s.into = &s.now.reads
	default:
		if s.peek(0) == '|' {
			s.at++
		}
		s.into = &s.now.writes
	}
}

// delimiter reads the word that ends a here-document.
func (s *shell) delimiter() string {
	rest := strings.TrimLeft(s.script[s.at:], " \t")
	s.at = len(s.script) - len(rest)
	end := strings.IndexAny(rest, " \t\n;|&<>)")
	if end < 0 {
		end = len(rest)
	}
	s.at += end
	return strings.Trim(rest[:end], `'"\`)
}

// hereDocuments gives the texts after a line to the last command of it.
func (s *shell) hereDocuments() {
	for _, delimiter := range s.here {
		from := s.at
		for s.at < len(s.script) {
			start := s.at
			s.skipTo('\n')
			line := s.script[start:s.at]
			s.at = min(s.at+1, len(s.script))
			if strings.TrimSpace(line) == delimiter {
				break
			}
		}
		// The command is the one that the line with the delimiter ends; which of a pipeline has it makes no difference here.
		if n := len(s.commands); n > 0 {
			s.commands[n-1].data = append(s.commands[n-1].data, word{text: s.script[from:s.at], start: from, end: s.at})
		}
	}
	s.here = nil
}
