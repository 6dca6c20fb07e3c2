package clause

import "strings"

// Purpose returns the beginning of a description that says what the tool does: its first
// clause, of twelve words at most.
func Purpose(description string) string {
	const longest = 160
	s := strings.TrimSpace(description[:min(len(description), longest)])
	words := 0
	for i, r := range s {
		switch r {
		case '.', ',', ';', ':', '\n', '(', '。', '、', '，', '；', '：', '—', '।':
			if i > 0 {
				return s[:i]
			}
		case ' ':
			if words++; words == 12 {
				return s[:i]
			}
		}
	}
	return strings.ToValidUTF8(s, "")
}
