package boundary

import (
	"strings"
	"unicode/utf8"
)

// noteTransformed notes what reached this argument transformed or in part, except what also occurs verbatim from the
// same result or in an allowed flow.
func (a *argument) noteTransformed(other []hit) {
	found := map[int]bool{}
	for _, h := range other {
		u := &a.index.units[h.unit]
		if a.log.isExcluded(u.text, &a.log.calls[a.to]) {
			continue
		}
		if h.how == inWhole && u.text == "" {
			continue
		}
		for i := range u.holders {
			for _, from := range u.holders[i].firsts {
				f := flow{from: from.call, held: from, value: u.text, how: h.how, known: a.sentBefore(u, from), given: u.given}
				if h.how == inWhole {
					f.how, f.chars = inPart, utf8.RuneCountInString(a.entry.text)
				}
				a.addTransformed(f, found)
			}
		}
	}
	if a.entry.text == "" || len(found) > 0 || len(a.flows.changed) >= a.limits.Findings {
		return
	}
	f := foldText(a.entry.text)
	for _, s := range a.index.blocks.findCommonParts(f, a.limits.CommonPart, func(h held) bool { return a.isNoteworthy(h.call) && !found[h.call] }) {
		text := strings.TrimSpace(s.text)
		a.addTransformed(flow{from: s.held.call, held: s.held, value: text, how: inPart, chars: utf8.RuneCountInString(text)}, found)
	}
}

// isNoteworthy reports whether a result could have reached this argument otherwise unnoticed.
func (a *argument) isNoteworthy(from int) bool {
	src, to := &a.log.calls[from], &a.log.calls[a.to]
	switch {
	case src.result > to.request || src.server == to.server || a.whole[from] || a.passed[from] != nil || a.isCovered(from):
		return false
	case src.sanitizer != 0 && !src.failed:
		return false
	}
	return !(a.required == 0 && a.allowsFlow(src, to))
}

// addTransformed adds a note, one per result.
func (a *argument) addTransformed(f flow, found map[int]bool) {
	if found[f.from] || !a.isNoteworthy(f.from) {
		return
	}
	found[f.from] = true
	f.to, f.offset, f.through = a.to, a.entry.offset, -1
	switch {
	case len(found) > a.limits.Producers || len(a.flows.changed) >= a.limits.Findings:
		a.flows.leftChanged++
	default:
		a.flows.changed = append(a.flows.changed, f)
	}
}
