package puppet

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sort says what a token is.
type sort uint8

const (
	word    sort = iota
	number       // digits, with a sign or a point
	quoted       // what stands between quotation marks, without them
	mailbox      // someone@example.org
	address      // anything with ://
	path         // of a file
	sign         // one punctuation mark
	stop         // the end of a sentence, a list entry or a tag
)

// A token is one word of a text, or what a reader takes as one.
type token struct {
	sort sort
	text string // as written
	low  string // in lower case
	item bool   // a stop that begins an entry of a list
	// proper says that the word has a capital and does not begin its sentence.
	proper bool
}

// value reports whether the token can be an argument as it stands.
func (t token) value() bool { return t.sort >= number && t.sort <= path }

const (
	// longestQuote is how much may stand between two quotation marks, in bytes.
	longestQuote = 300
	// longestTag is how much may stand between < and >, in bytes.
	longestTag = 60
	// delimiters part words beside white space.
	delimiters = "\"`()[]{}<>,;|="
)

// tokens reads a text in one pass. Its time is linear: every look ahead is bounded.
func tokens(s string) []token {
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
			if n := marker(s[i:]); n > 0 {
				out = append(out, token{sort: stop, item: true})
				i += n
				lines = 0
				continue
			}
			if lines > 1 && begun {
				out = append(out, token{sort: stop})
			}
			lines = 0
		}
		begun = true
		i += next(s, i, &out)
	}
	return append(out, token{sort: stop})
}

// marker returns the length of what begins an entry of a list: "-", "2.", "Step 3:".
func marker(s string) int {
	if len(s) > 4 && strings.EqualFold(s[:5], "step ") {
		n := digits(s[5:])
		if n > 0 && 5+n < len(s) && strings.IndexByte(".:)", s[5+n]) >= 0 {
			return 5 + n + 1
		}
	}
	if n := digits(s); n > 0 && n < 4 && n+1 < len(s) && (s[n] == '.' || s[n] == ')') && s[n+1] <= ' ' {
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

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// next appends what stands at s[i:], which is no white space, and returns its length.
func next(s string, i int, out *[]token) int {
	switch c := s[i]; {
	case strings.HasPrefix(s[i:], "<!--"):
		*out = append(*out, token{sort: stop})
		return len("<!--")
	case c == '<':
		if n := strings.IndexByte(s[i:min(len(s), i+longestTag)], '>'); n > 1 && s[i+1] > ' ' {
			*out = append(*out, token{sort: stop})
			return n + 1
		}
		*out = append(*out, token{sort: stop})
		return 1
	case strings.HasPrefix(s[i:], "-->"):
		*out = append(*out, token{sort: stop})
		return 3
	case c == ']':
		*out = append(*out, token{sort: stop})
		return 1
	case c == '"' || c == '`' || c == '\'':
		if inner, n := quotation(s, i); n > 0 {
			*out = append(*out, token{sort: quoted, text: inner, low: strings.ToLower(inner)})
			return n
		}
		return 1
	case strings.IndexByte(delimiters, c) >= 0:
		if c == ';' {
			*out = append(*out, token{sort: stop})
			return 1
		}
		*out = append(*out, token{sort: sign, text: s[i : i+1], low: s[i : i+1]})
		return 1
	}
	end := i
	for end < len(s) && s[end] > ' ' && (strings.IndexByte(delimiters, s[end]) < 0 || thousands(s, end)) {
		end++
	}
	chunk(s[i:end], out)
	return end - i
}

// thousands reports whether the comma at s[i] stands inside a number.
func thousands(s string, i int) bool {
	return s[i] == ',' && i > 0 && i+1 < len(s) && digits(s[i-1:i]) == 1 && digits(s[i+1:]) == 3
}

// quotation reads what is quoted at s[i:]; 0 if nothing is.
func quotation(s string, i int) (inner string, length int) {
	if i > 0 && letter(s[i-1]) {
		return "", 0 // an apostrophe
	}
	c := s[i]
	for j := i + 1; j < len(s) && j-i <= longestQuote; j++ {
		if s[j] == c && (j+1 == len(s) || !letter(s[j+1])) {
			return s[i+1 : j], j + 1 - i
		}
		if s[j] == '\n' && j+1 < len(s) && s[j+1] == '\n' {
			break
		}
	}
	return "", 0
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

// chunk appends a run without white space and delimiters, and the marks at its end.
func chunk(s string, out *[]token) {
	body := strings.TrimRight(s, ".:!?*'’…")
	if c := strings.IndexByte(body, ':'); c > 1 && c+1 < len(body) && !strings.HasPrefix(body[c:], "://") && !strings.Contains(body[c+1:], ":") {
		chunk(body[:c], out) // path:/etc/passwd
		*out = append(*out, token{sort: sign, text: ":", low: ":"})
		chunk(body[c+1:], out)
	} else if trimmed := strings.TrimLeft(body, "*"); trimmed != "" {
		one := single(trimmed)
		one.proper = len(*out) > 0 && (*out)[len(*out)-1].sort != stop && unicode.IsUpper([]rune(trimmed)[0])
		*out = append(*out, one)
	}
	for _, r := range s[len(body):] {
		switch r {
		case '.', '!', '?':
			*out = append(*out, token{sort: stop})
			return
		case ':':
			*out = append(*out, token{sort: sign, text: ":", low: ":"})
		}
	}
}

// single says what one run of characters is.
func single(s string) token {
	t := token{text: s, low: strings.ToLower(s)}
	at := strings.IndexByte(s, '@')
	switch {
	case strings.Contains(s, "://"):
		t.sort = address
	case at > 0 && strings.Contains(s[at:], ".") && !strings.ContainsAny(s, "/\\"):
		t.sort = mailbox
	case filePath(s):
		t.sort = path
	case numeral(s) != "":
		t.sort, t.text = number, numeral(s)
	case s == "-" || s == "–" || s == "—" || s == "&":
		t.sort = sign
	}
	return t
}

// filePath tells the path of a file from "and/or".
func filePath(s string) bool {
	switch {
	case strings.HasPrefix(s, "~/"), strings.HasPrefix(s, "./"), strings.HasPrefix(s, "../"), strings.HasPrefix(s, "$HOME/"):
		return true
	case len(s) > 2 && s[0] == '/' && letter(s[1]), strings.HasPrefix(s, "/."):
		return true
	case len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/'):
		return true
	case len(s) > 2 && s[0] == '.' && s[1] >= 'a' && s[1] <= 'z':
		return true // .env
	}
	dot := strings.LastIndexByte(s, '.')
	return dot > 1 && dot+1 < len(s) && len(s)-dot <= 5 && s[dot+1] >= 'a' && s[dot+1] <= 'z' && strings.IndexByte(s[dot+1:], '/') < 0
}

// numeral returns the number that s is in the spelling of JSON, "" if it is none:
// "$50,000" is 50000.
func numeral(s string) string {
	s = strings.ReplaceAll(strings.TrimLeft(s, "$€£"), ",", "")
	n := strings.TrimPrefix(s, "-")
	whole, rest, point := strings.Cut(n, ".")
	if n == "" || digits(whole) != len(whole) || whole == "" || len(n) > 15 || point && (rest == "" || digits(rest) != len(rest)) {
		return ""
	}
	if len(whole) > 1 && whole[0] == '0' {
		return ""
	}
	return s
}

// identifier reports whether a word looks like the name of one thing: ENG-2026, user-123,
// Q4, read_file.
func identifier(s string) bool {
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
