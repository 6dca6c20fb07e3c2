package simagent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind says what a token is.
type tokenKind uint8

const (
	word    tokenKind = iota
	number            // digits, with a sign or a point
	quoted            // what stands between quotation marks, without them
	mailbox           // someone@example.org
	address           // anything with ://
	path              // of a file
	sign              // one punctuation mark
	stop              // the end of a sentence, a list entry or a tag
)

// A token is one word of a text, or what a reader takes as one.
type token struct {
	kind tokenKind
	text string // as written
	low  string // in lower case
	item bool   // a stop that begins an entry of a list
	// proper says that the word has a capital and does not begin its sentence.
	proper bool
}

// isValue reports whether the token can be an argument as it stands.
func (t token) isValue() bool { return t.kind >= number && t.kind <= path }

const (
	// longestQuote is how much may stand between two quotation marks, in bytes.
	longestQuote = 300
	// longestTag is how much may stand between < and >, in bytes.
	longestTag = 60
	// delimiters part words beside white space.
	delimiters = "\"`()[]{}<>,;|="
)

// tokenize reads a text in one pass. Its time is linear: every look ahead is bounded.
func tokenize(s string) []token {
	var out []token
	lines, begun := 1, false // line breaks since the last token
	for i := 0; i < len(s); {
		c := s[i]
		if c <= ' ' {
			if c == '\n' {
				lines++
			}
			i++
			continue
		}
		if lines > 0 {
			if n := listMarkerLength(s[i:]); n > 0 {
				out = append(out, token{kind: stop, item: true})
				i += n
				lines = 0
				continue
			}
			if lines > 1 && begun {
				out = append(out, token{kind: stop})
			}
			lines = 0
		}
		begun = true
		i += appendToken(s, i, &out)
	}
	return append(out, token{kind: stop})
}

// listMarkerLength returns the length of what begins an entry of a list: "-", "2.", "Step 3:".
func listMarkerLength(s string) int {
	if len(s) > 4 && strings.EqualFold(s[:5], "step ") {
		n := countDigits(s[5:])
		if n > 0 && 5+n < len(s) && strings.IndexByte(".:)", s[5+n]) >= 0 {
			return 5 + n + 1
		}
	}
	if n := countDigits(s); n > 0 && n < 4 && n+1 < len(s) && (s[n] == '.' || s[n] == ')') && s[n+1] <= ' ' {
		return n + 1
	}
	if len(s) > 1 && strings.IndexByte("-*+#>", s[0]) >= 0 && s[1] <= ' ' {
		return 1
	}
	if strings.HasPrefix(s, "•") {
		return len("•")
	}
	return 0
}

func countDigits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// appendToken appends what stands at s[i:], which is no white space, and returns its length.
func appendToken(s string, i int, out *[]token) int {
	switch c := s[i]; {
	case strings.HasPrefix(s[i:], "<!--"):
		*out = append(*out, token{kind: stop})
		return len("<!--")
	case c == '<':
		if n := strings.IndexByte(s[i:min(len(s), i+longestTag)], '>'); n > 1 && s[i+1] > ' ' {
			*out = append(*out, token{kind: stop})
			return n + 1
		}
		*out = append(*out, token{kind: stop})
		return 1
	case strings.HasPrefix(s[i:], "-->"):
		*out = append(*out, token{kind: stop})
		return 3
	case c == ']':
		*out = append(*out, token{kind: stop})
		return 1
	case c == '"' || c == '`' || c == '\'':
		if inner, n := readQuotation(s, i); n > 0 {
			*out = append(*out, token{kind: quoted, text: inner, low: strings.ToLower(inner)})
			return n
		}
		return 1
	case strings.IndexByte(delimiters, c) >= 0:
		if c == ';' {
			*out = append(*out, token{kind: stop})
			return 1
		}
		*out = append(*out, token{kind: sign, text: s[i : i+1], low: s[i : i+1]})
		return 1
	}
	end := i
	for end < len(s) && s[end] > ' ' && (strings.IndexByte(delimiters, s[end]) < 0 || thousands(s, end)) {
		end++
	}
	appendChunk(s[i:end], out)
	return end - i
}

// thousands reports whether the comma at s[i] stands inside a number.
func thousands(s string, i int) bool {
	return s[i] == ',' && i > 0 && i+1 < len(s) && countDigits(s[i-1:i]) == 1 && countDigits(s[i+1:]) == 3
}

