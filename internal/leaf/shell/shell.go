// Package shell reads scripts of a POSIX shell into their simple commands, without running anything.
package shell

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// A Word of a command: with quotes and variables resolved; * stands for what is known only when it runs. It is
// script[start:end].
type Word struct {
	Text       string
	Start, End int
	Secret     string // a variable in it that is named like a secret and that the script does not set
}

// A Command is one simple command of a shell's script.
type Command struct {
	Words         []Word
	Reads, Writes []Word   // files that its input comes from and its output goes to
	Data          []Word   // here-documents and here-strings
	Nested        []string // scripts whose output it is given: $(…), `…`, <(…)
	Sets          []string // variables that it gives to its program, NAME=value
	Piped         bool     // into the next Command
}

// A reader reads scripts as a POSIX shell would, as far as their words can be told beforehand.
type reader struct {
	script   string
	at       int
	vars     map[string]string
	commands []Command
	depth    int // scripts that it stands in
	now      Command
	text     strings.Builder
	start    int      // of the word being read, -1 for none
	secret   string   // of the word being read
	quoted   bool     // the word being read is in double quotes here
	into     *[]Word  // where the next word goes, nil for the Command
	here     []string // delimiters of here-documents whose texts follow
}

// MaxValue bounds a variable, in bytes: each may be made of two others.
const MaxValue = 4 << 10

// Read returns the simple commands of a script that stands in depth others. vars are those set so far.
func Read(script string, vars map[string]string, depth int) []Command {
	s := &reader{script: script, vars: vars, start: -1, depth: depth}
	for s.at < len(script) {
		s.step()
	}
	s.endCommand(false)
	return s.commands
}

func (s *reader) begin() {
	if s.start < 0 {
		s.start = s.at
	}
}

func (s *reader) endWord() {
	if s.start < 0 {
		return
	}
	w := Word{s.text.String(), s.start, s.at, s.secret}
	s.text.Reset()
	s.start, s.secret = -1, ""
	if s.into != nil {
		*s.into = append(*s.into, w)
		s.into = nil
		return
	}
	if name, value, ok := strings.Cut(w.Text, "="); ok && len(s.now.Words) == 0 && IsName(name) {
		s.set(name, value)
		s.now.Sets = append(s.now.Sets, w.Text)
		return
	}
	s.now.Words = append(s.now.Words, w)
}

func (s *reader) set(name, value string) {
	if len(value) <= MaxValue {
		s.vars[name] = value
	}
}

