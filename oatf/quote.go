package oatf

import (
	"strings"

	"gauntlet/rawjson"
)

func writeQuoted(b *strings.Builder, s string) {
	b.Write(rawjson.AppendString(make([]byte, 0, len(s)+8), s))
}
