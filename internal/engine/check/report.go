package check

import (
	"slices"
	"strings"
	"unicode/utf8"

	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/taxonomy"
	"gauntlet/rawjson"
)

// maxEvidence limits the bytes of text that a finding quotes.
const maxEvidence = 600

// maxContext limits the bytes kept of the text around it.
const maxContext = 160

// newFinding turns a check's report into a finding with location, evidence and fingerprint.
func newFinding(it *Item, r Report) finding.Finding {
	k := it.check
	value, isKey, whole := it.Value, false, ""
	if r.Field != nil {
		value, isKey, whole = r.Field.Value, r.Field.IsKey, r.Field.Text.Raw
	}
	if r.Start == 0 && r.End == 0 {
		r.End = len(whole)
	}
	r.End = clipAt(whole, r.Start, min(r.End, r.Start+maxEvidence))
	raw := whole[r.Start:r.End]
	f := finding.Finding{
		Rule: k.ID, Name: k.Name, Severity: k.Severity, Message: r.Message, Advice: k.Advice,
		Location: it.Location(it.Server, value, isKey),
		Evidence: finding.Evidence{Raw: raw, Start: r.Start, End: r.End, Before: excerpt.Tail(whole[:r.Start], maxContext), After: excerpt.Head(whole[r.End:], maxContext)},
		Content:  it.contentHash(),
		Taxonomy: taxonomy.Of(k.Taxonomy),
		Input:    it.Server.Document.Number, Order: value.Offset(),
	}
	if r.Severity != finding.None {
		f.Severity = r.Severity
	}
	if r.Suspicion {
		f.Confidence = "low"
	}
	if n := excerpt.Head(r.Normalized, maxEvidence); n != raw {
		f.Evidence.Normalized = n
	}
	f.OrderEnd = f.Order + len(value.Raw())
	if r.Field != nil {
		tok := value.Raw()
		f.Order, f.OrderEnd = f.Order+rawjson.RawOffset(tok, r.Start), f.Order+rawjson.RawOffset(tok, r.End)
	}
	f.Fingerprint = finding.Fingerprint(string(k.ID), Identity(it.Server), string(it.Kind), identityOf(it), placeOfValue(value, isKey), canonicalEvidence(f.Evidence))
	return f
}

// identityOf names the item across scans. An unnamed item is identified by its strings, since its list position depends
// on its neighbours.
func identityOf(it *Item) string {
	if it.Name() != "" || it.Kind == finding.Server {
		return it.Label()
	}
	var parts []string
	for i := range it.Fields {
		parts = append(parts, it.Fields[i].Text.Raw)
	}
	slices.Sort(parts)
	return strings.Join(parts, "\x00")
}

// placeOfValue is the path to v inside the item without list positions, so that an added neighbour does not change it.
func placeOfValue(v rawjson.Value, isKey bool) string {
	var parts []string
	if isKey {
		parts = append(parts, v.Text())
		v = v.Parent()
	}
	for parent := v.Parent(); parent.Exists(); v, parent = parent, parent.Parent() {
		if k := v.Key(); k.Exists() {
			parts = append(parts, rawjson.EscapePointer(k.Text()))
		} else {
			parts = append(parts, "*")
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, "/")
}

func canonicalEvidence(e finding.Evidence) string {
	s := e.Normalized
	if s == "" {
		s = e.Raw
	}
	return strings.Join(strings.Fields(strings.ToLower(s)), " ")
}

// clipAt moves end back to the start of a character.
func clipAt(s string, start, end int) int {
	for end > start && end < len(s) && !utf8.RuneStart(s[end]) {
		end--
	}
	return end
}
