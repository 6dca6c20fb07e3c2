package report

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// commandLine begins a line that is left as long as it is: a command is copied whole.
const commandLine = "Next: "

// WriteFolded has write write text for a terminal of so many columns, and folds its longer lines at spaces; what goes
// on stands below the text, not in the first column. 0 columns fold nothing. The text has been made Visible
// but for colours.
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

// leastFolded is how many columns a terminal has at least whose lines are folded.
const leastFolded = 20

type folder struct {
	to      io.Writer
	columns int
	rest    []byte // the beginning of a line
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

// fold breaks one line, with or without its end.
func (f *folder) fold(line []byte) []byte {
	if len(line) <= f.columns || f.columns < leastFolded || bytes.HasPrefix(line, []byte(commandLine)) {
		return line
	}
	hang := f.hangOf(line)
	var out []byte
	taken := 0  // columns of the line so far
	blank := -1 // the last space in out after which the line may go on below
	behind := 0 // columns behind that space
	for i := 0; i < len(line); {
		if n := colourLength(line[i:]); n > 0 {
			out = append(out, line[i:i+n]...)
			i += n
			continue
		}
		r, size := utf8.DecodeRune(line[i:])
		wide := 0
		if r != '\n' {
			wide = runeColumns(r)
		}
		if taken+wide > f.columns && r != ' ' {
			if blank < 0 {
				out, behind = append(out, "\n"+hang...), 0
			} else {
				rest := string(out[blank+1:])
				out = append(append(bytes.TrimRight(out[:blank], " "), "\n"+hang...), rest...)
			}
			taken, blank = columns(hang)+behind, -1
		}
		if r == ' ' && taken > columns(hang) {
			blank, behind = len(out), 0
		} else {
			behind += wide
		}
		out = append(out, line[i:i+size]...)
		taken += wide
		i += size
	}
	return out
}

// hangOf is what stands before what goes on of a line: its indentation with its bar, at most half of the columns.
func (f *folder) hangOf(line []byte) string {
	n := len(line) - len(bytes.TrimLeft(line, " "))
	hang := strings.Repeat(" ", min(n, f.columns/2-2))
	if bytes.HasPrefix(line[n:], []byte("│ ")) {
		return hang + "│ "
	}
	return hang + "  "
}

// colourLength is how many bytes of a colour the text begins with, 0 for none.
func colourLength(text []byte) int {
	if !bytes.HasPrefix(text, []byte("\x1b[")) {
		return 0
	}
	for i, c := range text[2:] {
		if c == 'm' {
			return i + 3
		}
		if c != ';' && (c < '0' || c > '9') {
			return 0
		}
	}
	return 0
}
