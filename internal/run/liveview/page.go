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
		return report.WriteTables(w, s.Page())
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
		return writeReport(w, text)
	case head.Servers != nil:
		return writeDiff(w, text)
	case head.Models != nil:
		return writeRedTeam(w, text)
	}
	return errUnknown
}

func writeReport(w io.Writer, text string) error {
	r := new(result.Report)
	if err := json.Unmarshal([]byte(text), r); err != nil {
		return err
	}
	format, err := report.Lookup("html")
	if err != nil {
		return err
	}
	return format.Write(w, r, report.Options{Traces: namedRecordings(r)})
}

// maxRecordings bounds the recordings drawn for one report.
const maxRecordings = 12

// namedRecordings reads the recordings that a report names, skipping missing ones.
func namedRecordings(r *result.Report) (out []report.Conversation) {
	var names []string
	if t := r.Coverage.Trace; t != nil {
		names = append(names, t.File)
	}
	for i := range r.Attacks {
		names = append(names, r.Attacks[i].Trace)
	}
	seen := map[string]bool{"": true, "-": true}
	for _, name := range names {
		if seen[name] || len(out) == maxRecordings {
			continue
		}
		seen[name] = true
		if t, _, err := tracefile.ReadConversation(name, nil); err == nil {
			out = append(out, report.Conversation{File: name, Trace: t})
		}
	}
	return out
}

func writeDiff(w io.Writer, text string) error {
	d := new(diff.Diff)
	if err := json.Unmarshal([]byte(text), d); err != nil {
		return err
	}
	format, err := report.LookupDiff("html")
	if err != nil {
		return err
	}
	return format.Write(w, d, report.Options{})
}

func writeRedTeam(w io.Writer, text string) error {
	r := new(result.RedTeam)
	if err := json.Unmarshal([]byte(text), r); err != nil {
		return err
	}
	format, err := report.LookupRedTeam("html")
	if err != nil {
		return err
	}
	return format.Write(w, r, report.Options{})
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
