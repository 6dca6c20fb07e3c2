// Package redaction hides values given to live servers in reports, labels and messages.
package redaction

import (
	"strings"

	"gauntlet/capability"
	"gauntlet/finding"
	"gauntlet/internal/leaf/redact"
	"gauntlet/result"
)

// A Redactor hides values wherever servers may have repeated them.
type Redactor struct{ *redact.Redactor }

// New returns a Redactor for values given as NAME=VALUE.
func New(given []string) *Redactor { return &Redactor{redact.New(given)} }

// Report hides the values anywhere in a report, which goes to logs and code hosts: a server may repeat its own, or have obtained
// another's. A redacted excerpt keeps the offsets of the server's text. Findings in configurations mask their own secrets; the rest
// of a configuration is what they are about.
func (v *Redactor) Report(r *result.Report) {
	configurations := map[string]bool{}
	if c := r.Clients; c != nil {
		for _, f := range c.Files {
			configurations[f.File] = true
		}
		for i := range c.Entries {
			v.redactEach(c.Entries[i].Servers)
			v.redactEach(c.Entries[i].Tools)
			v.redactTexts(&c.Entries[i].Reason)
		}
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; !configurations[f.Location.File] {
			v.redactFinding(f)
		}
	}
	for i := range r.Suppressed {
		if f := &r.Suppressed[i].Finding; !configurations[f.Location.File] {
			v.redactFinding(f)
		}
	}
	for i := range r.Problems {
		v.Message(&r.Problems[i].Message)
		v.redactLocation(&r.Problems[i].Location)
	}
	if m := r.Imported; m != nil {
		for i := range m.Findings {
			f := &m.Findings[i]
			v.Message(&f.Message)
			v.Message(&f.By)
			v.redactTexts(&f.Tool, &f.Rule, &f.Parameter)
			v.redactLocation(&f.Location)
		}
	}
	for i := range r.Advisory {
		v.redactAdvisory(&r.Advisory[i])
	}
	for i := range r.Coverage.Servers {
		v.redactTexts(&r.Coverage.Servers[i].Server, &r.Coverage.Servers[i].Origin)
	}
	if t := r.Coverage.Trace; t != nil {
		v.redactEach(t.Servers)
		v.redactEach(t.Caveats)
	}
	for i := range r.Coverage.Checks {
		v.redactTexts(&r.Coverage.Checks[i].Reason)
	}
	for i := range r.Sandboxes {
		v.redactSandbox(&r.Sandboxes[i])
	}
	if p := r.Probing; p != nil {
		v.redactProbing(p)
	}
	for i := range r.Posture {
		v.redactTexts(&r.Posture[i].Detail)
	}
	for i := range r.Vetted {
		v.redactVetting(&r.Vetted[i])
	}
}

// redactVetting hides values in a vetting's texts, which quote findings, problems and server errors.
func (v *Redactor) redactVetting(w *result.Vetting) {
	for _, list := range [][]string{w.Reasons, w.Changes} {
		for i := range list {
			v.Message(&list[i])
		}
	}
	for i := range w.Steps {
		v.Message(&w.Steps[i].Detail)
	}
	v.redactEach(w.Start)
}

func (v *Redactor) redactAdvisory(a *result.Advisory) {
	for i := range a.Findings {
		f := &a.Findings[i]
		v.Message(&f.Rationale)
		v.redactTexts(&f.Quote)
		v.redactLocation(&f.Location)
	}
	for i := range a.Unjudged {
		v.Message(&a.Unjudged[i].Reason)
		v.redactLocation(&a.Unjudged[i].Location)
	}
}

func (v *Redactor) redactProbing(p *result.Probing) {
	v.redactTexts(&p.Server, &p.Cut)
	for i := range p.Trials {
		t := &p.Trials[i]
		v.redactTexts(&t.Tool, &t.Parameter, &t.Basis, &t.Reason)
	}
}

func (v *Redactor) redactSandbox(s *result.Sandbox) {
	v.redactTexts(&s.Server, &s.Missing)
	for i := range s.Contacts {
		v.redactTexts(&s.Contacts[i].Host)
	}
	for _, list := range [][]string{s.Notes, s.Programs, s.CanariesOpened, s.FilesChanged} {
		v.redactEach(list)
	}
}

