package namespace

import (
	"fmt"
	"strconv"
	"strings"

	"gauntlet/catalog"
	"gauntlet/internal/leaf/excerpt"
)

// shown limits the names in a message.
const shown = 4

// listNames lists the first few names and counts the rest.
func listNames(names []string) string {
	if len(names) > shown+1 {
		names = append(names[:shown:shown], fmt.Sprintf("%d more", len(names)-shown))
	}
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " and " + names[n]
	}
	return strings.Join(names, "")
}

// serverNames names servers for a message. Servers with the same name are distinguished by their places.
func serverNames(servers []*catalog.Server) []string {
	count := map[string]int{}
	for _, s := range servers {
		count[s.Name]++
	}
	out := make([]string, 0, len(servers))
	for _, s := range servers {
		name := quoteName(s.Name)
		if at := strings.TrimSpace(s.Document.Name + " " + s.Pointer); count[s.Name] > 1 && at != "" {
			name += " (" + at + ")"
		}
		out = append(out, name)
	}
	return out
}

// quoteName shows an untrusted name, clipped and with invisible characters escaped.
func quoteName(name string) string { return quoteClipped(name, strconv.Quote) }

// spell shows a name that resembles another, with non-ASCII characters escaped.
func (l likeness) spell(name string) string {
	if l == looksAlike || l == loosely {
		return quoteClipped(name, strconv.QuoteToASCII)
	}
	return quoteName(name)
}

func quoteClipped(name string, quote func(string) string) string {
	const most = 80
	if len(name) > most {
		return quote(excerpt.Head(name, most)) + "…"
	}
	return quote(name)
}
