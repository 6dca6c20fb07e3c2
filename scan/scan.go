// Package scan is the library's entry point: a catalog and options in, a report out.
package scan

import (
	"context"
	"fmt"
	"slices"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/advice"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/scanner"
	"gauntlet/result"
	"gauntlet/trace"
	"gauntlet/trust"
)

// Options configure a scan. The zero Options run every check on the catalog alone.
type Options struct {
	// Checks are the ids of the checks to run, such as SEC-001; nil for all of [Rules]. An unknown id becomes a problem of the scan.
	Checks []finding.Rule
	// PerItem limits the findings of a check per definition; 0 for 20.
	PerItem int
	// Baseline is an approved catalog to compare with; nil for none. Its problems become problems of the scan.
	Baseline *catalog.Catalog
	// Together are the groups of servers that one agent sees together: only servers in a group are compared. Nil means a single group.
	Together [][]*catalog.Server
	// ChangedOnly skips definitions that equal the baseline in checks of single definitions. The report counts them. A
	// baseline with a problem skips nothing.
	ChangedOnly bool
	// Askings are what servers of the catalog said at other times; nil for none. Their problems become problems of the scan.
	Askings []Asking
	// Recording is a conversation to judge as well; nil for none. Its problems become problems of the scan.
	Recording *Recording
	// Version is the program's, for the report.
	Version string
}

// An Asking is what a server of the catalog said at another time.
type Asking struct {
	Of      *catalog.Server  // the server, in the catalog of the scan
	Catalog *catalog.Catalog // what it said then: one document with one server
	As      string           // name that the client used
	Self    bool             // the client used the same name as for the catalog
	After   string           // the notification that caused the question in the same conversation; "" for another conversation
}

// A Recording is a recorded conversation and the user's declarations about it.
type Recording struct {
	Trace    *trace.Trace
	File     string // path as given by the user, for the report
	Boundary trust.Boundary
}

// Rules describes all checks by id, this project's own last.
func Rules() []result.Rule { return scanner.Rules(scanner.Checks()) }

// Run runs every check whose evidence is present and reports what was found and examined. It does no I/O and is deterministic.
func Run(c *catalog.Catalog, opt Options) *result.Report {
	checks, unknown := chosenChecks(opt.Checks)
	inner := scanner.Options{
		Checks: checks, PerItem: opt.PerItem, Baseline: opt.Baseline, Together: opt.Together, ChangedOnly: opt.ChangedOnly, Version: opt.Version,
	}
	for _, a := range opt.Askings {
		inner.Askings = append(inner.Askings, check.Asking{Of: a.Of, Catalog: a.Catalog, As: a.As, Self: a.Self, After: a.After})
	}
	if r := opt.Recording; r != nil {
		inner.Trace = check.Recording{Trace: r.Trace, File: r.File, Boundary: r.Boundary}
	}
	r := scanner.Run(c, inner)
	r.Problems = append(r.Problems, unknown...)
	r.Count()
	return r
}

// chosenChecks returns the checks with the given ids, all of them for nil.
func chosenChecks(ids []finding.Rule) (checks []*check.Check, unknown []finding.Problem) {
	all := scanner.Checks()
	if ids == nil {
		return all, nil
	}
	checks = []*check.Check{}
	for _, id := range ids {
		i := slices.IndexFunc(all, func(k *check.Check) bool { return k.ID == id })
		if i < 0 {
			unknown = append(unknown, finding.Problem{Kind: finding.Unread, Message: fmt.Sprintf("no check has the id %q", id), Input: -1})
			continue
		}
		checks = append(checks, all[i])
	}
	return checks, unknown
}

// A Question asks a model about one definition: instructions, the definition as quoted data, and the JSON Schema of the answer.
type Question struct {
	System, Prompt, Schema string
}

// A Judge answers a question with JSON. It is called concurrently as [AdvisoryOptions] allow. Any error leaves the definition unjudged.
type Judge func(ctx context.Context, q Question) (answer string, err error)

// AdvisoryOptions configure the judge and what it is shown.
type AdvisoryOptions struct {
	Model    string              // name in the report
	Parallel int                 // concurrent questions; 0 for 1
	Mask     func(string) string // removes secrets known from elsewhere; nil for none
}

// RunWithAdvisory is [Run] with a judge's opinions in [result.Report.Advisory]. They do not affect the rest of the
// report, including FailsAt and ExitCode.
func RunWithAdvisory(ctx context.Context, c *catalog.Catalog, opt Options, advisory AdvisoryOptions, judge Judge) *result.Report {
	r := Run(c, opt)
	r.Advisory = []result.Advisory{AdvisoryFindings(ctx, c, advisory, judge)}
	return r
}

// AdvisoryFindings asks a judge about every definition of a catalog, without running checks.
func AdvisoryFindings(ctx context.Context, c *catalog.Catalog, opt AdvisoryOptions, judge Judge) result.Advisory {
	questions := advice.Questions(c, advice.Options{Mask: opt.Mask})
	return advice.Run(ctx, opt.Model, questions, opt.Parallel, func(ctx context.Context, q *advice.Question) (string, error) {
		return judge(ctx, Question{q.System, q.Prompt, q.Schema})
	})
}
