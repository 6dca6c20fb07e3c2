package simagent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gauntlet/internal/leaf/lazyregexp"
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
	// delimiters part words beside white space.
	delimiters = "\"`()[]{}<>,;|="
)

var (
	listMarker  = lazyregexp.New(`^(?i:step \d+[.:)]|\d{1,3}[.)]\s|[-*+#>]\s|•)`) // "-", "2.", "Step 3:"
	stopMark    = lazyregexp.New(`^(?:<!--|-->|<[^\s>][^>]{0,58}>|[<\];])`)       // tags and comments among them
	filePath    = lazyregexp.New(`^(?:~/|\.{1,2}/|\$HOME/|/\.|/\w.|[A-Za-z]:[\\/]|\.[a-z].)|^..+\.[a-z][^/.]{0,3}$`)
	numeralForm = lazyregexp.New(`^-?(?:0|[1-9]\d*)(?:\.\d+)?$`)
)

// tokenize reads a text in one pass. Its time is linear: every look ahead is bounded.
func tokenize(s string) []token {
	var out []token
	lines := 1 // line breaks since the last token
	for i := 0; i < len(s); {
		if s[i] <= ' ' {
			if s[i] == '\n' {
				lines++
			}
			i++
			continue
		}
		ahead := s[i:min(len(s), i+64)]
		if n := len(listMarker.FindString(ahead)); lines > 0 && n > 0 {
			out, i, lines = append(out, token{kind: stop, item: true}), i+n, 0
			continue
		}
		if lines > 1 {
			out = append(out, token{kind: stop})
		}
		lines = 0
		if n := len(stopMark.FindString(ahead)); n > 0 {
			out, i = append(out, token{kind: stop}), i+n
			continue
		}
		i += appendToken(s, i, &out)
	}
	return append(out, token{kind: stop})
}

// appendToken appends what stands at s[i:], which is no white space, and returns its length.
func appendToken(s string, i int, out *[]token) int {
	switch c := s[i]; {
	case c == '"' || c == '`' || c == '\'':
		inner, n := readQuotation(s, i)
		if n > 0 {
			*out = append(*out, token{kind: quoted, text: inner, low: strings.ToLower(inner)})
		}
		return max(n, 1)
	case strings.IndexByte(delimiters, c) >= 0:
		*out = append(*out, token{kind: sign, text: s[i : i+1], low: s[i : i+1]})
		return 1
	}
	end := i
	for end < len(s) && s[end] > ' ' && strings.IndexByte(delimiters, s[end]) < 0 {
		end++
	}
	appendChunk(s[i:end], out)
	return end - i
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
	case filePath.MatchString(s):
		t.kind = path
	case parseNumeral(s) != "":
		t.kind, t.text = number, parseNumeral(s)
	case s == "-" || s == "–" || s == "—" || s == "&":
		t.kind = sign
	}
	return t
}

// parseNumeral returns the number that s is in the spelling of JSON, "" if it is none: "$50" is 50.
func parseNumeral(s string) string {
	s = strings.TrimLeft(s, "$€£")
	if len(s) > 16 || !numeralForm.MatchString(s) {
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
