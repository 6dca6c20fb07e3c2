package calibration

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/capability"
)

// Layers tells what the sources of servers add to their definitions: the same servers, judged by
// the same true labels, once by layer 1 and once by layers 1 and 2. The true labels are those of a
// person who sees the source: hidden ones count, claimed ones count neither way.
type Layers struct {
	Servers    []Reading
	Definition *Score
	Source     *Score
	Changes    []Change
	// Unread names servers whose source was given and said nothing, and why. They are in no score.
	Unread []Unread
}

// A Reading is one server whose source was read.
type Reading struct {
	Server   string
	Tools    int
	Handlers int // tools that were tied to the code that answers them
	Whole    int // handlers whose every chain of calls was read to its end
	Sinks    int // handlers with at least one call that counts

	// Definition and Source count labels at high and medium without the source and with it.
	Definition, Source Count
}

// An Unread is a server whose source was given but yielded nothing.
type Unread struct{ Server, Why string }

// A Change is one label that reading the source moved to another level (none or low, medium, high).
// Labels on which reasonable people differ are left out.
type Change struct {
	Server, Tool  string
	Tag           capability.Tag
	True          bool // people said the tool has it
	Before, After capability.Confidence
	Evidence      []string // what the source gave
}

// Better reports whether the label is nearer to the truth than it was.
func (c Change) Better() bool { return c.True == (scoreColumn(c.After) > scoreColumn(c.Before)) }

// scoreColumn is the column of the score in which a label counts.
func scoreColumn(c capability.Confidence) int {
	switch {
	case c.AtLeast(capability.High):
		return 2
	case c.AtLeast(capability.Medium):
		return 1
	}
	return 0
}

// Compare scores the same servers by their definitions and with their sources; the three
// lists go together.
func Compare(definition, source []Case, read []Reading) *Layers {
	l := &Layers{Servers: read}
	definition, source = inSourceMode(definition), inSourceMode(source)
	l.Definition, l.Source = Of(definition), Of(source)
	for i := range read {
		read[i].Definition = Of(definition[i : i+1]).Micro.Acted
		read[i].Source = Of(source[i : i+1]).Micro.Acted
		l.Changes = append(l.Changes, listChanges(&definition[i], &source[i])...)
	}
	slices.SortStableFunc(l.Changes, func(a, b Change) int {
		return cmp.Or(strings.Compare(string(a.Tag), string(b.Tag)), strings.Compare(a.Server, b.Server), strings.Compare(a.Tool, b.Tool))
	})
	return l
}

func inSourceMode(cases []Case) []Case {
	out := slices.Clone(cases)
	for i := range out {
		out[i].Mode = capability.WithSource
	}
	return out
}

// listChanges lists what the source moved in one server.
func listChanges(before, after *Case) (out []Change) {
	seen := map[string]bool{}
	for i := range after.Predicted.Tools {
		was, is := &before.Predicted.Tools[i], &after.Predicted.Tools[i]
		truth, ok := after.Truth.Tools[is.Name]
		if !ok || seen[is.Name] {
			continue
		}
		seen[is.Name] = true
		for _, tag := range capability.Tags() {
			verdict, _ := truth.countTag(tag, after.Mode)
			c := Change{Server: after.Truth.Server, Tool: is.Name, Tag: tag, True: verdict == right}
			if l := was.Has(tag, capability.Low); l != nil {
				c.Before = l.Confidence
			}
			if l := is.Has(tag, capability.Low); l != nil {
				c.After, c.Evidence = l.Confidence, sourceEvidence(l)
			}
			if verdict != masked && scoreColumn(c.Before) != scoreColumn(c.After) {
				out = append(out, c)
			}
		}
	}
	return out
}

// sourceEvidence picks the evidence that the source gave; it has a line for every signal.
func sourceEvidence(l *capability.Label) (out []string) {
	for i, e := range l.Evidence {
		if i < len(l.Signals) && l.Signals[i].Source == capability.FromSource {
			out = append(out, e)
		}
	}
	return out
}
