// Package report renders a result.Report for people, programs and code hosts.
//
// Every format is deterministic: no clock, no map order, no machine name. Server text is hostile in all of them: it is
// made Visible where a person reads it and \u-escaped where a program does.
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

// Options control presentation; except for Verbose they do not change what pretty says. Other formats ignore them.
type Options struct {
	Color bool // use ANSI colours
	// Width is the number of terminal columns to which lines are clipped, at least 50. 0 stands for a file or pipe:
	// lines of the short text are not clipped, and paragraphs have 100 columns.
	Width int
	// Height is the number of terminal rows that the short text should fit, so that the worst finding does not scroll
	// away; 0 lists every finding.
	Height  int
	Verbose bool // write everything, with the evidence of every finding
	// Gate is used to explain the exit code; nil omits the explanation.
	Gate *Gate
	// Capabilities are used for the matrix and the graph of a page; nil for none.
	Capabilities []capability.Server
	// Traces are recorded conversations for the diagrams of a page; nil for none.
	Traces []Conversation
	// Next is a suggested next command; "" omits it.
	Next string
	// NotSecurity marks rules about the form of documents, so that code hosts do not list their results as vulnerabilities.
	NotSecurity bool
}

// A FormatOf is a way to write a T.
type FormatOf[T any] struct {
	Name    string // value of --format
	Summary string // one line of help text

	write func(*bufio.Writer, T, Options) error
}

// A Conversation is a recorded conversation and its file name.
type Conversation struct {
	File  string
	Trace *trace.Trace
}

// A Gate holds the arguments of result.Report.ExitCode.
type Gate struct {
	FailOn       finding.Severity
	AllowPartial bool
}

type (
	// A Format is a format for reports.
	Format = FormatOf[*result.Report]
	// A DiffFormat is a format for diffs.
	DiffFormat = FormatOf[*diff.Diff]
)

// Write streams v to w without holding the whole output in memory or changing v. Any report can be written: the error is always w's.
func (f FormatOf[T]) Write(w io.Writer, v T, opt Options) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if err := f.write(out, v, opt); err != nil {
		return err
	}
	return out.Flush()
}

// FormatsOf are the ways to write a T, the default first. Each format registers itself in its file.
type FormatsOf[T any] []FormatOf[T]

var (
	formats        FormatsOf[*result.Report]
	diffFormats    FormatsOf[*diff.Diff]
	fleetFormats   FormatsOf[*result.Fleet]
	redTeamFormats FormatsOf[*result.RedTeam]
)

func (r *FormatsOf[T]) register(name, summary string, write func(*bufio.Writer, T, Options) error) bool {
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

// Names returns the names that Lookup takes.
func (r FormatsOf[T]) Names() (names []string) {
	for _, f := range r {
		names = append(names, f.Name)
	}
	return names
}

// Lookup finds a format by its exact name; the error lists the valid names.
func (r FormatsOf[T]) Lookup(name string) (FormatOf[T], error) {
	for _, f := range r {
		if f.Name == name {
			return f, nil
		}
	}
	return FormatOf[T]{}, fmt.Errorf("unknown format %q: want one of %s", name, strings.Join(r.Names(), ", "))
}

// Write writes v in the format of a name.
func (r FormatsOf[T]) Write(w io.Writer, name string, v T, opt Options) error {
	f, err := r.Lookup(name)
	if err != nil {
		return err
	}
	return f.Write(w, v, opt)
}

// Formats returns the formats of reports.
func Formats() FormatsOf[*result.Report] { return slices.Clone(formats) }

// DiffFormats returns the formats of diffs.
func DiffFormats() FormatsOf[*diff.Diff] { return slices.Clone(diffFormats) }

// FleetFormats returns the formats of fleet reports.
func FleetFormats() FormatsOf[*result.Fleet] { return slices.Clone(fleetFormats) }

// RedTeamFormats returns the formats of red-team reports.
func RedTeamFormats() FormatsOf[*result.RedTeam] { return slices.Clone(redTeamFormats) }

// complete requires both of the report's statements: no format may call a scan complete that has a problem or calls itself incomplete.
func complete(r *result.Report) bool { return r.Complete() && r.Summary.Complete }

// incompleteWords says what is missing: "incomplete: 2 problems, 1 attack without verdict".
func incompleteWords(r *result.Report) string {
	var parts []string
	if n := len(r.Problems); n > 0 {
		parts = append(parts, countNoun(n, "problem"))
	}
	if n := len(r.Attacks) - countJudged(r.Attacks); n > 0 {
		parts = append(parts, countNoun(n, "attack")+" without verdict")
	}
	if n := len(r.Undone()) - len(r.Problems) - len(r.Attacks) + countJudged(r.Attacks); n > 0 {
		parts = append(parts, countNoun(n, "step")+" not done")
	}
	return strings.TrimSuffix("incomplete: "+strings.Join(parts, ", "), ": ")
}
