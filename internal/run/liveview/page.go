// Package liveview shows reports and recordings in a local browser, and reloads them when their files change: a recording grows
// while a scan, probe or attack runs.
package liveview

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"gauntlet/diff"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
	"gauntlet/report"
	"gauntlet/result"
)

const maxBytes = 256 << 20

// errUnknown says that a file cannot be shown.
var errUnknown = errors.New("it is not a JSON report, a JSON diff, a recording or a page of gauntlet")

// WritePage writes a file's page: a JSON report, with the recordings that it names if readable; a JSON diff; a recording; or an
// HTML page unchanged.
func WritePage(w io.Writer, name string) error {
	text, err := userfile.ReadText(name, nil, maxBytes)
	if err != nil {
		return userfile.Reason(err)
	}
	if strings.HasPrefix(text, "<!DOCTYPE html>") {
		_, err := io.WriteString(w, text)
		return err
	}
	if s, ok := runstate.Parse(text); ok {
		return s.Page().Write(w, "html", nil, report.Options{})
	}
	var head struct {
		SchemaVersion string           `json:"schema_version"`
		Findings      *json.RawMessage `json:"findings"`
		Servers       *json.RawMessage `json:"servers"`
		Models        *json.RawMessage `json:"models"`
	}
	switch err := json.Unmarshal([]byte(text), &head); {
	case err != nil || head.SchemaVersion == "":
		return writeRecording(w, name)
	case !strings.HasPrefix(head.SchemaVersion, "1."):
		return fmt.Errorf("its form has version %q, want 1", head.SchemaVersion)
	case head.Findings != nil:
		return writeJSONPage(w, text, report.Formats(), func(r *result.Report) report.Options { return report.Options{Traces: namedRecordings(r)} })
	case head.Servers != nil:
		return writeJSONPage(w, text, report.DiffFormats(), func(*diff.Diff) (none report.Options) { return })
	case head.Models != nil:
		return writeJSONPage(w, text, report.RedTeamFormats(), func(*result.RedTeam) (none report.Options) { return })
	}
	return errUnknown
}

// writeJSONPage writes the page of a report that was read as JSON.
func writeJSONPage[T any](w io.Writer, text string, formats report.FormatsOf[*T], options func(*T) report.Options) error {
	r := new(T)
	if err := json.Unmarshal([]byte(text), r); err != nil {
		return err
	}
	return formats.Write(w, "html", r, options(r))
}

// namedRecordings reads the recordings that a report names, skipping missing ones.
func namedRecordings(r *result.Report) []report.Conversation {
	var names []string
	if t := r.Coverage.Trace; t != nil {
		names = append(names, t.File)
	}
	for i := range r.Attacks {
		names = append(names, r.Attacks[i].Trace)
	}
	return Conversations(names, func(string, ...any) {})
}

// maxPageTraces bounds the recordings read for one page's diagrams.
const maxPageTraces = 12

// Conversations reads at most maxPageTraces recordings for a page's diagrams. Unreadable ones are left out and noted: the report
// does not depend on them.
func Conversations(names []string, note func(format string, args ...any)) (out []report.Conversation) {
	seen := map[string]bool{"": true, "-": true}
	for _, name := range names {
		if seen[name] || len(out) == maxPageTraces {
			continue
		}
		seen[name] = true
		t, _, err := tracefile.ReadConversation(name, nil)
		if err != nil {
			note("%s is not drawn: %s", name, err)
			continue
		}
		out = append(out, report.Conversation{File: name, Trace: t})
	}
	return out
}

// writeRecording writes a recording without a verdict.
func writeRecording(w io.Writer, name string) error {
	t, _, err := tracefile.ReadConversation(name, nil)
	switch {
	case err != nil:
		return userfile.Reason(err)
	case len(t.Messages) == 0 && t.Unread > 0:
		return errUnknown
	}
	return report.WriteConversation(w, report.Conversation{File: name, Trace: t})
}
