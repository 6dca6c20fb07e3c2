package report

import (
	"cmp"
	"fmt"
	"strings"

	"gauntlet/finding"
)

// The functions of this file name places. Their results may be a stranger's and are not Visible yet.

// kindWord returns the name of a kind for display.
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
