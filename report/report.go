// Package report renders a result.Report: for a person, for a program, for a code host.
//
// Every format writes the same bytes for the same report: no clock, no map order, no
// machine name. What a server said is hostile in all of them: it goes through Visible
// where a person reads it, and is \u-escaped where a program does.
package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"gauntlet/result"
)

// Options are about looks and change nothing of what pretty has to say, save Verbose.
// The other formats ignore them.
type Options struct {
	Color bool // write ANSI colours
	// Width is the number of terminal columns that evidence and details are clipped to;
	// 0 means 100, and anything below 50 is taken as 50.
	Width   int
	Verbose bool // show every finding, however often its rule fires in one definition
	// NotSecurity says that the rules are about the form of documents, so that a code host
	// does not list what they find among the vulnerabilities.
	NotSecurity bool
}

// A Format is one way to write a report.
type Format struct {
	Name    string // as in --format
	Summary string // one line for a help text

	write func(*bufio.Writer, *result.Report, Options) error
}

// formats is the one list of formats, in the order a help text shows them.
var formats = []Format{
	{"pretty", "for people: grouped by definition, the offending text underlined", writePretty},
	{"json", "for programs: the whole report, as in docs/schemas/report.schema.json", writeJSON},
	{"sarif", "for code hosts and editors: SARIF 2.1.0", writeSARIF},
	{"junit", "for CI servers: JUnit XML, a suite a server and a test a check", writeJUnit},
	{"markdown", "for comments and job summaries: at most 65,536 characters, the worst first", writeMarkdown},
}

// Formats returns all formats, the default first.
func Formats() []Format { return append([]Format(nil), formats...) }

// Names returns the names that Lookup takes, the default first.
func Names() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return names
}

// Lookup finds a format by its exact name; the error lists the names there are.
func Lookup(name string) (Format, error) {
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("unknown format %q: want one of %s", name, strings.Join(Names(), ", "))
}

// Write writes r to w in one pass, without ever holding the whole output in memory. It
// does not change r. An error is w's own: whatever stands in a report can be written.
func (f Format) Write(w io.Writer, r *result.Report, opt Options) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if err := f.write(out, r, opt); err != nil {
		return err
	}
	return out.Flush()
}

// complete takes the darker view where the report's two statements differ: no format
// may call a scan complete that has a problem or says itself that it is not.
func complete(r *result.Report) bool { return r.Complete() && r.Summary.Complete }
