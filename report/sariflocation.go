package report

import (
	"cmp"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"gauntlet/finding"
)

// sarifLocate gives every location a physical part, since GitHub rejects a whole upload for one result without it, and
// the logical part that readers want.
func sarifLocate(l *finding.Location, message string) object {
	return append(physical(l), "logicalLocations", []object{logical(l)}, "message?", textIf(message))
}

// sarifLine locates a line of a file, 0 if unknown, that is not a definition.
func sarifLine(file string, line int) object {
	return physical(&finding.Location{File: file, Line: line})
}

func physical(l *finding.Location) object {
	return object{"physicalLocation", object{"artifactLocation", object{"uri", artifactURI(l)}, "region", region(l)}}
}

// textIf is a message, or nil for "".
func textIf(text string) any {
	if text == "" {
		return nil
	}
	return sarifText(text)
}

// relatedLocations returns the other locations of a finding.
func relatedLocations(ls []finding.Location) (out []object) {
	for i := range ls {
		out = append(out, sarifLocate(&ls[i], relatedText(&ls[i])))
	}
	return out
}

// codeFlows returns the data flow, ending at the finding: one thread and its places.
func codeFlows(f *finding.Finding) []object {
	if len(f.Steps) == 0 {
		return nil
	}
	var places []object
	for i := range f.Steps {
		s := &f.Steps[i]
		at := finding.Location{File: s.File, Line: s.Line, Column: s.Column, Kind: f.Location.Kind, Item: f.Location.Item}
		places = append(places, object{"location", sarifLocate(&at, s.Text)})
	}
	places = append(places, object{"location", sarifLocate(&f.Location, "")})
	return []object{{"threadFlows", []object{{"locations", places}}}}
}

// artifactURI names the scanned file. A live server has none and becomes mcp-server/<name>: a relative reference that
// is the same on every machine and run, so that alerts can be tracked, and that names no file of any repository.
func artifactURI(l *finding.Location) string {
	if l.File != "" {
		return fileURI(l.File)
	}
	name := l.Server
	if strings.Trim(name, ".") == "" { // ".." would climb as a path
		name = "unnamed" + name
	}
	return "mcp-server/" + url.PathEscape(name)
}

// fileURI turns a path as given by the user into a relative reference, which code hosts resolve against the repository
// root, or into a file URI if it is absolute.
func fileURI(file string) string {
	p := path.Clean(filepath.ToSlash(file))
	if len(p) > 1 && p[1] == ':' && filepath.VolumeName(file) != "" { // C:/dir on Windows
		p = "/" + p
	}
	u := url.URL{Path: p}
	if path.IsAbs(p) {
		u.Scheme = "file"
	}
	return u.String() // String adds ./ if the first segment has a colon
}

// region returns line 1 if the line is unknown: GitHub requires one.
func region(l *finding.Location) object {
	if l.Line < 1 {
		return object{"startLine", 1}
	}
	return object{"startLine", l.Line, "startColumn?", max(l.Column, 0), "endLine?", max(l.EndLine, 0), "endColumn?", max(l.EndColumn, 0)}
}

// logical names the definition. Parts of the full name are escaped, so that a slash in a tool name cannot make one
// server pass for another.
func logical(l *finding.Location) object {
	kind := cmp.Or(l.Kind, finding.Server)
	full := url.PathEscape(l.Server) + "/" + string(kind)
	if l.Item != "" {
		full += "/" + url.PathEscape(l.Item)
	}
	return object{"name?", cmp.Or(l.Item, l.Server), "fullyQualifiedName", full + "#" + l.Pointer, "kind", kind}
}

// resultText is the message with its location and advice: code hosts do not show the logical location, and a live
// server has no line to look at.
func resultText(f *finding.Finding) string {
	var b strings.Builder
	b.WriteString(sarifPlain(f.Message))
	b.WriteString("\nWhere: ")
	b.WriteString(sarifPlain(itemTitle(&f.Location)))
	if f.Location.Server != "" {
		b.WriteString(" of server " + sarifPlain(f.Location.Server))
	}
	if f.Location.Origin != "" {
		b.WriteString(" (" + sarifPlain(f.Location.Origin) + ")")
	}
	if f.Location.Seq > 0 {
		b.WriteString(", message " + groupDigits(f.Location.Seq))
	}
	if f.Location.Pointer != "" {
		b.WriteString(", " + sarifPlain(f.Location.Pointer))
	}
	if f.Advice != "" {
		b.WriteString("\nWhat to do: " + sarifPlain(f.Advice))
	}
	return b.String()
}

// sarifPlain makes text safe for a SARIF message, where [text](target) is a link that a server could put into a tool name.
func sarifPlain(s string) string { return strings.ReplaceAll(Visible(s), "](", "] (") }