func (v *Redactor) redactFinding(f *finding.Finding) {
	v.redactEvidence(&f.Evidence)
	v.Message(&f.Message)
	v.redactLocation(&f.Location)
	for i := range f.Related {
		v.redactLocation(&f.Related[i])
	}
	for i := range f.Steps {
		v.Message(&f.Steps[i].Text)
	}
}

// redactEvidence hides values in an excerpt. If only the normalized text shows a value, the raw text holds it in an unknown form and
// is replaced by the normalized one; if only the raw text does, the normalized text is dropped.
func (v *Redactor) redactEvidence(e *finding.Evidence) {
	raw, read := e.Raw, e.Normalized
	for _, t := range []*string{&e.Raw, &e.Normalized} {
		*t = v.ReplaceExcerpt(*t)
	}
	e.Before, e.After = v.contextBefore(e.Before), v.contextAfter(e.After)
	switch {
	case read == "":
	case raw == e.Raw && read != e.Normalized:
		e.Raw = e.Normalized
	case raw != e.Raw && read == e.Normalized:
		e.Normalized = ""
	}
}

// contextAfter hides values in the text after the evidence, and everything after the first one: the excerpt may cut a value of
// several lines, or an encoding of one, beyond recognition.
func (v *Redactor) contextAfter(text string) string {
	hidden := v.ReplaceExcerpt(text)
	if hidden == text {
		return text
	}
	same := 0
	for same < min(len(text), len(hidden)) && text[same] == hidden[same] {
		same++
	}
	label := strings.IndexByte(hidden[same:], ']') + 1
	return strings.ToValidUTF8(hidden[:same+label], "")
}

// contextBefore does the same for the text before the evidence.
func (v *Redactor) contextBefore(text string) string {
	hidden := v.ReplaceExcerpt(text)
	if hidden == text {
		return text
	}
	same := 0
	for same < min(len(text), len(hidden)) && text[len(text)-1-same] == hidden[len(hidden)-1-same] {
		same++
	}
	label := max(0, strings.LastIndexByte(hidden[:len(hidden)-same], '['))
	return strings.ToValidUTF8(hidden[label:], "")
}

// Message hides values in our own messages, which quote strangers' text and shorten it with an ellipsis.
func (v *Redactor) Message(t *string) {
	v.redactTexts(t)
	parts := strings.Split(*t, "…")
	for i := range parts {
		if i < len(parts)-1 {
			parts[i] = v.CutEnd(parts[i])
		}
		if i > 0 {
			parts[i] = v.CutStart(parts[i])
		}
	}
	*t = strings.NewReplacer("………", "…", "……", "…").Replace(strings.Join(parts, "…"))
}

// redactLocation keeps the file, which the user named.
func (v *Redactor) redactLocation(l *finding.Location) {
	v.redactTexts(&l.Server, &l.Item, &l.Pointer, &l.Origin, &l.Client)
}

func (v *Redactor) redactTexts(texts ...*string) {
	for _, t := range texts {
		*t = v.Replace(*t)
	}
}

func (v *Redactor) redactEach(texts []string) {
	for i := range texts {
		texts[i] = v.Replace(texts[i])
	}
}

// Labels hides values wherever labels quote them.
func (v *Redactor) Labels(servers []capability.Server) {
	for i := range servers {
		s := &servers[i]
		v.redactTexts(&s.Name)
		v.redactEach(s.Warnings)
		for j := range s.Tools {
			t := &s.Tools[j]
			v.redactTexts(&t.Name)
			v.redactEach(t.Warnings)
			roles := make(map[string]capability.RoleLabel, len(t.Roles))
			for name, r := range t.Roles {
				v.redactTexts(&name)
				v.redactEach(r.Evidence)
				roles[name] = r
			}
			t.Roles = roles
			for k := range t.Capabilities {
				l := &t.Capabilities[k]
				v.redactEach(l.Evidence)
				for n := range l.Signals {
					v.redactTexts(&l.Signals[n].Text, &l.Signals[n].Pointer)
				}
			}
		}
		for j := range s.Combinations {
			v.redactEach(s.Combinations[j].Tools)
		}
	}
}
