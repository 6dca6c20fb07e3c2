package report

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
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

// fold breaks one line, with or without its newline.
func (f *folder) fold(line []byte) []byte {
	if len(line) <= f.columns || f.columns < leastFolded || bytes.HasPrefix(line, []byte(commandLine)) {
		return line
	}
	hang := f.hangOf(line)
	var out []byte
	taken := 0  // columns of the line so far
	blank := -1 // the last space in out at which the line may break
	behind := 0 // columns after that space
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

// hangOf returns the prefix of continuation lines: the line's indentation and bar, at most half of the columns.
func (f *folder) hangOf(line []byte) string {
	n := len(line) - len(bytes.TrimLeft(line, " "))
	hang := strings.Repeat(" ", min(n, f.columns/2-2))
	if bytes.HasPrefix(line[n:], []byte("│ ")) {
		return hang + "│ "
	}
	return hang + "  "
}

// colourLength returns the length in bytes of the colour sequence that text begins with, 0 for none.
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
