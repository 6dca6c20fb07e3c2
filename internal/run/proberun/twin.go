package proberun

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"gauntlet/internal/leaf/probe"
)

// bySyntax are the classes whose payloads work because a parser reads them as its language. The others lead somewhere, and a path
// without its folders is another path.
var bySyntax = []probe.Class{
	probe.CommandInjection, probe.ArgumentInjection, probe.CodeEvaluation, probe.TemplateInjection, probe.SQLInjection, probe.NoSQLInjection, probe.Deserialisation, probe.CRLF,
}

// BySyntax reports whether a proof of the target's class needs a twin.
func (t *Target) BySyntax() bool { return slices.Contains(bySyntax, t.Class) }

var (
	// effects matches the parts of payloads that define the visible effect.
	effects = regexp.MustCompile(`\d+\*\d+(?:-\d+|==?\d+)?|X-Gauntlet-\w+: 1`)
	words   = regexp.MustCompile(`[A-Za-z_]+|[^A-Za-z_]+`)
)

// Twin is the control of a payload: the same value without its syntax. The visible effect stays (the product, the file named touch,
// the header), words are reversed, and punctuation becomes spaces: "x'; return 2*3; //" becomes "x nruter 2*3". A tool that
// multiplies numbers in any text does so with both, so the payload proves nothing.
func Twin(value any, touch string) any {
	switch v := value.(type) {
	case string:
		return twinText(v, touch)
	case map[string]any:
		out := map[string]any{}
		for key, member := range v {
			out[twinText(key, "")] = member
		}
		return out
	}
	return value
}

func twinText(text, touch string) string {
	var b strings.Builder
	for rest := text; rest != ""; {
		kept := effects.FindStringIndex(rest)
		if at := strings.Index(rest, touch); touch != "" && at >= 0 && (kept == nil || at < kept[0]) {
			kept = []int{at, at + len(touch)}
		}
		if kept == nil {
			kept = []int{len(rest), len(rest)}
		}
		for _, word := range words.FindAllString(rest[:kept[0]], -1) {
			b.WriteString(backwards(word))
		}
		b.WriteString(rest[kept[0]:kept[1]])
		rest = rest[kept[1]:]
	}
	return strings.TrimSpace(b.String())
}

// backwards reverses the letters of a word, and blanks punctuation.
func backwards(word string) string {
	runes := []rune(word)
	if unicode.IsLetter(runes[0]) || runes[0] == '_' {
		slices.Reverse(runes)
	}
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			runes[i] = ' '
		}
	}
	return string(runes)
}
