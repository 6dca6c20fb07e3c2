package finding

import "unicode/utf8"

// Clip shortens a stranger's text for a message: to at most n bytes of whole characters
// and an ellipsis behind them.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
