package rawjson

import (
	"math"
	"strconv"
)

// WholeNumber returns the decimal digits of a whole number below 2^53 that a token says, as a number
// in any spelling or as a string that holds one: 7 of `7`, `7.0` and `"7"`. ok is false for every
// other token. The SDKs of MCP read the ids of answers so, since many servers keep them in another type.
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
			return "", false // ParseFloat also takes hexadecimal, underscores and names
		}
	}
	f, err := strconv.ParseFloat(token, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return "", false
	}
	return strconv.FormatInt(int64(f), 10), true
}
