package text

import (
	"strings"
	"unicode"
)

// inflect lists the forms of an English word, the base form first.
func inflect(w, kind string) []string {
	if strings.HasSuffix(w, "*") {
		return []string{w}
	}
	switch kind {
	case "noun":
		return []string{w, plural(w)}
	case "verb":
		stem := w
		forms := []string{w, plural(w)}
		switch {
		case strings.HasSuffix(w, "e"):
			stem = w[:len(w)-1]
			return append(forms, w+"d", stem+"ing")
		case strings.HasSuffix(w, "y") && len(w) > 2 && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
			return append(forms, w[:len(w)-1]+"ied", w+"ing")
		}
		return append(forms, w+"ed", w+"ing")
	}
	return []string{w}
}

func plural(w string) string {
	switch {
	case strings.HasSuffix(w, "y") && len(w) > 2 && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
		return w[:len(w)-1] + "ies"
	case strings.HasSuffix(w, "s") || strings.HasSuffix(w, "x") || strings.HasSuffix(w, "ch") || strings.HasSuffix(w, "sh"):
		return w + "es"
	}
	return w + "s"
}

func isIdeographic(r rune) bool {
	return r >= 0x2E80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 0x30FC)
}
