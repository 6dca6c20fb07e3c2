package namespace

import (
	"fmt"
	"strconv"
	"strings"

	"gauntlet/catalog"
)

// shown is how many names a message lists.
const shown = 4

// listed writes names for a message: the first few, and how many more there are.
func listed(names []string) string {
	if len(names) > shown+1 {
		names = append(names[:shown:shown], fmt.Sprintf("%d more", len(names)-shown))
	}
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " and " + names[n]
	}
	return strings.Join(names, "")
}

// called names servers for a message. Servers with one name are told apart by their places.
func called(servers []*catalog.Server) []string {
	count := map[string]int{}
	for _, s := range servers {
		count[s.Name]++
	}
	out := make([]string, 0, len(servers))
	for _, s := range servers {
		name := quote(s.Name)
		if at := strings.TrimSpace(s.Document.Name + " " + s.Pointer); count[s.Name] > 1 && at != "" {
			name += " (" + at + ")"
		}
		out = append(out, name)
	}
	return out
}

// quote shows a stranger's name, clipped; characters that nobody sees become escapes.
func quote(name string) string { return quoted(name, strconv.Quote) }

// spell shows a name that looks like another: all characters beyond ASCII become escapes.
func (l likeness) spell(name string) string {
	if l == looksAlike || l == loosely {
		return quoted(name, strconv.QuoteToASCII)
	}
	return quote(name)
}

func quoted(name string, quote func(string) string) string {
	const most = 80
	if len(name) > most {
		cut := most
		for cut > 0 && name[cut]&0xC0 == 0x80 {
			cut--
		}
		return quote(name[:cut]) + "…"
	}
	return quote(name)
}
