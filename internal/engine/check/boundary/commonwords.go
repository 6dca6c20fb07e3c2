package boundary

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
)

//go:embed commonwords.txt
var commonText string

// commonWords are the strings of commonwords.txt, in small letters.
var commonWords = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(commonText) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out[line] = true
		}
	}
	return out
})

// mediaType is the form of RFC 6838, perhaps with a charset.
var mediaType = regexp.MustCompile(`^(application|audio|font|image|message|model|multipart|text|video)/[a-z0-9][a-z0-9.+-]*(; ?charset=[a-z0-9-]+)?$`)

// isCommonWord reports whether a text is a word of protocols and programs that everybody uses, and
// so says nothing about where it came from.
func isCommonWord(text string) bool {
	if len(text) > 100 {
		return false
	}
	t := strings.ToLower(strings.TrimSpace(text))
	return commonWords()[t] || mediaType.MatchString(t) || isOneCharacter(t)
}

// isOneCharacter reports whether a text is one character again and again, as rulers and blanks are.
func isOneCharacter(t string) bool {
	return t == "" || strings.Trim(t, t[:1]) == ""
}
