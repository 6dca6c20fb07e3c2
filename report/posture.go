package report

import (
	"cmp"
	"fmt"

	"gauntlet/result"
)

// stateWords are the states of the posture map in words.
var stateWords = map[result.State]string{
	result.Seen:       "seen",
	result.NotSeen:    "not seen",
	result.NeedsProbe: "requires an active probe",
	result.Invisible:  "not observable",
}

// stateMarks make the states of the posture map easy to find. None says that a state is good or bad.
var stateMarks = map[result.State]string{result.Seen: "● ", result.NotSeen: "○ ", result.NeedsProbe: "? "}

// postureSection is the coverage map. It only says what was examined.
func postureSection(r *result.Report) section {
	s := section{ID: "posture", Title: "Posture map", Lines: true, Heads: []string{"", "Defence"}, Counted: true, Brief: "Posture", Noun: "defence"}
	if len(r.Posture) == 0 || !serversAsked(r) {
		return s
	}
	by := map[result.State]int{}
	for _, signal := range r.Posture {
		by[signal.State]++
	}
	s.Remark = fmt.Sprintf("of %s %d seen, %d not seen, %d to be probed, %d not visible to a client", countNoun(len(r.Posture), "defence"),
		by[result.Seen], by[result.NotSeen], by[result.NeedsProbe], by[result.Invisible])
	return withRows(s, r.Posture, func(p *result.Signal) row {
		return row{Group: p.Layer, Badge: cmp.Or(stateMarks[p.State], "· ") + cmp.Or(stateWords[p.State], string(p.State)), Title: p.Name, Text: p.Detail}
	})
}
