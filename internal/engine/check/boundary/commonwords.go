package boundary

import (
	_ "embed"
	"strings"
	"sync"

	"gauntlet/internal/leaf/lazyregexp"
)

//go:embed commonwords.txt
var commonText string

// commonWords are the lower-case strings of commonwords.txt.
var commonWords = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(commonText) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out[line] = true
		}
	}
	return out
})

// mediaType matches a media type of RFC 6838 with an optional charset.
var mediaType = lazyregexp.New(`^(application|audio|font|image|message|model|multipart|text|video)/[a-z0-9][a-z0-9.+-]*(; ?charset=[a-z0-9-]+)?$`)

// isCommonWord reports whether a text is a word common in protocols and programs, which says nothing about its origin.
func isCommonWord(text string) bool {
	if len(text) > 100 {
		return false
	}
	t := strings.ToLower(strings.TrimSpace(text))
	return commonWords()[t] || mediaType.MatchString(t) || isOneCharacter(t)
}

// isOneCharacter reports whether a text repeats one character, like rulers and blanks.
func isOneCharacter(t string) bool {
	return t == "" || strings.Trim(t, t[:1]) == ""
}