// readQuotation reads what is quoted at s[i:]; 0 if nothing is.
func readQuotation(s string, i int) (inner string, length int) {
	if i > 0 && isLetter(s[i-1]) {
		return "", 0 // an apostrophe
	}
	c := s[i]
	for j := i + 1; j < len(s) && j-i <= longestQuote; j++ {
		if s[j] == c && (j+1 == len(s) || !isLetter(s[j+1])) {
			return s[i+1 : j], j + 1 - i
		}
		if s[j] == '\n' && j+1 < len(s) && s[j+1] == '\n' {
			break
		}
	}
	return "", 0
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

// appendChunk appends a run without white space and delimiters, and the marks at its end.
func appendChunk(s string, out *[]token) {
	body := strings.TrimRight(s, ".:!?*'’…")
	if c := strings.IndexByte(body, ':'); c > 1 && c+1 < len(body) && !strings.HasPrefix(body[c:], "://") && !strings.Contains(body[c+1:], ":") {
		appendChunk(body[:c], out) // path:/etc/passwd
		*out = append(*out, token{kind: sign, text: ":", low: ":"})
		appendChunk(body[c+1:], out)
	} else if trimmed := strings.TrimLeft(body, "*"); trimmed != "" {
		one := classifyToken(trimmed)
		one.proper = len(*out) > 0 && (*out)[len(*out)-1].kind != stop && unicode.IsUpper([]rune(trimmed)[0])
		*out = append(*out, one)
	}
	for _, r := range s[len(body):] {
		switch r {
		case '.', '!', '?':
			*out = append(*out, token{kind: stop})
			return
		case ':':
			*out = append(*out, token{kind: sign, text: ":", low: ":"})
		}
	}
}

// classifyToken says what one run of characters is.
func classifyToken(s string) token {
	t := token{text: s, low: strings.ToLower(s)}
	at := strings.IndexByte(s, '@')
	switch {
	case strings.Contains(s, "://"):
		t.kind = address
	case at > 0 && strings.Contains(s[at:], ".") && !strings.ContainsAny(s, "/\\"):
		t.kind = mailbox
	case isFilePath(s):
		t.kind = path
	case parseNumeral(s) != "":
		t.kind, t.text = number, parseNumeral(s)
	case s == "-" || s == "–" || s == "—" || s == "&":
		t.kind = sign
	}
	return t
}

// isFilePath tells the path of a file from "and/or".
func isFilePath(s string) bool {
	switch {
	case strings.HasPrefix(s, "~/"), strings.HasPrefix(s, "./"), strings.HasPrefix(s, "../"), strings.HasPrefix(s, "$HOME/"):
		return true
	case len(s) > 2 && s[0] == '/' && isLetter(s[1]), strings.HasPrefix(s, "/."):
		return true
	case len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/'):
		return true
	case len(s) > 2 && s[0] == '.' && s[1] >= 'a' && s[1] <= 'z':
		return true // .env
	}
	dot := strings.LastIndexByte(s, '.')
	return dot > 1 && dot+1 < len(s) && len(s)-dot <= 5 && s[dot+1] >= 'a' && s[dot+1] <= 'z' && strings.IndexByte(s[dot+1:], '/') < 0
}

// parseNumeral returns the number that s is in the spelling of JSON, "" if it is none:
// "$50,000" is 50000.
func parseNumeral(s string) string {
	s = strings.ReplaceAll(strings.TrimLeft(s, "$€£"), ",", "")
	n := strings.TrimPrefix(s, "-")
	whole, rest, point := strings.Cut(n, ".")
	if n == "" || countDigits(whole) != len(whole) || whole == "" || len(n) > 15 || point && (rest == "" || countDigits(rest) != len(rest)) {
		return ""
	}
	if len(whole) > 1 && whole[0] == '0' {
		return ""
	}
	return s
}

// isIdentifier reports whether a word looks like the name of one thing: ENG-2026, user-123,
// Q4, read_file.
func isIdentifier(s string) bool {
	upper := 0
	for i, r := range s {
		switch {
		case r >= '0' && r <= '9', (r == '-' || r == '_') && i > 0:
			return true
		case unicode.IsUpper(r):
			upper++
		}
	}
	return upper > 1 && upper == len(s)
}
