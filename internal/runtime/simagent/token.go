package simagent

import (
	"slices"
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
	quoted            // what is between quotation marks, without them
	mailbox           // someone@example.org
	address           // anything with ://
	path              // of a file
	sign              // one punctuation mark
	stop              // the end of a sentence, a list entry or a tag
)

// A token is a word of a text, or what a reader takes as one.
type token struct {
	kind   tokenKind
	text   string // as written
	low    string // in lower case
	item   bool   // a stop that begins an entry of a list
	proper bool   // a word with a capital that does not begin its sentence
}

// isValue reports whether the token can be an argument as it is.
func (t token) isValue() bool { return t.kind >= number && t.kind <= path }

const delimiters = "\"`()[\\]{}<>,;|=\\s"

// The groups of tokenForm, in its order.
const (
	itemGroup = iota + 1
	stopGroup
	quoteGroup
	chunkGroup = quoteGroup + 3
	signGroup  = chunkGroup + 1
)

var (
	tokenForm = lazyregexp.New(`(?m:^[ \t]*((?i:step \d+[.:]|\d{1,3}[.)]\s|[-*+#>]\s|•)))` + // "-", "2.", "Step 3:"
		`|(\n\s*\n|<!--|-->|<[^\s>][^>]{0,58}>|[<\];])` +
		`|"([^"\n]+)"|` + "`([^`\n]+)`" + `|'([^'\n]+)'` +
		`|([^` + delimiters + `]*[^` + delimiters + `.:!?*'’…])` +
		`|([:=(),|.!?])`)
	filePath    = lazyregexp.New(`^(?:~/|\.{1,2}/|\$HOME/|/\.|/\w.|[A-Za-z]:[\\/]|\.[a-z].)|^..+\.[a-z][^/.]{0,3}$`)
	numeralForm = lazyregexp.New(`^-?(?:0|[1-9]\d*)(?:\.\d+)?$`)
)

// tokenize reads a text in linear time. It ends with a stop.
func tokenize(s string) []token {
	var out []token
	for _, m := range tokenForm.FindAllStringSubmatchIndex(s, -1) {
		group := 1
		for m[2*group] < 0 {
			group++
		}
		text := s[m[2*group]:m[2*group+1]]
		switch {
		case group <= stopGroup:
			out = append(out, token{kind: stop, item: group == itemGroup})
		case group < chunkGroup:
			out = append(out, token{kind: quoted, text: text, low: strings.ToLower(text)})
		case group == signGroup && strings.Contains(".!?", text):
			out = append(out, token{kind: stop})
		case group == signGroup:
			out = append(out, token{kind: sign, text: text, low: text})
		default:
			out = appendChunk(strings.TrimLeft(text, "*"), out)
		}
	}
	return append(out, token{kind: stop})
}

// appendChunk appends what is written without a space. A colon parts a name from its value: "path:/etc/passwd".
func appendChunk(s string, out []token) []token {
	name, value, found := strings.Cut(s, ":")
	if found && len(name) > 1 && !strings.HasPrefix(value, "//") && !strings.Contains(value, ":") {
		return appendChunk(value, append(appendChunk(name, out), token{kind: sign, text: ":", low: ":"}))
	}
	first, _ := utf8.DecodeRuneInString(s)
	begins := len(out) == 0 || out[len(out)-1].kind == stop
	return append(out, token{kind: kindOf(s), text: strings.TrimLeft(s, "$€£"), low: strings.ToLower(s), proper: !begins && unicode.IsUpper(first)})
}

func kindOf(s string) tokenKind {
	at := strings.IndexByte(s, '@')
	switch {
	case strings.Contains(s, "://"):
		return address
	case at > 0 && strings.Contains(s[at:], ".") && !strings.ContainsAny(s, "/\\"):
		return mailbox
	case filePath.MatchString(s):
		return path
	case isNumeral(strings.TrimLeft(s, "$€£")):
		return number
	case s == "-" || s == "–" || s == "—" || s == "&":
		return sign
	}
	return word
}

// isNumeral reports whether s is a number in the spelling of JSON.
func isNumeral(s string) bool { return len(s) <= 16 && numeralForm.MatchString(s) }

// isIdentifier reports whether a word looks like the name of one thing: ENG-2026, user-123, Q4, read_file.
func isIdentifier(s string) bool {
	return strings.ContainsAny(s, "0123456789") || strings.LastIndexAny(s, "-_") > 0 || len(s) > 1 && s == strings.ToUpper(s)
}

func containsWord(tokens []token, words map[string]bool) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return t.kind == word && words[t.low] })
}

func hasValue(tokens []token) bool { return slices.ContainsFunc(tokens, token.isValue) }

// wordsOf returns the words among tokens, in lower case.
func wordsOf(tokens []token) (out []string) {
	for _, t := range tokens {
		if t.kind == word {
			out = append(out, t.low)
		}
	}
	return out
}

// joinTokens returns the tokens as text.
func joinTokens(tokens []token) string {
	var b strings.Builder
	for _, t := range tokens {
		if b.Len() > 0 && !(t.kind == sign && strings.Contains(",:)", t.text)) {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}
