package report

import (
	"bytes"
	"io"
	"strings"
)

// commandLine begins a line that is never folded, so that its command can be copied whole.
const commandLine = "Next: "

// WriteFolded calls write and folds the lines it writes at spaces to fit columns, with continuation lines indented like
// their text. columns 0 disables folding. The text must be Visible except for colours.
func WriteFolded(to io.Writer, columns int, write func(io.Writer) error) error {
	if columns <= 0 {
		return write(to)
	}
	f := &folder{to: to, columns: columns}
	if err := write(f); err != nil {
		return err
	}
	_, err := f.to.Write(f.fold(f.rest))
	return err
}

// leastFolded is the narrowest terminal, in columns, for which lines are folded.
const leastFolded = 20

type folder struct {
	to      io.Writer
	columns int
	rest    []byte // an incomplete line
}

func (f *folder) Write(text []byte) (int, error) {
	end := bytes.LastIndexByte(text, '\n') + 1
	if end == 0 {
		f.rest = append(f.rest, text...)
		return len(text), nil
	}
	end += len(f.rest)
	f.rest = append(f.rest, text...)
	var out []byte
	for line := range bytes.Lines(f.rest[:end]) {
		out = append(out, f.fold(line)...)
	}
	f.rest = append(f.rest[:0], f.rest[end:]...)
	if _, err := f.to.Write(out); err != nil {
		return 0, err
	}
	return len(text), nil
}

// fold breaks one line, with or without its newline. Continuation lines are indented further than the line, at most half of the
// columns, or stand behind its bar.
func (f *folder) fold(line []byte) []byte {
	if len(line) <= f.columns || f.columns < leastFolded || bytes.HasPrefix(line, []byte(commandLine)) {
		return line
	}
	text, end := strings.CutSuffix(string(line), "\n")
	indent := len(text) - len(strings.TrimLeft(text, " "))
	hang := strings.Repeat(" ", min(indent, f.columns/2-2))
	if strings.HasPrefix(text[indent:], "│ ") {
		hang += "│ "
	} else {
		hang += "  "
	}
	rows := wrap(text[indent:], f.columns-indent, f.columns-columns(hang))
	out := text[:indent] + strings.Join(rows, "\n"+hang)
	if end {
		out += "\n"
	}
	return []byte(out)
}

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
