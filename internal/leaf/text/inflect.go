package text

import (
	"strings"
	"unicode"
)

// Inflect lists the forms of an English word, the base form first. kind is "verb", "noun"
// or empty for a word that has one form.
func Inflect(w, kind string) []string {
	if strings.HasSuffix(w, "*") {
		return []string{w}
	}
	switch kind {
	case "noun":
		return []string{w, plural(w)}
	case "verb":
		forms := []string{w, plural(w)}
		switch {
		case strings.HasSuffix(w, "e"):
			return append(forms, w+"d", w[:len(w)-1]+"ing")
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

// Ideographic reports whether r is of a script that writes words without spaces.
func Ideographic(r rune) bool {
	return r >= 0x2E80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 0x30FC)
}
