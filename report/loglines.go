package report

import "io"

// LogWriter returns a writer to w for text that goes to a terminal or a CI log. CI runners execute lines that look like
// commands (GitHub: "::name::" after white space, "##[name]" anywhere; Azure "##vso[", TeamCity "##teamcity["), and a
// report quotes strangers. The character that completes such a command is written as Visible writes a hidden one.
func LogWriter(w io.Writer) io.Writer { return &logWriter{w: w, blank: true} }

type logWriter struct {
	w     io.Writer
	blank bool // only white space so far on this line
	colon bool // only white space and one colon so far
	mark  int  // matched part of "##letters": the number of #, up to 2
}

func (l *logWriter) Write(text []byte) (int, error) {
	out := make([]byte, 0, len(text))
	for _, c := range text {
		switch {
		case c == ':' && l.colon:
			out = append(out, "<U+003A>"...)
		case c == '[' && l.mark == 2:
			out = append(out, "<U+005B>"...)
		default:
			out = append(out, c)
		}
		l.step(c)
	}
	if _, err := l.w.Write(out); err != nil {
		return 0, err
	}
	return len(text), nil
}

// step updates the state of the line by one byte.
func (l *logWriter) step(c byte) {
	space := c <= ' ' || c >= 0x80 // also Unicode spaces; escaping too much is harmless
	switch {
	case c == '\n' || c == '\r':
		l.blank, l.colon, l.mark = true, false, 0
		return
	case space && l.blank && !l.colon:
	default:
		l.colon = c == ':' && l.blank && !l.colon
		l.blank = false
	}
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-'
	switch {
	case c == '#':
		l.mark = min(l.mark+1, 2)
	case letter && l.mark == 2:
	default:
		l.mark = 0
	}
}
