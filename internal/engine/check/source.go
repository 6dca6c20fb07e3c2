package check

import (
	"bytes"
	"path"
	"unicode/utf8"

	"gauntlet/finding"
	"gauntlet/internal/leaf/taxonomy"
	"gauntlet/rawjson"
	"gauntlet/sink"
)

// A SourceTree is what was read of a server's source.
type SourceTree struct {
	*sink.Sources
	Dir    string                   // as named by the user
	Text   func(file string) []byte // of a file below Dir; nil for one that was not read
	Number int                      // document number in the scan: see finding.Finding.Input
}

// A SourceReport is a check's finding about a place in source code.
type SourceReport struct {
	At       sink.Place
	Tool     string // tool of the handler; "" for the server's
	Steps    []sink.FlowStep
	Message  string
	Severity finding.Severity // None: the check's default
	// Others are further parameters that reach the same place by the same flaw.
	Others []SourceParameter
	// Identity identifies the finding across scans, without lines: see Relation.
	Identity []string
}

// A SourceParameter is a tool parameter and where its handler takes it.
type SourceParameter struct {
	Tool, Param string
	At          sink.Place
}

// ReportSource records a finding about source code. Its content is the text of all its places, so that a decision holds
// until one of them changes.
func (p *Pass) ReportSource(r SourceReport) {
	k := p.check
	f := finding.Finding{
		Rule: k.ID, Name: k.Name, Severity: k.Severity, Message: r.Message, Advice: k.Advice,
		Location: p.sourceLocation(r.At, r.Tool), Taxonomy: taxonomy.Of(k.Taxonomy),
		Fingerprint: finding.Fingerprint(append([]string{string(k.ID)}, r.Identity...)...),
		Input:       p.Source.Number, Order: r.At.Start, OrderEnd: r.At.End,
	}
	if r.Severity != finding.None {
		f.Severity = r.Severity
	}
	raw := p.sourceText(r.At)
	f.Evidence = finding.Evidence{Raw: raw, End: len(raw)}
	content := []string{raw}
	for _, s := range r.Steps {
		at := p.sourceLocation(s.At, r.Tool)
		f.Steps = append(f.Steps, finding.Step{File: at.File, Line: at.Line, Column: at.Column, Text: s.What})
		content = append(content, p.sourceText(s.At))
	}
	for _, o := range r.Others {
		at := p.sourceLocation(o.At, o.Tool)
		at.Pointer = "/inputSchema/properties/" + rawjson.EscapePointer(o.Param)
		f.Related = append(f.Related, at)
	}
	f.Content = finding.ContentHash(string(bytes.Join(toBytes(content), []byte{0})))
	p.reports++
	p.res.Findings = append(p.res.Findings, f)
}

func toBytes(texts []string) [][]byte {
	out := make([][]byte, len(texts))
	for i, t := range texts {
		out[i] = []byte(t)
	}
	return out
}

func (p *Pass) sourceLocation(at sink.Place, tool string) finding.Location {
	l := finding.Location{File: path.Join(p.Source.Dir, at.File), Line: at.Line, Item: tool}
	if tool != "" {
		l.Kind = finding.Tool
	}
	text := p.Source.Text(at.File)
	if at.Start > len(text) {
		return l
	}
	line := text[bytes.LastIndexByte(text[:at.Start], '\n')+1 : at.Start]
	l.Column = utf8.RuneCount(line) + 1
	return l
}

// sourceText returns the source at a place, only its first lines if it is long.
func (p *Pass) sourceText(at sink.Place) string {
	text := p.Source.Text(at.File)
	if at.Start > len(text) || at.End > len(text) || at.Start > at.End {
		return ""
	}
	s := string(bytes.ToValidUTF8(text[at.Start:at.End], []byte("\uFFFD")))
	return s[:clipAt(s, 0, min(len(s), maxEvidence))]
}
