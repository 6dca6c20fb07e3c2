package oatf

import (
	"strings"

	"gauntlet/rawjson"
)

// quote writes a string as JSON.
func quote(b *strings.Builder, s string) {
	b.Write(rawjson.AppendString(make([]byte, 0, len(s)+8), s))
}
