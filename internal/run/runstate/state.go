package runstate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gauntlet/finding"
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

// A Result is an intermediate result: a finding, or an attack's outcome. The final report may differ: it compares servers, and
// applies acceptances.
type Result struct {
	ID    string `json:"id,omitempty"` // identifies the same result again; or ""
	Word  string `json:"word"`         // severity or outcome
	What  string `json:"what"`         // rule or attack
	Where string `json:"where,omitempty"`
	Says  string `json:"says,omitempty"`
}

const maxResults = 2_000

// OfFinding returns a finding's Result. The finding must be redacted.
func OfFinding(f *finding.Finding) Result {
	return Result{ID: f.Fingerprint, Word: f.Severity.String(), What: string(f.Rule) + " " + f.Name, Where: strings.Join(strings.Fields(f.Location.Server+" "+string(f.Location.Kind)+" "+f.Location.Item), " "), Says: f.Message}
}

func (r *Result) clip() {
	for _, text := range []*string{&r.ID, &r.Word, &r.What, &r.Where, &r.Says} {
		*text = clip(*text)
	}
}

func clip(text string) string { return excerpt.Clip(text, maxStep) }

// worstFirst lists the words that a page shows first, in order.
var worstFirst = []string{finding.Critical.String(), "exploited", finding.High.String(), "partial", finding.Medium.String(), finding.Low.String(), finding.Info.String()}

func rankOf(r Result) int {
	if i := slices.Index(worstFirst, r.Word); i >= 0 {
		return i
	}
	return len(worstFirst)
}

// resultTable shows the results so far, worst first.
func (s *State) resultTable() report.Table {
	t := report.Table{ID: "results", Title: fmt.Sprintf("So far: %d", len(s.Results)+s.More), Head: []string{"Result", "What", "Where", "Says"},
		Intro: "Results so far. The final report may differ: it also compares servers and sets aside what was accepted."}
	if s.More > 0 {
		t.Intro += fmt.Sprintf(" %d are not listed here.", s.More)
	}
	sorted := slices.SortedStableFunc(slices.Values(s.Results), func(a, b Result) int { return cmp.Compare(rankOf(a), rankOf(b)) })
	for _, r := range sorted {
		t.Rows = append(t.Rows, []string{r.Word, r.What, r.Where, r.Says})
	}
	return t
}
