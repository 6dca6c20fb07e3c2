package runstate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/run/userfile"
	"gauntlet/report"
	"gauntlet/result"
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

// LastReport returns the file with the findings of the last run in the working directory.
func LastReport(getenv func(string) string) (string, error) {
	dir, err := userfile.CacheDirectory("last", getenv)
	if err != nil {
		return "", err
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(here))
	return filepath.Join(dir, hex.EncodeToString(sum[:8])+".json"), nil
}

// FindReport is LastReport if a run has left one; otherwise it fails.
func FindReport(getenv func(string) string) (string, error) {
	last, err := LastReport(getenv)
	if err == nil {
		_, err = os.Stat(last)
	}
	if err != nil {
		return "", errors.New("no run in this directory has left findings")
	}
	return last, nil
}

// ReadReport reads the named JSON report, "-" for standard input, "" for the last run's in the working directory. Its errors say
// which.
func ReadReport(name string, getenv func(string) string, read func(name string) (string, error)) (*result.Report, error) {
	shown := name
	switch name {
	case "-":
		shown = "standard input"
	case "":
		last, err := FindReport(getenv)
		if err != nil {
			return nil, fmt.Errorf("%w: name a JSON report with --from, as gauntlet scan --report json=FILE writes it", err)
		}
		shown, name = "the last run", last
	}
	text, err := read(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, userfile.Reason(err))
	}
	r, err := ParseReport(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	return r, nil
}

// ParseReport parses a JSON report of version 1.
func ParseReport(text string) (*result.Report, error) {
	r := new(result.Report)
	if err := json.Unmarshal([]byte(text), r); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(r.SchemaVersion, "1.") {
		return nil, errors.New("it is not a JSON report of gauntlet scan, version 1")
	}
	return r, nil
}

// KeepFindings stores what suppress needs of a report, readable by the user alone. Failures are ignored.
func KeepFindings(r *result.Report, getenv func(string) string) {
	name, err := LastReport(getenv)
	if err != nil || os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	kept := result.Report{SchemaVersion: r.SchemaVersion, Tool: r.Tool, Findings: r.Findings, Suppressed: r.Suppressed}
	_ = userfile.WritePrivate(name, nil, func(w io.Writer) error { return json.NewEncoder(w).Encode(&kept) })
}
