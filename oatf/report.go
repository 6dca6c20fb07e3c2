package oatf

import (
	"fmt"
	"slices"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/suggest"
	"gauntlet/rawjson"
)

// A report collects the diagnostics of a document.
type report struct {
	src              *source
	out              []Diagnostic
	errors, warnings tally // separate, so that warnings cannot crowd out errors
}

// A tally counts the diagnostics kept and the bytes of their paths.
type tally struct{ count, bytes int }

func (t *tally) full() bool { return t.count >= maxDiagnostics || t.bytes >= maxPaths }

func (t *tally) countDiagnostic(d *Diagnostic) {
	t.count++
	t.bytes += len(d.Path) + len(d.Pointer)
}

func (r *report) tallyOf(s DiagnosticSeverity) *tally {
	if s == SeverityError {
		return &r.errors
	}
	return &r.warnings
}

// full reports whether no more diagnostics of a severity are kept, so that none need be formatted.
func (r *report) full(s DiagnosticSeverity) bool { return r.tallyOf(s).full() }

func (r *report) keepDiagnostic(d Diagnostic) {
	r.tallyOf(d.Severity).countDiagnostic(&d)
	r.out = append(r.out, d)
}

// addDiagnostic adds a diagnostic at v, or at its member sub, which may be missing.
func (r *report) addDiagnostic(d Diagnostic, v rawjson.Value, sub string) {
	d.Path, d.Pointer = pointerPath(v), v.Pointer()
	if sub != "" {
		d.Pointer += "/" + rawjson.EscapePointer(sub)
		if d.Path != "" {
			d.Path += "."
		}
		d.Path += sub
		if there := v.Get(sub); there.Exists() {
			v = there
		} else { // no extent: the value there is not at fault
			r.src.locateDiagnostic(&d, v)
			d.EndColumn = min(d.EndColumn, d.Column+1)
			r.keepDiagnostic(d)
			return
		}
	}
	r.src.locateDiagnostic(&d, v)
	r.keepDiagnostic(d)
}

// atName calls reports and moves the diagnostics about a member's value to its name.
func (r *report) atName(m rawjson.Member, reports func()) {
	n := len(r.out)
	if reports(); len(r.out) > n {
		r.src.locateDiagnostic(&r.out[n], m.Key)
	}
}

// rule reports a broken rule, with the rule's section and severity.
func (r *report) rule(id string, v rawjson.Value, sub, format string, args ...any) {
	rule := ruleByID(id)
	if r.full(rule.Severity) {
		return
	}
	r.addDiagnostic(Diagnostic{Severity: rule.Severity, Rule: id, Section: rule.Section, Message: fmt.Sprintf(format, args...)}, v, sub)
}

// mismatch reports a wrong type. id is the rule that requires the type, "" for none.
func (r *report) mismatch(id string, v rawjson.Value, sub, format string, args ...any) {
	if r.full(SeverityError) {
		return
	}
	d := Diagnostic{Severity: SeverityError, Rule: string(TypeMismatch), Kind: TypeMismatch, Section: "SDK §3.1", Message: fmt.Sprintf(format, args...)}
	if id != "" {
		d.Rule, d.Section = id, ruleByID(id).Section
	}
	r.addDiagnostic(d, v, sub)
}

// variant reports a word outside a closed list (V-005).
func (r *report) variant(v rawjson.Value, words []string) {
	if r.full(SeverityError) {
		return
	}
	r.addDiagnostic(Diagnostic{
		Severity: SeverityError, Rule: "V-005", Kind: UnknownVariant, Section: ruleByID("V-005").Section,
		Message: fmt.Sprintf("%q is unknown here: want %s%s", excerpt.Clip(v.Text(), mostQuoted), alternatives(words), meant(v.Text(), words)),
	}, v, "")
}

// sortedDiagnostics returns the diagnostics in order, without those that only follow from a forbidden YAML tag.
func (r *report) sortedDiagnostics() []Diagnostic {
	all := append(slices.Clone(r.src.faults), r.out...)
	all = slices.DeleteFunc(all, func(d Diagnostic) bool {
		return d.Kind == TypeMismatch && slices.ContainsFunc(r.src.faults, func(f Diagnostic) bool {
			return f.Rule == "V-020" && f.Path == d.Path && d.Line == f.Line
		})
	})
	return sortDiagnostics(all)
}

// alternatives writes words as "a, b or c".
func alternatives(words []string) string {
	s := ""
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			s += " or "
		default:
			s += ", "
		}
		s += w
	}
	return s
}

// meant suggests a known word, if there are many or the message does not list them.
func meant(typed string, known []string) string {
	const longest = 40 // longer than any typo
	if len(typed) > longest {
		return ""
	}
	return suggest.Question(suggest.Names(typed, known), "")
}

// mostQuoted limits the bytes of untrusted text quoted in a message.
const mostQuoted = 60
