package checktest

import (
	"fmt"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/suite"
	"gauntlet/trace"
)

// recorded is how the name of a section with a trace ends.
const recorded = ".ndjson"

// declares returns the section whose boundary a section holds, "" if it holds none.
func declares(section string) string {
	rest, ok := strings.CutSuffix(section, ".yaml")
	if ok && (isSectionOf(rest+recorded, "bad") || isSectionOf(rest+recorded, "near-miss")) {
		return rest + recorded
	}
	return ""
}

// runTrace gives what the golden's check finds in one trace.
func (g *golden) runTrace(name, text string) ([]finding.Finding, error) {
	t, err := trace.Read(strings.NewReader(text), trace.Limits{})
	if err != nil {
		return nil, err
	}
	for _, p := range t.Problems {
		return nil, fmt.Errorf("%s: %v", name, &p)
	}
	r := check.Recording{Trace: t, File: name}
	declared, ok := g.boundaries[name]
	if !ok {
		declared, ok = g.boundaries[""]
	}
	if ok {
		s, errs := suite.Parse("boundary of "+name, declared)
		for _, e := range errs {
			return nil, fmt.Errorf("%s:%d: %s", e.File, e.Line, e.Msg)
		}
		r.Boundary = s.Boundary()
	}
	return g.result(name, check.Run(&catalog.Catalog{}, []*check.Check{g.check}, check.Options{Trace: r}))
}

// pointer is where in its document a finding stands, behind the number of its message.
func pointer(l *finding.Location) string {
	if l.Seq > 0 {
		return strings.TrimSpace(fmt.Sprintf("message %d %s", l.Seq, l.Pointer))
	}
	return l.Pointer
}

// message returns the text that a pointer of a finding leads into: that of its message, or
// the whole text of a snapshot.
func message(text string, l *finding.Location) (string, error) {
	if l.Seq == 0 {
		return text, nil
	}
	t, err := trace.Read(strings.NewReader(text), trace.Limits{})
	if err != nil {
		return "", err
	}
	if m := t.At(l.Seq); m != nil {
		return m.Raw, nil
	}
	return "", fmt.Errorf("there is no message %d", l.Seq)
}

// rewritten returns a trace with every message written otherwise.
func rewritten(text string, how func(any) string) (string, error) {
	t, err := trace.Read(strings.NewReader(text), trace.Limits{})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	w, err := trace.NewWriter(&b, t.Header.Tool)
	if err != nil {
		return "", err
	}
	for i := range t.Messages {
		m := t.Messages[i]
		doc, err := parseDocument(m.Raw)
		if err != nil {
			return "", err
		}
		m.Raw = how(doc)
		if err := w.Write(&m); err != nil {
			return "", err
		}
	}
	if err := w.End(trace.End{}); err != nil {
		return "", err
	}
	return b.String(), nil
}
