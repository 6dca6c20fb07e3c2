// Package redaction hides values given to live servers in reports, labels and messages.
package redaction

import (
	"reflect"
	"slices"
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

// ours are the texts that quote no live server: our own words, and what the user, a registry or a file says, by type. A configuration's
// findings mask their own secrets, and the rest of it is what they are about. Texts of other types than string are words of ours, too. A
// field that is not listed is redacted.
var ours = map[reflect.Type][]string{
	reflect.TypeFor[result.Report]():          {"SchemaVersion", "Tool", "Summary", "Gate", "Attacks", "Rates", "Expectations", "Suppressions", "Skipped", "Rules"},
	reflect.TypeFor[result.Suppressed]():      {"Decision"},
	reflect.TypeFor[result.Clients]():         {"Files", "Agents"},
	reflect.TypeFor[result.ClientEntry]():     {"Client", "Name", "File", "Project", "Transport", "Starts"},
	reflect.TypeFor[result.Coverage]():        {"Fields"},
	reflect.TypeFor[result.ServerCoverage]():  {"File", "Lists"},
	reflect.TypeFor[result.TraceCoverage]():   {"File", "Boundary"},
	reflect.TypeFor[result.CheckCoverage]():   {"Name", "State", "Of"},
	reflect.TypeFor[result.Signal]():          {"ID", "Layer", "Name"},
	reflect.TypeFor[result.Imported]():        {"Files"},
	reflect.TypeFor[result.ImportedFinding](): {"File", "Agrees"},
	reflect.TypeFor[result.Advisory]():        {"Model", "Prompt", "Labels"}, // models are asked in masked words
	reflect.TypeFor[result.AdvisoryFinding](): {"Confidence"},
	reflect.TypeFor[result.Probing]():         {"Ground", "Supplied", "Protections", "NotApplicable"},
	reflect.TypeFor[result.ProbeTrial]():      {"Class", "Finding"},
	reflect.TypeFor[result.Sandbox]():         {"Protections"},
	reflect.TypeFor[result.Contact]():         {"How"},
	reflect.TypeFor[result.Vetting]():         {"Target", "Kind", "Name", "Version", "Depth", "Package", "Placeholders", "Findings"},
	reflect.TypeFor[result.VettingStep]():     {"Name", "State"},
	reflect.TypeFor[finding.Finding]():        {"Name", "Advice", "Confidence", "Also", "Fingerprint", "Content", "Taxonomy"},
	reflect.TypeFor[finding.Location]():       {"File"},
	reflect.TypeFor[finding.Step]():           {"File"},
	reflect.TypeFor[capability.Server]():      {"VocabularyVersion", "SharedCalls"},
	reflect.TypeFor[capability.Tool]():        {"Flow"},
	reflect.TypeFor[capability.Signal]():      {"File"},
	reflect.TypeFor[capability.Combination](): {"Rationale", "Scope"},
}

// Report hides the values anywhere in a report, which goes to logs and code hosts: a server may repeat its own, or have obtained
// another's. A redacted excerpt keeps the offsets of the server's text.
func (v *Redactor) Report(r *result.Report) {
	w := walk{Redactor: v, configurations: map[string]bool{}}
	if r.Clients != nil {
		for _, f := range r.Clients.Files {
			w.configurations[f.File] = true
		}
	}
	w.redactBelow(reflect.ValueOf(r).Elem())
}

// Labels hides values wherever labels quote them.
func (v *Redactor) Labels(servers []capability.Server) {
	w := walk{Redactor: v}
	w.redactBelow(reflect.ValueOf(servers))
}

// A walk visits every text of a value that may quote a server.
type walk struct {
	*Redactor
	configurations map[string]bool // files, whose findings stay
}

func (w *walk) redactBelow(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if text, ok := v.Addr().Interface().(*string); ok {
			w.Message(text)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			w.redactBelow(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			w.redactBelow(v.Index(i))
		}
	case reflect.Map:
		w.redactMap(v)
	case reflect.Struct:
		w.redactFields(v)
	}
}

func (w *walk) redactFields(v reflect.Value) {
	switch part := v.Addr().Interface().(type) {
	case *finding.Evidence:
		w.redactEvidence(part)
		return
	case *finding.Finding:
		if w.configurations[part.Location.File] {
			return
		}
	}
	own := ours[v.Type()]
	for i := range v.NumField() {
		if !slices.Contains(own, v.Type().Field(i).Name) {
			w.redactBelow(v.Field(i))
		}
	}
}

// redactMap replaces the entries of a map, whose keys may hold values as well.
func (w *walk) redactMap(v reflect.Value) {
	redacted := reflect.MakeMapWithSize(v.Type(), v.Len())
	for key, value := range v.Seq2() {
		k, e := reflect.New(key.Type()).Elem(), reflect.New(value.Type()).Elem()
		k.Set(key)
		e.Set(value)
		w.redactBelow(k)
		w.redactBelow(e)
		redacted.SetMapIndex(k, e)
	}
	v.Set(redacted)
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
	*t = v.Replace(*t)
	if !strings.Contains(*t, "…") {
		return
	}
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
