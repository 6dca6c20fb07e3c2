package report

import "gauntlet/finding"

// A palette paints with ANSI colours, or not at all. It is the only source of escape sequences in this package.
type palette bool

func (p palette) bold(s string) string  { return p.sgr("1", s) }
func (p palette) dim(s string) string   { return p.sgr("2", s) }
func (p palette) green(s string) string { return p.sgr("32", s) }

func (p palette) colourSeverity(sev finding.Severity, s string) string {
	return p.paint(toneOf(sev), s)
}

// paint uses the 16 basic colours, which follow the reader's theme.
func (p palette) paint(t tone, s string) string {
	switch t {
	case "":
		return s
	case toneSoft:
		return p.dim(s)
	case toneBold:
		return p.bold(s)
	case toneGood:
		return p.green(s)
	case "critical":
		return p.sgr("1;31", s)
	case "high":
		return p.sgr("31", s)
	case "medium":
		return p.sgr("33", s)
	case "low":
		return p.sgr("36", s)
	}
	return p.sgr("34", s)
}

func (p palette) sgr(code, s string) string {
	if !p || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
