// Package scan is the library's entry point: a catalog and options in, a report out.
package scan

import (
	"fmt"
	"slices"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/scanner"
	"gauntlet/result"
	"gauntlet/trace"
	"gauntlet/trust"
)

// Options configure a scan. The zero Options run every check on the catalog alone.
type Options struct {
	// Checks are the ids of the checks to run, such as SEC-001; nil for all of [Rules]. An id
	// that no check has becomes a problem of the scan.
	Checks []finding.Rule
	// PerItem is the most findings that one check reports on one definition; 0 for 20.
	PerItem int
	// Baseline is a catalog that the user approved earlier, to compare with; nil for none.
	// Whatever is wrong with it becomes a problem of the scan.
	Baseline *catalog.Catalog
	// Together are the servers of the catalog that one agent would see together: only those
	// are compared with each other. Nil means that one agent would see all.
	Together [][]*catalog.Server
	// ChangedOnly leaves out of the checks of single definitions what the baseline holds
	// unchanged. The report counts it. A baseline with a problem leaves out nothing.
	ChangedOnly bool
	// Askings are what servers of the catalog said when they were asked at other times;
	// nil for none. Whatever is wrong with them becomes a problem of the scan.
	Askings []Asking
	// Recording is a conversation to judge beside the servers; nil for none. Whatever is wrong
	// with it becomes a problem of the scan.
	Recording *Recording
	// Version of the program, for the report.
	Version string
}

// An Asking is what one server of the catalog said at another time.
type Asking struct {
	Of      *catalog.Server  // the server, in the catalog of the scan
	Catalog *catalog.Catalog // what it said this time: one document with one server
	As      string           // how the client called itself
	Self    bool             // the client called itself as it did for the catalog
	After   string           // the notification after which it was asked again in one conversation; "" for another conversation
}

// A Recording is a recorded conversation with what the user declared about it.
type Recording struct {
	Trace    *trace.Trace
	File     string // its path as the user gave it, for the report
	Boundary trust.Boundary
}

// Rules describes all checks by id, those of this project after the others.
func Rules() []result.Rule { return scanner.Rules(scanner.Checks()) }

// Run runs every check whose evidence is present and returns what was found and what was examined.
// It does no I/O, and the same catalog gives the same report.
func Run(c *catalog.Catalog, opt Options) *result.Report {
	checks, unknown := chosenChecks(opt.Checks)
	inner := scanner.Options{
		Checks: checks, PerItem: opt.PerItem, Baseline: opt.Baseline, Together: opt.Together, ChangedOnly: opt.ChangedOnly, Version: opt.Version,
	}
	for _, a := range opt.Askings {
		inner.Askings = append(inner.Askings, check.Asking(a))
	}
	if r := opt.Recording; r != nil {
		inner.Trace = check.Recording{Trace: r.Trace, File: r.File, Boundary: r.Boundary}
	}
	r := scanner.Run(c, inner)
	r.Problems = append(r.Problems, unknown...)
	r.Count()
	return r
}

// chosenChecks returns the checks with the ids, all of them for nil.
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
