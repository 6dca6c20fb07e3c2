package report

import (
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"gauntlet/finding"
)

// sarifLocate gives every location a physical part, since GitHub rejects a whole upload for one result without it, and
// the logical part that readers want.
func sarifLocate(l *finding.Location) sarifLocation {
	return sarifLocation{
		Physical: sarifPhysical{sarifArtifact{artifactURI(l)}, region(l)},
		Logical:  []sarifLogical{logical(l)},
	}
}

// sarifLine locates a line of a file, 0 if unknown, that is not a definition.
func sarifLine(file string, line int) sarifLocation {
	l := finding.Location{File: file, Line: line}
	return sarifLocation{Physical: sarifPhysical{sarifArtifact{artifactURI(&l)}, region(&l)}}
}

// relatedLocations returns the other locations of a finding.
func relatedLocations(ls []finding.Location) []sarifLocation {
	var out []sarifLocation
	for i := range ls {
		at := sarifLocate(&ls[i])
		at.Message = &sarifText{Text: sarifPlain(relatedText(&ls[i]))}
		out = append(out, at)
	}
	return out
}

// codeFlows returns the data flow, ending at the finding.
func codeFlows(f *finding.Finding) []sarifCodeFlow {
	if len(f.Steps) == 0 {
		return nil
	}
	var thread sarifThreadFlow
	for i := range f.Steps {
		s := &f.Steps[i]
		at := sarifLocate(&finding.Location{File: s.File, Line: s.Line, Column: s.Column, Kind: f.Location.Kind, Item: f.Location.Item})
		at.Message = &sarifText{Text: sarifPlain(s.Text)}
		thread.Locations = append(thread.Locations, sarifFlowLocation{at})
	}
	thread.Locations = append(thread.Locations, sarifFlowLocation{sarifLocate(&f.Location)})
	return []sarifCodeFlow{{[]sarifThreadFlow{thread}}}
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
func region(l *finding.Location) sarifRegion {
	if l.Line < 1 {
		return sarifRegion{StartLine: 1}
	}
	return sarifRegion{StartLine: l.Line, StartColumn: max(l.Column, 0), EndLine: max(l.EndLine, 0), EndColumn: max(l.EndColumn, 0)}
}

// logical names the definition. Parts of the full name are escaped, so that a slash in a tool name cannot make one
// server pass for another.
func logical(l *finding.Location) sarifLogical {
	kind := l.Kind
	if kind == "" {
		kind = finding.Server
	}
	full := url.PathEscape(l.Server) + "/" + string(kind)
	if l.Item != "" {
		full += "/" + url.PathEscape(l.Item)
	}
	name := l.Item
	if name == "" {
		name = l.Server
	}
	return sarifLogical{Name: name, FullyQualifiedName: full + "#" + l.Pointer, Kind: string(kind)}
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
