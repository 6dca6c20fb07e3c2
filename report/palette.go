package report

// A palette paints with ANSI colours, or not at all. It is the only source of escape sequences in this package.
type palette bool

// codes use the 16 basic colours, which follow the reader's theme.
var codes = map[tone]string{
	toneBold: "1", toneSoft: "2", toneGood: "32",
	"critical": "1;31", "high": "31", "medium": "33", "low": "36", "info": "34", "none": "34",
}

func (p palette) bold(s string) string { return p.paint(toneBold, s) }
func (p palette) dim(s string) string  { return p.paint(toneSoft, s) }

func (p palette) paint(t tone, s string) string {
	if code := codes[t]; p && code != "" && s != "" {
		return "\x1b[" + code + "m" + s + "\x1b[0m"
	}
	return s
}
