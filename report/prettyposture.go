package report

import (
	"strings"

	"gauntlet/result"
)

// stateWords are the states of the posture map in words.
var stateWords = map[result.State]string{
	result.Seen:       "seen",
	result.NotSeen:    "not seen",
	result.NeedsProbe: "requires an active probe",
	result.Invisible:  "not observable",
}

// posture shows the coverage map. It only says what was examined: no state is coloured as good or bad.
func (p *page) posture(signals []result.Signal) {
	if len(signals) == 0 {
		return
	}
	p.heading("Posture map", "  what a client can see")
	layer := ""
	for i, s := range signals {
		if i == 0 || s.Layer != layer {
			p.writeIndented(2, clipText(Visible(s.Layer), p.width-2))
			layer = s.Layer
		}
		p.signal(s)
	}
	p.writeBlank()
}

func (p *page) signal(s result.Signal) {
	words, ok := stateWords[s.State]
	if !ok {
		words = Visible(string(s.State))
	}
	mark := "·"
	switch s.State {
	case result.Seen:
		mark = "●"
	case result.NotSeen:
		mark = "○"
	case result.NeedsProbe:
		mark = "?"
	}
	const state = 26 // columns of the longest state and a gap
	left := mark + " " + words + strings.Repeat(" ", max(state-columns(words), 2))
	name := clipText(Visible(s.Name), p.width-4-columns(left))
	detail := ""
	if room := p.width - 4 - columns(left) - columns(name) - 2; s.Detail != "" && room > 10 {
		detail = clipText(Visible(s.Detail), room)
	}
	if s.State == result.Invisible || s.State == result.NeedsProbe {
		p.writeIndented(4, p.dim(left+name+spaced(detail)))
		return
	}
	p.writeIndented(4, left, name, p.dim(spaced(detail)))
}
