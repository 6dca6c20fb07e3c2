package result

import (
	"slices"
	"strings"

	"gauntlet/finding"
)

// ofClauses are the rules that quote clauses or the verb of a name, by decreasing weight. Two of them that quote the
// same words have the same cause.
var ofClauses = []finding.Rule{"SEC-003", "SEC-002", "SEC-001", "SEC-006", "SEC-004", "SEC-007", "MCP-S-004", "SEC-009"}

// nearby is how many findings back MergeCauses looks for the same cause.
const nearby = 32

// MergeCauses merges findings that quote overlapping words of one text: the strongest rule's finding stays and lists
// the others in Also. Suppressed findings are not merged, so that accepting one rule's finding does not hide another's.
// The gate is unaffected, since the severest stays.
func (r *Report) MergeCauses() {
	kept := r.Findings[:0]
	for _, f := range r.Findings {
		// Findings are in order of location, so an overlapping one is near the end.
		i := len(kept) - 1
		for ; i >= 0 && len(kept)-i <= nearby && !sameCause(&kept[i], &f); i-- {
		}
		if i < 0 || len(kept)-i > nearby {
			kept = append(kept, f)
			continue
		}
		kept[i] = merged(kept[i], f)
	}
	clear(r.Findings[len(kept):])
	r.Findings = kept
	slices.SortStableFunc(r.Findings, finding.Compare)
	r.mergeRepeats()
}

// mergeRepeats merges findings about a sentence that several definitions of a server repeat: the first stays and lists
// the other locations, as for 171 tools of one server that end with the same line.
func (r *Report) mergeRepeats() {
	type sentence struct {
		rule                  finding.Rule
		severity              finding.Severity
		server, message, text string
		input                 int
	}
	first := map[sentence]int{} // index in kept
	kept := r.Findings[:0]
	for _, f := range r.Findings {
		key := sentence{f.Rule, f.Severity, f.Location.Server, f.Message, f.Evidence.Raw, f.Input}
		i, seen := first[key]
		if !seen || !slices.Contains(ofClauses, f.Rule) || f.Related != nil || !strings.Contains(f.Evidence.Raw, " ") {
			first[key] = len(kept)
			kept = append(kept, f)
			continue
		}
		kept[i].Related = append(kept[i].Related, f.Location)
		kept[i].RelatedSpans = append(kept[i].RelatedSpans, finding.Span{Input: f.Input, Start: f.Order, End: f.OrderEnd})
	}
	clear(r.Findings[len(kept):])
	r.Findings = kept
}

func sameCause(a, b *finding.Finding) bool {
	return slices.Contains(ofClauses, a.Rule) && slices.Contains(ofClauses, b.Rule) && a.Input == b.Input &&
		a.Location.Pointer == b.Location.Pointer && a.Location.Server == b.Location.Server && a.Location.Seq == b.Location.Seq &&
		a.Order < b.OrderEnd && b.Order < a.OrderEnd
}

// merged returns the stronger of two findings, with the other in its Also.
func merged(a, b finding.Finding) finding.Finding {
	if b.Severity > a.Severity || b.Severity == a.Severity && slices.Index(ofClauses, b.Rule) < slices.Index(ofClauses, a.Rule) {
		a, b = b, a
	}
	a.Also = slices.Clone(a.Also)
	for _, id := range append([]finding.Rule{b.Rule}, b.Also...) {
		if id != a.Rule && !slices.Contains(a.Also, id) {
			a.Also = append(a.Also, id)
		}
	}
	slices.Sort(a.Also)
	return a
}
