package surface

import (
	"html"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// runs matches what makes an image or a page executable. An element's namespace may have any prefix: <s:script>.
var runs = lazyregexp.New(`(?i)<([\w.-]+:)?(script|foreignobject|iframe)\b|\bon[a-z]+\s*=|attributename\s*=\s*["']?\s*on[a-z]|javascript:`)

var (
	// addressed matches an attribute that is followed to a script, in a text whose character references are resolved.
	addressed = lazyregexp.New(`(?i)\b(href|from|to|values)\s*=\s*["']?[\x00-\x20]*javascript:`)
	// entity matches one that a document declares, with its name and its value.
	entity    = lazyregexp.New(`(?i)<!entity\s+([^\s"'%]+)\s+(?:"([^"]*)"|'([^']*)')`)
	entityUse = lazyregexp.New(`&([^\s&;#]{1,80});`)
)

// scripted reports whether XML runs code where it is shown.
func scripted(xml string) bool {
	if runs.MatchString(xml) || addressed.MatchString(html.UnescapeString(xml)) {
		return true
	}
	values := map[string]string{}
	for _, m := range entity.FindAllStringSubmatch(xml, 100) {
		values[m[1]] = html.UnescapeString(m[2] + m[3])
	}
	return len(values) > 0 && runs.MatchString(expanded(xml, values))
}

// expanded resolves entities, those in other entities' values too, up to a length that no image needs.
func expanded(xml string, values map[string]string) string {
	const most = 1 << 20
	for range 4 {
		left := most - len(xml)
		next := entityUse.ReplaceAllStringFunc(xml, func(reference string) string {
			value, known := values[strings.Trim(reference, "&;")]
			if left -= len(value); !known || left < 0 {
				return reference
			}
			return value
		})
		if next == xml {
			break
		}
		xml = next
	}
	return xml
}
