package checktest

import "strings"

// An archive is a text in the txtar format of golang.org/x/tools: a comment, then
// sections that begin with a line "-- name --".
type archive struct {
	comment  string
	sections []section
}

type section struct{ name, text string }

func parseArchive(s string) archive {
	var a archive
	at := &a.comment
	for line := range strings.Lines(s) {
		if name, ok := marker(line); ok {
			a.sections = append(a.sections, section{name: name})
			at = &a.sections[len(a.sections)-1].text
			continue
		}
		*at += strings.TrimSuffix(line, "\n") + "\n"
	}
	return a
}

func marker(line string) (name string, ok bool) {
	name, ok = strings.CutPrefix(strings.TrimRight(line, "\r\n"), "-- ")
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(name, " --")
	return strings.TrimSpace(name), ok
}

// String writes the archive; a text that parses to it differs at most in the last newline.
func (a archive) String() string {
	var b strings.Builder
	b.WriteString(a.comment)
	for _, s := range a.sections {
		b.WriteString("-- " + s.name + " --\n" + s.text)
	}
	return b.String()
}

// set replaces the text of a section, which it adds at the end if it is not there.
func (a *archive) set(name, text string) {
	for i := range a.sections {
		if a.sections[i].name == name {
			a.sections[i].text = text
			return
		}
	}
	a.sections = append(a.sections, section{name, text})
}
