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
