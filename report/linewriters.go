package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
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

// Visible returns s in a form that is safe to show and hides nothing: characters that control a terminal or are
// invisible become <U+XXXX>, an ill-formed byte U+FFFD. Escaped are C0 and C1 controls, DEL, newline and tab, bidi
// controls, zero-width and tag characters, variation selectors, fillers, line and paragraph separators, spaces other
// than the plain and the ideographic one, private use and unassigned code points. Visible(Visible(s)) is Visible(s).
//
// A text of more than 8 KiB, such as a name that fills a screen over and over, ends with an ellipsis: JSON has all of it.
//
// A server can write the text <U+200B> itself. That only claims a hidden character where there is none.
func Visible(s string) string {
	s = bounded(s)
	i := firstHidden(s)
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 32)
	b.WriteString(s[:i])
	for _, r := range s[i:] { // an ill-formed byte ranges as U+FFFD
		if rawjson.Hidden(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return bounded(b.String())
}

// bounded returns s with at most 8 KiB of it.
func bounded(s string) string {
	const most = 8 << 10
	if len(s) <= most {
		return s
	}
	return excerpt.Clip(s, most-len("…"))
}

// firstHidden returns the offset of the first character that Visible changes, or len(s).
func firstHidden(s string) int {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < ' ' || c == 0x7F {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if rawjson.Hidden(r) || r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(s)
}

// The functions of this file name places. Their results may be a stranger's and are not Visible yet.

func kindWord(k finding.Kind) string {
	if k == "" {
		return string(finding.Server)
	}
	return strings.ReplaceAll(string(k), "_", " ")
}

// itemTitle names a definition: "tool read_file".
func itemTitle(l *finding.Location) string {
	return strings.TrimSpace(kindWord(l.Kind) + " " + l.Item)
}

// definition names a definition with its server, "" for a place in a file that is not a server.
func definition(l *finding.Location) string {
	switch {
	case l.Server != "":
		return itemTitle(l) + " of " + l.Server
	case l.Kind == "" && l.Item == "":
		return ""
	}
	return itemTitle(l)
}

// definitionAt names a definition with its server and file.
func definitionAt(l *finding.Location) string {
	return strings.TrimSpace(definition(l) + "  " + describeLocation(l, true))
}

// describeLocation returns file:line for a definition; exact adds the column and the pointer.
func describeLocation(l *finding.Location, exact bool) string {
	file := l.File
	if file != "" && l.Line > 0 {
		file += fmt.Sprintf(":%d", l.Line)
		if exact && l.Column > 0 {
			file += fmt.Sprintf(":%d", l.Column)
		}
	}
	if !exact {
		return file
	}
	pointer := l.Pointer
	if l.Seq > 0 {
		pointer = strings.TrimSpace(fmt.Sprintf("message %d %s", l.Seq, pointer))
	}
	if l.IsKey {
		pointer += " (the name)"
	}
	return strings.TrimSpace(pointer + "  " + file)
}

// inFile returns a place in a file without the pointer.
func inFile(l *finding.Location) string {
	return describeLocation(&finding.Location{File: l.File, Line: l.Line, Column: l.Column, Seq: l.Seq}, true)
}

func fileLine(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

// shortPlace names a definition briefly, with its server if there are several.
func shortPlace(l *finding.Location, several bool) string {
	place := l.Item
	switch {
	case l.Seq > 0:
		place = strings.TrimSpace(fmt.Sprintf("message %d %s", l.Seq, l.Item))
	case l.Item == "" && l.Kind == "" && l.Server == "":
		return describeLocation(&finding.Location{File: l.File, Line: l.Line}, true)
	case l.Kind != finding.Tool:
		place = itemTitle(l)
	}
	if several && l.Server != "" {
		return l.Server + ": " + place
	}
	return place
}

// relatedText names a related location: "server b, tool read_file".
func relatedText(l *finding.Location) string {
	if parameter, ok := strings.CutPrefix(l.Pointer, "/inputSchema/properties/"); ok && l.Server == "" && l.Origin == "" && l.Line > 0 { // in source code
		return itemTitle(l) + ", parameter " + parameter
	}
	server := cmp.Or(l.Server, "(unnamed)")
	if l.Origin != "" {
		server += " (" + l.Origin + ")"
	}
	switch {
	case kindWord(l.Kind) != string(finding.Server):
		return "server " + server + ", " + itemTitle(l)
	case l.Item != "":
		return "server " + server + ", " + l.Item
	}
	return "server " + server
}
