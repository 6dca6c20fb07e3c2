package runstate

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// recordText is a record of lines.
func recordText(t *testing.T, lines ...line) string {
	t.Helper()
	text := ""
	for _, l := range append([]line{{Version: Version, Command: "scan", Began: began()}}, lines...) {
		b, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		text += string(b) + "\n"
	}
	return text
}

func parse(t *testing.T, text string) *State {
	t.Helper()
	s, ok := Parse(text)
	if !ok {
		t.Fatalf("no record: %.200q", text)
	}
	return s
}

// What a run is at is one line: how far it is, what has come out, and its latest step while it goes on.
func TestNow(t *testing.T) {
	one, two := Result{ID: "1"}, Result{ID: "2"}
	for _, tt := range []struct {
		lines []line
		want  string
	}{
		{nil, "Running"},
		{[]line{{Step: "a"}, {Step: "b"}}, "Running; b"},
		{[]line{{All: 3, What: "servers"}}, "Running; 0 of 3 servers are through"},
		{[]line{{Through: 2, What: "servers"}}, "Running"},
		{[]line{{Result: &one}}, "Running; 1 result so far"},
		{[]line{{Result: &one}, {Result: &one}}, "Running; 1 result so far"},
		{[]line{{Result: &one}, {Result: &two}}, "Running; 2 results so far"},
		{[]line{{Result: &one}, {More: 1}}, "Running; 2 results so far"},
		{[]line{{Step: "a"}, {Ended: "interrupted"}}, "Ended without a report"},
	} {
		if got := parse(t, recordText(t, tt.lines...)).now(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.lines, got, tt.want)
		}
	}
}

// The page says why there is no verdict, shows the latest steps first, and counts what it leaves out.
func TestPage(t *testing.T) {
	steps := func(n int) (out []line) {
		for i := range n {
			out = append(out, line{At: float64(i), Step: fmt.Sprint("step ", i)})
		}
		return out
	}
	for _, tt := range []struct {
		name, text string
		missing    []string
		rows       int
		intro      string
	}{
		{"it goes on", recordText(t, steps(3)...), []string{"the run goes on: there is no verdict before its end"}, 3, ""},
		{"it ended", recordText(t, line{Ended: "no such file"}), []string{"the run ended without a report: no such file"}, 0, ""},
		{"lines that are none", recordText(t, steps(1)...) + "{\nx\n", []string{"the run goes on: there is no verdict before its end", "2 lines of this record cannot be read"}, 1, ""},
		{"as many steps as are shown", recordText(t, steps(maxShown)...), []string{"the run goes on: there is no verdict before its end"}, maxShown, ""},
		{"one more", recordText(t, steps(maxShown+1)...), []string{"the run goes on: there is no verdict before its end"}, maxShown, "1 earlier ones are left out."},
		{"begun anew", strings.Replace(recordText(t, steps(2)...), `"command"`, `"left_out":7,"command"`, 1), []string{"the run goes on: there is no verdict before its end"}, 2, "7 earlier ones are left out."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := parse(t, tt.text).Page()
			table := p.Tables[len(p.Tables)-1]
			if !slices.Equal(p.Missing, tt.missing) || len(table.Rows) != tt.rows || table.Intro != tt.intro || len(p.Tables) != 1 {
				t.Errorf("missing %q, %d rows, %q, want %q, %d, %q", p.Missing, len(table.Rows), table.Intro, tt.missing, tt.rows, tt.intro)
			}
			if tt.rows > 1 && table.Rows[0][1] < table.Rows[1][1] && tt.rows < 10 {
				t.Errorf("the first rows are %q", table.Rows[:2])
			}
			if p.Title != "gauntlet scan" || p.Read != "The run began at 2026-03-04 05:06:07 UTC." {
				t.Errorf("%q, %q", p.Title, p.Read)
			}
		})
	}
	s := parse(t, recordText(t, line{Result: &Result{Word: "high", What: "a"}}, line{Result: &Result{Word: "exploited", What: "b"}}, line{Result: &Result{Word: "strange", What: "c"}}, line{Result: &Result{Word: "critical", What: "d"}}, line{Result: &Result{Word: "high", What: "e"}}, line{More: 4}))
	p := s.Page()
	var order []string
	for _, row := range p.Tables[0].Rows {
		order = append(order, row[1])
	}
	if len(p.Tables) != 2 || strings.Join(order, " ") != "d b a e c" || p.Tables[0].Title != "So far: 9" || !strings.HasSuffix(p.Tables[0].Intro, " 4 are not listed here.") {
		t.Errorf("%d tables, %q, results %q, %q", len(p.Tables), p.Tables[0].Title, order, p.Tables[0].Intro)
	}
	s.More = 0
	if intro := s.Page().Tables[0].Intro; strings.Contains(intro, "not listed") {
		t.Errorf("all are listed: %q", intro)
	}
}

