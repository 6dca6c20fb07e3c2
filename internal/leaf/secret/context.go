package secret

import (
	"strings"
	"sync"
)

// credentialLabel reports whether the words just before a secret name a credential: "api_key", "the access token is",
// "Authorization: Bearer". Keys and tokens of records, files and pages open nothing and do not count.
func credentialLabel(s string, secret span) bool {
	last, previous := labelWords(textBefore(s, secret))
	for _, w := range [...]string{"secret", "password", "passwd", "passphrase", "credential", "credentials", "creds", "bearer", "authorization", "pat"} {
		if strings.HasSuffix(last, w) {
			return true
		}
	}
	for _, w := range [...]string{"key", "token"} {
		if of, ok := strings.CutSuffix(last, w); ok {
			return !ordinary[of] && (of != "" || !ordinary[previous])
		}
	}
	return false
}

// textBefore returns the text before a secret that may contain a label.
func textBefore(s string, secret span) string { return s[max(0, secret.start-64):secret.start] }

// labelWords returns the last two words of text in lower case, without separators and a final "is" or "as".
func labelWords(text string) (last, previous string) {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return c < 'a' || c > 'z' })
	for n := len(words); n > 0; n-- {
		switch w := words[n-1]; {
		case w == "is" || w == "as" || w == "basic":
			continue
		case n > 1:
			return w, words[n-2]
		default:
			return w, ""
		}
	}
	return "", ""
}

// ordinary are things whose keys and tokens are no credentials.
var ordinary = wordSet(`file issue project primary foreign partition sort range object cache
	page paging pagination nextpage next prev previous last continuation continue resume sync
	nextsync change delta watch cursor start skip public idempotency board storage row record
	translation json dict dictionary map node team component style lookup search group index
	unique composite routing event message media context space item entity document blob bucket upload
	share thread cell sheet column field property metric label tag feature flag config setting
	csrf hot shortcut max min total input output prompt`)

func wordSet(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// example holds the words with which documentation introduces invented values.
var example = sync.OnceValue(func() *words {
	return newWords([]string{"e.g", "eg:", "eg.", "example", "for instance", "such as", "look like", "looks like",
		"format", "sample", "pattern", "prefix", "start with", "starts with", "starting with",
		"begins with", "beginning with", "i.e", "usage", "demo", "placeholder"})
})

// exemplary reports whether the text just before a secret introduces an example, or the text just after calls it one.
func exemplary(s string, secret span) (yes bool) {
	head := s[max(0, secret.start-120):secret.start]
	example().eachWord(head, func(_, start, _ int) bool {
		yes = start == 0 || !wordByte(head[start-1])
		return !yes
	})
	return yes || linked(s, secret) || strings.Contains(strings.ToLower(s[secret.end:min(len(s), secret.end+20)]), "example")
}

// linked reports whether the text in front of a value shows it as a part of a link's path: "the file key in the URL, such as
// https://www.figma.com/file/do4pJqHwNwH1nBrrscu6Ld/Untitled, is do4pJqHwNwH1nBrrscu6Ld".
func linked(s string, secret span) bool {
	before := s[max(0, secret.start-512):secret.start]
	at := strings.LastIndex(before, "/"+secret.spanText(s))
	if at < 0 {
		return false
	}
	link := before[strings.LastIndexAny(before[:at], " \t\n\"'`(<")+1 : at]
	return strings.Contains(link, "://") && !strings.ContainsAny(link, "?#@")
}

// handed matches a label immediately before.
var handed = lazy(`(?i)(?:key|token|secret|passw(?:or)?d|passphrase|credentials?|creds|access(?: key)?(?: id)?|bearer|authorization)[ \t]*(?::|=|\bis\b)[ \t]*$`)

// live reports whether the text presents a secret as real: label, separator, unquoted value, and no "e.g." before. Only then is a
// secret that is not random reported, such as "sk-fake1234567890abc" in "API Key: sk-fake1234567890abc".
func live(s string, secret span) bool {
	return handed().MatchString(textBefore(s, secret)) && !exemplary(s, secret) && !strings.HasPrefix(s[secret.end:], "..")
}
