package clause

import (
	"strings"
	"unicode"
)

// A Name is what an identifier means in the definition at hand.
type Name uint8

// The meanings of a name.
const (
	Unknown   Name = iota
	Parameter      // a property of the definition's own schemas
	Sibling        // another tool of the same server
	Self           // the tool at hand
)

// name classifies a word that names something: written as an identifier, or alone in
// quotation marks.
func (t *tokenizer) name(i, stop int) (set classSet, ok bool) {
	word := t.s[i:stop]
	alone := i > 0 && stop < len(t.s) && t.s[i-1] == t.s[stop] && strings.IndexByte("`'\"", t.s[stop]) >= 0
	ids := identifier(word)
	if ids && credentialVariable(word) {
		return setOf(envName, ident), true
	}
	if isIBAN(word) || t.groupedAccount(i, stop) {
		return setOf(account, address, recipient), true
	}
	if !ids && !alone {
		if t.plainParameter(i, stop) {
			return setOf(ownParam), true
		}
		return set, false
	}
	if alone {
		t.pending |= named
	}
	if t.names != nil {
		switch t.names(word) {
		case Parameter:
			return setOf(ownParam), true
		case Sibling:
			return setOf(sibling), true
		case Self:
			return setOf(self), true
		}
	}
	if !ids {
		return set, false
	}
	if alone && i > 1 && (t.s[i-2] == '=' || t.s[i-2] == ':') {
		return setOf(literal), true // key='some_value'
	}
	if c := word[0]; c >= 'A' && c <= 'Z' && (strings.IndexByte(word, '_') < 0 || capitals(word)) {
		return set, false // "GitHub", "JavaScript", "NOT_FOUND"
	}
	return setOf(ident), true
}

// credentialVariable reports whether an identifier is the name of an environment variable
// that holds a credential: AWS_SECRET_ACCESS_KEY, $GITHUB_TOKEN.
func credentialVariable(s string) bool {
	s = strings.TrimLeft(s, "$")
	if strings.IndexByte(s, '_') < 0 || strings.ToUpper(s) != s {
		return false
	}
	for _, end := range []string{"_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_CREDENTIALS", "_KEY_ID", "_PASS", "_PAT"} {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	return false
}

func identifier(s string) bool {
	for i := 1; i < len(s); i++ {
		if s[i] == '_' && i+1 < len(s) || s[i] >= 'A' && s[i] <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// unleet reads digits and signs as the letters they stand for, where a word mixes both:
// "1gn0r3". Words of one letter and digits ("p4", "v1") are names of things.
func unleet(w, out []byte) []byte {
	letters, digits := 0, 0
	for _, c := range w {
		if c >= 'a' && c <= 'z' {
			letters++
		} else {
			digits++
		}
	}
	if digits == 0 || letters < 2 || len(w) < 3 {
		return nil
	}
	for _, c := range w {
		if j := strings.IndexByte("013457@$!", c); j >= 0 {
			c = "oieastasi"[j]
		}
		out = append(out, c)
	}
	return out
}

// plainParameter reports whether an ordinary word stands for a parameter of the
// definition: behind "in" or "as" without an article, or in front of a colon or an equals
// sign.
func (t *tokenizer) plainParameter(i, stop int) bool {
	if t.names == nil || stop-i < 2 {
		return false
	}
	assigned := stop < len(t.s) && (t.s[stop] == '=' || t.s[stop] == ':' && t.pending&fresh != 0 || strings.HasPrefix(t.s[stop:], " ="))
	n := len(t.out)
	into := n > 0 && t.out[n-1].has(into) && t.pending&fresh == 0 && t.out[n-1].end == int32(i)-1
	field := strings.HasPrefix(t.s[stop:], " field") || strings.HasPrefix(t.s[stop:], " parameter") || strings.HasPrefix(t.s[stop:], " argument")
	return (assigned || into || field) && t.names(t.s[i:stop]) == Parameter
}

// groupedAccount reports whether an account number in groups begins at s[i:stop]: "DE89
// 3704 0044 0532 0130 00", or three groups of digits and more than twenty in all.
func (t *tokenizer) groupedAccount(i, stop int) bool {
	if t.s[stop-1] < '0' || t.s[stop-1] > '9' || stop-i < 4 {
		return false
	}
	letters := isLetter(t.s[i]) && isLetter(t.s[i+1])
	digits, groups, j := 0, 1, i
	if letters {
		j += 2
	}
	for ; j < len(t.s) && j-i < 64; j++ {
		switch c := t.s[j]; {
		case c >= '0' && c <= '9':
			digits++
		case (c == ' ' || c == '.') && j+1 < len(t.s) && t.s[j+1] >= '0' && t.s[j+1] <= '9':
			groups++
		default:
			return letters && digits >= 12 && groups >= 4 || digits >= 24 && groups >= 3
		}
	}
	return letters && digits >= 12 && groups >= 4 || digits >= 24 && groups >= 3
}

// Words returns the words of a name or of a short text, in lower case; a word ends where its
// letters change from small to capital, too.
func Words(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(splitName(s).text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		out[w] = true
	}
	return out
}