// A result that was told before is told anew in its place; one without an ID is always another; what is too much is counted.
func TestResults(t *testing.T) {
	s := new(State)
	s.addResult(Result{ID: "a", Word: "high"})
	s.addResult(Result{ID: "b", Word: "low"})
	s.addResult(Result{Word: "low"})
	s.addResult(Result{Word: "low"})
	s.addResult(Result{ID: "a", Word: "critical", Says: strings.Repeat("x", maxStep+1)})
	if len(s.Results) != 4 || s.Results[0].Word != "critical" || s.Results[1].Word != "low" || s.Results[0].Says != strings.Repeat("x", maxStep)+"…" || s.More != 0 {
		t.Errorf("%d results, %d more: %.200v", len(s.Results), s.More, s.Results)
	}
	for len(s.Results) < maxResults {
		s.addResult(Result{Word: "info"})
	}
	if s.More != 0 {
		t.Errorf("%d more before there are too many", s.More)
	}
	s.addResult(Result{ID: "new"})
	s.addResult(Result{ID: "b", Word: "high"})
	if s.More != 1 || len(s.Results) != maxResults || s.Results[1].Word != "high" {
		t.Errorf("%d results, %d more, the second is %s", len(s.Results), s.More, s.Results[1].Word)
	}
}

// Texts are cut at a bound and stay well-formed.
func TestClip(t *testing.T) {
	full := strings.Repeat("x", maxStep)
	for text, want := range map[string]string{"": "", full: full, full + "y": full + "…", full[1:] + "ä": full[1:] + "…"} {
		if got := clip(text); got != want {
			t.Errorf("%d bytes: %d bytes, ends with %q", len(text), len(got), got[max(0, len(got)-5):])
		}
	}
}

// A record that is begun anew has the results and the count of what was left out, and its times go on.
func TestRecordIsBegunAnew(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.json")
	r, err := Create(file, "scan", time.Now().Add(-time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	r.Result(Result{ID: "a", Word: "high", Says: strings.Repeat("x", 2*maxStep)})
	for i := range maxLines {
		r.Step(fmt.Sprint(i))
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := parse(t, string(text))
	if lines := strings.Count(string(text), "\n"); lines >= maxLines || s.LeftOut == 0 || s.LeftOut+len(s.Steps) != maxLines || len(s.Results) != 1 || len(s.Results[0].Says) > maxStep+len("…") {
		t.Errorf("%d lines, %d left out, %d steps, results %.100v", lines, s.LeftOut, len(s.Steps), s.Results)
	}
	if last := s.Steps[len(s.Steps)-1]; last.Text != fmt.Sprint(maxLines-1) || last.At < 60 {
		t.Errorf("the last step is %+v", last)
	}
	r.Close()
	r.Close()
	r.Step("too late")
	if again, _ := os.ReadFile(file); string(again) != string(text) {
		t.Error("a record that is closed was written")
	}
}
