package redteam

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"gauntlet/report"
)

// WriteAssessed writes the assessment of kept traces as "json", as "html", or one line each.
func WriteAssessed(w io.Writer, all []Assessed, format string) error {
	switch format {
	case "json":
		return report.WriteJSON(w, all)
	case "html":
		return writePage(w, all)
	}
	for _, one := range all {
		text := fmt.Sprintf("%s: %s", one.Trace, one.Outcome)
		if one.Reason != "" {
			text += ": " + one.Reason
		}
		if one.Messages != nil {
			text += fmt.Sprintf(" in messages %v", one.Messages)
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}

// writePage writes the assessment as HTML, without pass or fail colours: no model passes or fails.
func writePage(w io.Writer, all []Assessed) error {
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
	return report.WriteTables(w, &report.TablePage{
		Title:   "Kept traces of attacks",
		Verdict: fmt.Sprintf("%d exploited, %d resisted, %d inconclusive", count[Exploited], count[Resisted], len(all)-count[Exploited]-count[Resisted]),
		Read:    "The traces were read, and no model was asked. The results are not findings about a server.",
		Tables:  []report.Table{t},
	})
}
