package result

import (
	"slices"
	"strings"

	"gauntlet/finding"
)

// ofClauses are the rules that quote clauses or the verb of a name, the weightiest first:
// where two of them quote the same words, they say the same thing about one cause.
var ofClauses = []finding.Rule{"SEC-003", "SEC-002", "SEC-001", "SEC-006", "SEC-004", "SEC-007", "MCP-S-004", "SEC-009"}

// nearby is how many findings back one of the same cause is looked for.
const nearby = 32

// MergeCauses makes one finding of those that quote overlapping words of one text: that of
// the strongest rule stays and names the others in Also. What was suppressed is out of it,
// so that accepting one rule's finding does not hide another's. The gate is not moved: the
// severest stays.
func (r *Report) MergeCauses() {
	kept := r.Findings[:0]
	for _, f := range r.Findings {
		// Findings are in the order of their places, so an overlapping one is near the end.
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

// mergeRepeats makes one finding of a sentence that stands in several definitions of a server: the first stays and names the
// places of the others, as in the 171 tools of one server that end with the same line.
func (r *Report) mergeRepeats() {
	type sentence struct {
		rule                  finding.Rule
		severity              finding.Severity
		server, message, text string
		input                 int
	}
	first := map[sentence]int{} // in kept
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

// merged returns the stronger of two findings, the other among its Also.
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