// expand adds what a variable or a substitution yields: outside of quotes and of an assignment, more than one word.
func (s *reader) expand(value string) {
	name, _, assigns := strings.Cut(s.text.String(), "=")
	if s.quoted || assigns && len(s.now.Words) == 0 && IsName(name) {
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

// IsName reports whether s can be the name of a variable.
func IsName(s string) bool {
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

func (s *reader) endCommand(piped bool) {
	s.endWord()
	c := s.now
	s.now, s.into = Command{}, nil
	c.Piped = piped
	switch w := c.Words; {
	case len(w) > 3 && w[0].Text == "for" && w[2].Text == "in":
		s.set(w[1].Text, "{"+strings.Join(strings.Fields(Join(w[3:])), ",")+",}")
	case len(w) > 3 && w[0].Text == "printf" && w[1].Text == "-v":
		s.set(w[2].Text, Join(w[min(4, len(w)-1):]))
	case len(w) > 1 && w[0].Text == "read" && len(c.Data) > 0:
		s.set(w[len(w)-1].Text, c.Data[0].Text)
	}
	if len(c.Words)+len(c.Reads)+len(c.Writes)+len(c.Data)+len(c.Nested)+len(c.Sets) > 0 {
		s.commands = append(s.commands, c)
	}
}

// step reads one character, or one group of them.
func (s *reader) step() {
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

func (s *reader) peek(n int) byte {
	if s.at+n < len(s.script) {
		return s.script[s.at+n]
	}
	return 0
}

func (s *reader) add(text string) {
	s.begin()
	if s.text.Len() <= longestWord {
		s.text.WriteString(text)
	}
}

func (s *reader) skipTo(c byte) {
	if i := strings.IndexByte(s.script[s.at:], c); i >= 0 {
		s.at += i
		return
	}
	s.at = len(s.script)
}

// character reads a part of a word, and leaves at behind it.
func (s *reader) character(c byte) {
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
func (s *reader) dollar() {
	switch n := s.peek(1); {
	case n == '(':
		s.at++
		s.substitution()
	case n == '{':
		from := s.at + 2
		s.skipTo('}')
		inside := s.script[min(from, s.at):s.at]
		name := inside[:nameEnd(inside)]
		if _, otherwise, ok := strings.Cut(inside, "-"); ok && s.vars[name] == "" && strings.ToUpper(name) != "HOME" { // ${F:-~/x}
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
		s.add(Unescaped(s.script[min(from, s.at):s.at]))
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
func (s *reader) value(name string) string {
	if v, ok := s.vars[name]; ok {
		return v
	}
	switch name {
	case "HOME", "home":
		return "~"
	case "PWD":
		return "."
	}
	if secretName(name) {
		s.secret = name
	}
	return "*"
}

// Unescaped resolves the escapes of $'…'.
func Unescaped(s string) string {
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
func (s *reader) substitution() {
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
func (s *reader) within(script string) {
	s.now.Nested = append(s.now.Nested, script)
	output := "*"
	if s.depth < Deepest {
		inner := Read(script, maps.Clone(s.vars), s.depth+1)
		if len(inner) > 0 && len(inner[0].Words) > 1 && slices.Contains(Listers, inner[0].Words[0].Text) {
			output = repeated(inner[0].Words[1:])
		}
	}
	s.expand(output)
}

// repeated is what a lister prints.
func repeated(words []Word) string {
	var out []string
	for _, w := range words {
		if !strings.HasPrefix(w.Text, "-") {
			out = append(out, w.Text)
		}
	}
	if text := strings.Join(out, " "); len(out) > 0 && len(text) <= MaxValue {
		return text
	}
	return "*"
}

// redirect reads < or > and leaves at before the file's name.
func (s *reader) redirect(c byte) {
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
		s.into = &s.now.Data
	case s.peek(0) == '&':
		s.at++
		for s.peek(0) >= '0' && s.peek(0) <= '9' || s.peek(0) == '-' {
			s.at++
		}
	case c == '<':
		s.into = &s.now.Reads
	default:
		if s.peek(0) == '|' {
			s.at++
		}
		s.into = &s.now.Writes
	}
}

// delimiter reads the word that ends a here-document.
func (s *reader) delimiter() string {
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
func (s *reader) hereDocuments() {
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
			s.commands[n-1].Data = append(s.commands[n-1].Data, Word{Text: s.script[from:s.at], Start: from, End: s.at})
		}
	}
	s.here = nil
}

// secretVariable matches the names of variables that hold secrets.
var secretVariable = lazyregexp.New(`(?i)(?:^|_)(?:token|secret|passwords?|passwd|api_?key|access_?key|private_?key|credentials?|pat)(?:_|$)`)

func secretName(variable string) bool {
	return len(variable) < 80 && secretVariable.MatchString(variable)
}

// Join returns the words as they would be shown, with spaces between them.
func Join(words []Word) string {
	var out []string
	for _, w := range words {
		out = append(out, w.Text)
	}
	return strings.Join(out, " ")
}

// Unwrap returns a command without the programs that only start it, and whether xargs feeds it.
func Unwrap(words []Word) (rest []Word, fed bool) {
	for len(words) > 0 && slices.Contains(wrappers, words[0].Text) {
		fed = fed || words[0].Text == "xargs"
		words = words[1:]
		for len(words) > 0 && (strings.HasPrefix(words[0].Text, "-") || strings.Contains(words[0].Text, "=") || strings.Trim(words[0].Text, "0123456789smh.") == "") {
			words = words[1:]
		}
	}
	return words, fed
}

// Programs of one kind.
var (
	wrappers = strings.Fields("sudo doas env nohup time exec command builtin nice timeout watch xargs parallel stdbuf caffeinate if then else elif do while until ! {")
	Shells   = strings.Fields("sh bash zsh dash ksh fish ash")
	Engines  = strings.Fields("python python2 python3 node deno bun perl ruby php osascript")
	Copiers  = strings.Fields("cp mv rsync scp install ln rclone")
	Packers  = strings.Fields("tar zip rsync rclone scp cp 7z http.server serve http-server")
	// Listers are commands that print the names that they are given.
	Listers = strings.Fields("echo printf ls readlink realpath")
)

// Deepest is how many scripts within scripts are read.
const Deepest = 8

// longestWord is how much of a word is kept, in bytes.
const longestWord = 256 << 10

// Readers are programs that show, copy or send what is in the files that they are given.
const Readers = "cat tac nl less more head tail bat grep egrep fgrep rg ag ack sed awk gawk cut sort uniq wc diff cmp strings od xxd hexdump base64 base32 md5sum sha1sum sha256sum jq yq tar zip 7z gzip openssl find rclone git"
