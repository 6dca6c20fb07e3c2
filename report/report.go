// Package report renders a result.Report: for a person, for a program, for a code host.
//
// Every format writes the same bytes for the same report: no clock, no map order, no
// machine name. What a server said is hostile in all of them: it goes through Visible
// where a person reads it, and is \u-escaped where a program does.
package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/diff"
	"gauntlet/finding"
	"gauntlet/result"
	"gauntlet/trace"
)

// Options are about looks and change nothing of what pretty has to say, save Verbose.
// The other formats ignore them.
type Options struct {
	Color bool // write ANSI colours
	// Width is the number of terminal columns that lines are clipped to; anything below 50
	// is taken as 50. 0 stands for a file or a pipe: lines of the short text are whole
	// there, and paragraphs have 100 columns.
	Width int
	// Height is the number of terminal rows that the short text should fit, so that the
	// worst finding does not scroll away; 0 lists every finding.
	Height  int
	Verbose bool // write all there is to say, with the evidence of every finding
	// Gate says how the exit code is computed, so that the text can give its reason; nil
	// leaves that out.
	Gate *Gate
	// Capabilities are what tools can do, for the matrix and the graph of a page; nil for none.
	Capabilities []capability.Server
	// Traces are recorded conversations, in order, for the diagrams of a page; nil for none.
	Traces []Conversation
	// Next is the one command that a reader may want to run next; "" leaves that out.
	Next string
	// NotSecurity says that the rules are about the form of documents, so that a code host
	// does not list what they find among the vulnerabilities.
	NotSecurity bool
}

// A FormatOf is one way to write a T.
type FormatOf[T any] struct {
	Name    string // as in --format
	Summary string // one line for a help text

	write func(*bufio.Writer, T, Options) error
}

// A Conversation is a recorded conversation with the name of its file.
type Conversation struct {
	File  string
	Trace *trace.Trace
}

// A Gate has the arguments of result.Report.ExitCode.
type Gate struct {
	FailOn       finding.Severity
	AllowPartial bool
}

type (
	// A Format is one way to write a report.
	Format = FormatOf[*result.Report]
	// A DiffFormat is one way to write what changed.
	DiffFormat = FormatOf[*diff.Diff]
)

// Write writes v to w in one pass, without ever holding the whole output in memory. It
// does not change v. An error is w's own: whatever stands in a report can be written.
func (f FormatOf[T]) Write(w io.Writer, v T, opt Options) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if err := f.write(out, v, opt); err != nil {
		return err
	}
	return out.Flush()
}

// A registry is the one list of formats: pretty, the default, and the others by name. Each
// format registers itself in its file.
type registry[T any] []FormatOf[T]

var (
	formats     registry[*result.Report]
	diffFormats registry[*diff.Diff]
)

func (r *registry[T]) register(name, summary string, write func(*bufio.Writer, T, Options) error) bool {
	*r = append(*r, FormatOf[T]{name, summary, write})
	slices.SortFunc(*r, func(a, b FormatOf[T]) int {
		switch defaultFormat {
		case a.Name:
			return -1
		case b.Name:
			return 1
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return true
}

const defaultFormat = "pretty"

func (r registry[T]) names() (names []string) {
	for _, f := range r {
		names = append(names, f.Name)
	}
	return names
}

func (r registry[T]) lookUp(name string) (FormatOf[T], error) {
	for _, f := range r {
		if f.Name == name {
			return f, nil
		}
	}
	return FormatOf[T]{}, fmt.Errorf("unknown format %q: want one of %s", name, strings.Join(r.names(), ", "))
}

// Formats returns all formats, the default first.
func Formats() []Format { return slices.Clone(formats) }

// Names returns the names that Lookup takes, the default first.
func Names() []string { return formats.names() }

// Lookup finds a format by its exact name; the error lists the names there are.
func Lookup(name string) (Format, error) { return formats.lookUp(name) }

// DiffFormats returns all formats for a diff, the default first.
func DiffFormats() []DiffFormat { return slices.Clone(diffFormats) }

// DiffNames returns the names that LookupDiff takes, the default first.
func DiffNames() []string { return diffFormats.names() }

// LookupDiff finds a format by its exact name; the error lists the names there are.
func LookupDiff(name string) (DiffFormat, error) { return diffFormats.lookUp(name) }

// complete takes the darker view where the report's two statements differ: no format
// may call a scan complete that has a problem or says itself that it is not.
func complete(r *result.Report) bool { return r.Complete() && r.Summary.Complete }

// incompleteWords says how much is missing: "incomplete: 2 problems, 1 attack without verdict".
func incompleteWords(r *result.Report) string {
	var parts []string
	if n := len(r.Problems); n > 0 {
		parts = append(parts, countNoun(n, "problem"))
	}
	if n := len(r.Attacks) - judged(r.Attacks); n > 0 {
		parts = append(parts, countNoun(n, "attack")+" without verdict")
	}
	if n := len(r.Undone()) - len(r.Problems) - len(r.Attacks) + judged(r.Attacks); n > 0 {
		parts = append(parts, countNoun(n, "step")+" not done")
	}
	return strings.TrimSuffix("incomplete: "+strings.Join(parts, ", "), ": ")
}
