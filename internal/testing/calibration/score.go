package calibration

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"gauntlet/capability"
)

// A Case is one server: its human labels, and the classifier's.
type Case struct {
	Truth     *Truth
	Predicted *capability.Server
	Mode      capability.Mode
	Family    string
}

// A Count counts true positives, false positives and false negatives.
type Count struct{ TP, FP, FN int }

// Precision is the share of the given labels that are right; ok is false if none were given.
func (c Count) Precision() (p float64, ok bool) { return ratio(c.TP, c.TP+c.FP) }

// Recall is the share of the true labels that were given; ok is false if there are none.
func (c Count) Recall() (r float64, ok bool) { return ratio(c.TP, c.TP+c.FN) }

func (c *Count) add(d Count) { c.TP, c.FP, c.FN = c.TP+d.TP, c.FP+d.FP, c.FN+d.FN }

func ratio(a, b int) (float64, bool) {
	if b == 0 {
		return 0, false
	}
	return float64(a) / float64(b), true
}

// Wilson returns the 95 % interval of a share of hits in n trials (Wilson 1927), in which
// few trials give a wide one.
func Wilson(hits, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	p, m := float64(hits)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, mid-half), min(1, mid+half)
}

// A TagScore is the score of one tag.
type TagScore struct {
	Tag       capability.Tag
	Positives int // true labels that can be seen
	High      Count
	Acted     Count // high and medium, on which rules act
	All       Count // low as well
}

// A RoleScore is the score of one role, over the parameters that have it or were given it.
type RoleScore struct {
	Role       capability.Role
	Acted      Count // over all parameters: FP were given the role wrongly
	High       Count
	Parameters int
}

// An Error is one label that is wrong or missing.
type Error struct {
	Server, Tool, Parameter string
	Said, Want              string // a tag or role; "" where there is none
	Confidence              capability.Confidence
	Evidence                []string
}

// A Score is a classifier's score on a set of servers.
type Score struct {
	Servers, Tools int
	Tags           []TagScore
	Micro          TagScore // all tags together
	Roles          []RoleScore
	// MacroRecall is the mean over servers that have a true label of the recall of high
	// and medium labels.
	MacroRecall  float64
	MacroServers int
	TagErrors    []Error
	RoleErrors   []Error
	// Unlabelled counts tools without human labels, Unseen labelled tools that the classifier did
	// not get.
	Unlabelled, Unseen int
}

// Of scores a set of servers.
func Of(cases []Case) *Score {
	s := &Score{Servers: len(cases)}
	for _, t := range capability.Tags() {
		s.Tags = append(s.Tags, TagScore{Tag: t})
	}
	for _, r := range capability.Roles() {
		s.Roles = append(s.Roles, RoleScore{Role: r})
	}
	sum := 0.0
	for i := range cases {
		if recall, ok := s.server(&cases[i]).Recall(); ok {
			sum += recall
			s.MacroServers++
		}
	}
	if s.MacroServers > 0 {
		s.MacroRecall = sum / float64(s.MacroServers)
	}
	for i := range s.Tags {
		t := &s.Tags[i]
		s.Micro.Positives += t.Positives
		s.Micro.High.add(t.High)
		s.Micro.Acted.add(t.Acted)
		s.Micro.All.add(t.All)
	}
	slices.SortFunc(s.TagErrors, compareErrors)
	slices.SortFunc(s.RoleErrors, compareErrors)
	return s
}

func compareErrors(a, b Error) int {
	return cmp.Or(strings.Compare(a.Want+a.Said, b.Want+b.Said), strings.Compare(a.Server, b.Server), strings.Compare(a.Tool, b.Tool), strings.Compare(a.Parameter, b.Parameter))
}

// server scores one server and returns its count at high and medium.
func (s *Score) server(c *Case) (acted Count) {
	seen := map[string]bool{}
	for i := range c.Predicted.Tools {
		p := &c.Predicted.Tools[i]
		truth, ok := c.Truth.Tools[p.Name]
		if seen[p.Name] {
			continue // the first of two registrations counts
		}
		seen[p.Name] = true
		if !ok {
			s.Unlabelled++
			continue
		}
		s.Tools++
		for j := range s.Tags {
			acted.add(s.tag(c, p, truth, &s.Tags[j]))
		}
		for _, name := range slices.Sorted(maps.Keys(truth.Roles)) {
			s.role(c, p, name, truth.Roles[name])
		}
	}
	for name := range c.Truth.Tools {
		if !seen[name] {
			s.Unseen++
		}
	}
	return acted
}

func (s *Score) tag(c *Case, p *capability.Tool, truth Tool, t *TagScore) (acted Count) {
	said, expected := truth.countTag(t.Tag, c.Mode)
	if expected {
		t.Positives++
	}
	label := p.Has(t.Tag, capability.Low)
	count := func(floor capability.Confidence, to *Count) Count {
		var n Count
		switch {
		case label != nil && label.Confidence.AtLeast(floor):
			switch said {
			case right:
				n.TP++
			case wrong:
				n.FP++
			}
		case expected:
			n.FN++
		}
		to.add(n)
		return n
	}
	count(capability.High, &t.High)
	count(capability.Low, &t.All)
	acted = count(capability.Medium, &t.Acted)
	if acted.FP+acted.FN > 0 {
		e := Error{Server: c.Truth.Server, Tool: p.Name}
		if acted.FP > 0 {
			e.Said = string(t.Tag)
		} else {
			e.Want = string(t.Tag)
		}
		if label != nil {
			e.Confidence, e.Evidence = label.Confidence, label.Evidence
		}
		s.TagErrors = append(s.TagErrors, e)
	}
	return acted
}

func (s *Score) role(c *Case, p *capability.Tool, name, want string) {
	got, ok := p.Roles[name]
	said := string(got.Role)
	accepted := strings.Split(want, "|")
	of := func(role string) *RoleScore {
		return &s.Roles[slices.IndexFunc(s.Roles, func(r RoleScore) bool { return string(r.Role) == role })]
	}
	first := of(accepted[0])
	first.Parameters++
	high := ok && got.Confidence == capability.High
	if ok && slices.Contains(accepted, said) {
		first.Acted.TP++
		if high {
			first.High.TP++
		}
		return
	}
	first.Acted.FN++
	if ok {
		of(said).Acted.FP++
		if high {
			of(said).High.FP++
		}
	}
	s.RoleErrors = append(s.RoleErrors, Error{Server: c.Truth.Server, Tool: p.Name, Parameter: name, Said: said, Want: want, Confidence: got.Confidence, Evidence: got.Evidence})
}

// Accuracy is the share of parameters of a role that were given one that is accepted.
func (r RoleScore) Accuracy() (float64, bool) { return ratio(r.Acted.TP, r.Parameters) }
