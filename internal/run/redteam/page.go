package redteam

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"gauntlet/report"
)

// WriteAssessed writes the assessment of kept traces as "json", as "html" or as text, without pass or fail colours: no model passes
// or fails.
func WriteAssessed(w io.Writer, all []Assessed, format string, looks report.Options) error {
	count := map[Outcome]int{}
	t := report.Table{ID: "traces", Title: "Traces", Intro: "What the messages of each trace show, and which of them prove it.", Head: []string{"Trace", "Shows", "Why", "Messages"}}
	for _, a := range all {
		count[a.Outcome]++
		numbers := make([]string, len(a.Messages))
		for i, n := range a.Messages {
			numbers[i] = strconv.Itoa(n)
		}
		t.Rows = append(t.Rows, []string{a.Trace, string(a.Outcome), a.Reason, strings.Join(numbers, ", ")})
	}
	p := &report.Page{
		Title:   "Kept traces of attacks",
		Verdict: fmt.Sprintf("%d exploited, %d resisted, %d inconclusive", count[Exploited], count[Resisted], len(all)-count[Exploited]-count[Resisted]),
		Read:    "The traces were read, and no model was asked. The results are not findings about a server.",
		Tables:  []report.Table{t},
	}
	return p.Write(w, format, all, looks)
}
