package runstate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/report"
)

// A State is a record's content.
type State struct {
	Command string
	Began   time.Time
	LeftOut int
	Steps   []Step // in order
	Through int
	All     int
	What    string
	Ended   string   // why the run ended without a report, "" while it goes on
	Unread  int      // unreadable lines
	Results []Result // so far, in order
	More    int      // unlisted results

	known map[string]int // index in Results, by ID
}

// A Step is what a run did from some time on.
type Step struct {
	At   float64 // seconds since the run began
	Text string
}

// maxStep bounds the kept bytes of a step.
const maxStep = 1_000

// Parse parses a record, ignoring an incomplete last line. It reports whether the text is a record.
func Parse(text string) (*State, bool) {
	var s *State
	for one := range strings.Lines(text) {
		if !strings.HasSuffix(one, "\n") {
			break
		}
		var l line
		err := json.Unmarshal([]byte(one), &l)
		switch {
		case s == nil && (err != nil || l.Version == ""):
			return nil, false
		case s == nil:
			s = &State{Command: l.Command, Began: l.Began, LeftOut: l.LeftOut}
		case err != nil:
			s.Unread++
		default:
			s.add(&l)
		}
	}
	return s, s != nil
}

func (s *State) add(l *line) {
	switch {
	case l.Ended != "":
		s.Ended = l.Ended
	case l.All != 0 || l.Through != 0:
		s.Through, s.All, s.What = l.Through, l.All, l.What
	case l.Step != "":
		text := clip(l.Step)
		if n := len(s.Steps); n == 0 || s.Steps[n-1].Text != text {
			s.Steps = append(s.Steps, Step{l.At, text})
		}
	case l.Result != nil:
		s.addResult(*l.Result)
	case l.More > 0:
		s.More = l.More
	}
}

// addResult adds a result or replaces one with the same ID.
func (s *State) addResult(r Result) {
	r.clip()
	if i, ok := s.known[r.ID]; ok {
		s.Results[i] = r
		return
	}
	if len(s.Results) >= maxResults {
		s.More++
		return
	}
	if s.known == nil {
		s.known = map[string]int{}
	}
	if r.ID != "" {
		s.known[r.ID] = len(s.Results)
	}
	s.Results = append(s.Results, r)
}

// maxShown bounds the steps on a page, latest first.
const maxShown = 200

// Page returns the page of a run without a report.
func (s *State) Page() *report.Page {
	p := &report.Page{Title: "gauntlet " + s.Command, Class: "open", Verdict: s.now(), Read: "The run began at " + s.Began.Format(time.DateTime) + " UTC."}
	p.Missing = []string{"the run goes on: there is no verdict before its end"}
	if s.Ended != "" {
		p.Missing = []string{"the run ended without a report: " + s.Ended}
	}
	if s.Unread > 0 {
		p.Missing = append(p.Missing, fmt.Sprintf("%d lines of this record cannot be read", s.Unread))
	}
	t := report.Table{ID: "steps", Title: "Steps, latest first", Head: []string{"After", "What"}}
	for _, one := range slices.Backward(s.Steps) {
		if len(t.Rows) == maxShown {
			break
		}
		t.Rows = append(t.Rows, []string{fmt.Sprintf("%.1f s", one.At), one.Text})
	}
	if n := s.LeftOut + len(s.Steps) - len(t.Rows); n > 0 {
		t.Intro = fmt.Sprintf("%d earlier ones are left out.", n)
	}
	if len(s.Results) > 0 {
		p.Tables = append(p.Tables, s.resultTable())
	}
	p.Tables = append(p.Tables, t)
	return p
}

// now describes the run's current state in a line.
func (s *State) now() string {
	parts := []string{"Running"}
	if s.Ended != "" {
		parts[0] = "Ended without a report"
	}
	if s.All > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d %s are through", s.Through, s.All, s.What))
	}
	if n := len(s.Results) + s.More; n > 0 {
		parts = append(parts, excerpt.Count(n, "result")+" so far")
	}
	if n := len(s.Steps); n > 0 && s.Ended == "" {
		parts = append(parts, s.Steps[n-1].Text)
	}
	return strings.Join(parts, "; ")
}
