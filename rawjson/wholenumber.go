package rawjson

import (
	"math"
	"strconv"
)

// WholeNumber returns the digits of a whole number below 2^53 given as a number in any spelling or as a string with one: 7 for `7`, `7.0`
// and `"7"`. ok is false for other tokens. MCP SDKs read the ids of answers like this, since many servers return them with another type.
func WholeNumber(token string) (digits string, ok bool) {
	const longest = 64
	if len(token) > longest {
		return "", false
	}
	if text := UnquoteString(token); text != "" {
		token = text
	}
	for i := range len(token) {
		if c := token[i]; (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return "", false // ParseFloat also accepts hexadecimal, underscores and names
		}
	}
	f, err := strconv.ParseFloat(token, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return "", false
	}
	return strconv.FormatInt(int64(f), 10), true
}
