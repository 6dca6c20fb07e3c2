package oatf

import (
	"fmt"
	"strings"
)

// oldBreaks end a line in YAML 1.1, which the YAML library reads, but not in 1.2, which this format uses. Payloads
// often hide text behind them.
var oldBreaks = []string{"\u0085", "\u2028", "\u2029"}

// placeholders replace those characters while the library reads a text by private-use characters that occur in it neither
// directly nor escaped; take returns the original of a scalar.
type placeholders struct{ put, take *strings.Replacer }

// placeholdersFor chooses the replacements; it fails for a text that uses them all.
func placeholdersFor(text string) (placeholders, error) {
	if !strings.ContainsAny(text, strings.Join(oldBreaks, "")) {
		return placeholders{strings.NewReplacer(), strings.NewReplacer()}, nil
	}
	lower := strings.ToLower(text)
	var put, take []string
	next := rune(0xE000)
	for _, b := range oldBreaks {
		for strings.ContainsRune(text, next) || strings.Contains(lower, fmt.Sprintf("%x", next)) {
			if next++; next > 0xF8FF {
				return placeholders{}, fmt.Errorf("the text has every private-use character")
			}
		}
		put = append(put, b, string(next))
		take = append(take, string(next), b)
		next++
	}
	return placeholders{strings.NewReplacer(put...), strings.NewReplacer(take...)}, nil
}

// Lines splits a text into the lines that diagnostics count, as YAML 1.2 does: at line feeds, carriage returns, or both together.
func Lines(text string) []string {
	if strings.Contains(text, "\r") {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	}
	return strings.Split(text, "\n")
}
