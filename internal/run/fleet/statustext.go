package fleet

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"gauntlet/report"
)

// Write writes the state of a fleet, as "text" or as "json".
func (s *Status) Write(w io.Writer, format string) error {
	switch format {
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(s)
	case "text":
	default:
		return fmt.Errorf("--format: unknown format %q: want text or json", format)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "fleet %s: %s\n", s.Name, s.State)
	fmt.Fprintf(&b, "jobs    %d: %d done, %d failed, %d with workers, %d waiting (%d KB on disk)\n", s.Jobs, s.Done, s.Failed, s.Taken, s.Waiting, s.Bytes>>10)
	for _, c := range s.Classes {
		if len(c.Needs) > 0 && c.Waiting+c.Taken > 0 {
			fmt.Fprintf(&b, "        %d of them need %s\n", c.Waiting+c.Taken, strings.Join(c.Needs, ", "))
		}
	}
	for _, k := range s.Workers {
		fmt.Fprintf(&b, "worker  %s: %d of %d running, %d done, %d failed, %d refused; %s\n", k.ID, k.Running, k.Slots, k.Done, k.Failed, k.Refused, strings.Join(k.Capabilities, ", "))
	}
	for _, r := range s.Refused {
		fmt.Fprintf(&b, "refused %s\n", r)
	}
	if s.Forged > 0 {
		fmt.Fprintf(&b, "forged  %d results that no worker of the plan wrote\n", s.Forged)
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, report.Visible(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}

// EndedLine says on one line what became of a job; it is for [report.Visible].
func EndedLine(e *Entry) string {
	if e.Failed != "" {
		return fmt.Sprintf("failed  %s %s: %s", e.Lane, e.Target, e.Failed)
	}
	text := fmt.Sprintf("%-7s %s %s %s", map[bool]string{true: "done", false: "partly"}[e.Complete], e.Lane, e.Target, e.Document)
	text = strings.TrimSpace(text) + fmt.Sprintf(" in %s on %s", e.Took.Round(time.Millisecond), e.Worker)
	if words := report.CountWords(e.Counts); words != "" {
		text += ": " + words
	}
	return text
}
