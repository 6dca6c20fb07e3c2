// Package reportfile plans which reports go to which files before any work is done: no two to one file, none over an input. It also
// reads the recordings drawn by pages.
package reportfile

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
	"gauntlet/report"
)

// An Output is a report to write.
type Output struct {
	Format report.Format
	File   string // "-" for standard output
}

// Plan returns the reports to write: the main report, those in more, each "FORMAT=FILE", and a JSON report replacing the progress
// file unless that is "". It fails if two would go to one file, if one would overwrite an input, or if more is malformed.
func Plan(main Output, more []string, progress string, inputs []string) ([]Output, error) {
	outs := []Output{main}
	for _, text := range more {
		name, file, ok := strings.Cut(text, "=")
		if !ok || file == "" {
			return nil, fmt.Errorf("--report: %q is not of the form FORMAT=FILE", text)
		}
		f, err := report.Formats().Lookup(name)
		if err != nil {
			return nil, fmt.Errorf("--report: %w", err)
		}
		outs = append(outs, Output{f, file})
	}
	if progress != "" {
		f, err := report.Formats().Lookup("json")
		if err != nil {
			return nil, err
		}
		outs = append(outs, Output{f, progress})
	}
	for i := range outs {
		if same := slices.IndexFunc(outs[:i], func(o Output) bool { return userfile.Same(o.File, outs[i].File) }); same >= 0 {
			return nil, fmt.Errorf("two reports would go to %s", ShownName(outs[i].File))
		}
		if err := userfile.CheckWritable(outs[i].File, inputs); err != nil {
			return nil, err
		}
	}
	return outs, nil
}

// ShownName returns an output file's name for messages.
func ShownName(file string) string {
	if file == "-" {
		return "standard output: name a file with --output or --report"
	}
	return file
}

// Files returns the outputs' files in order.
func Files(outs []Output) []string {
	var out []string
	for _, o := range outs {
		out = append(out, o.File)
	}
	return out
}

// HasPage reports whether any report is a page, which shows more than a report contains.
func HasPage(outs []Output) bool {
	return slices.ContainsFunc(outs, func(o Output) bool { return o.Format.Name == "html" })
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
