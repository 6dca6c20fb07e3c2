// Package scanner runs the checks over a catalog and adds up what they found. Package scan is its face for other modules.
package scanner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/check/behaviour"
	"gauntlet/internal/engine/check/boundary"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/engine/check/differential"
	"gauntlet/internal/engine/check/integrity"
	"gauntlet/internal/engine/check/namespace"
	"gauntlet/internal/engine/check/packaging"
	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/engine/check/sourceflow"
	"gauntlet/internal/engine/check/surface"
	"gauntlet/internal/engine/check/toxicflow"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/leaf/taxonomy"
	"gauntlet/posture"
	"gauntlet/rawjson"
	"gauntlet/result"
)

// Options are what a scan may be told.
type Options struct {
	// Checks to run; nil for Checks().
	Checks []*check.Check
	// PerItem is the most findings that one check reports on one definition; 0 for
	// check.DefaultPerItem.
	PerItem int
	// Baseline is a catalog that the user approved earlier, to compare with; nil for none.
	// Whatever is wrong with it becomes a problem of the scan.
	Baseline *catalog.Catalog
	// Configs are configurations of MCP clients, judged beside the servers; nil for none.
	Configs []config.File
	// ConfigChecks are the checks to run on Configs; nil for config.Checks().
	ConfigChecks []*config.Check
	// Together are the servers of the catalog that one agent would see together: only those
	// are compared with each other. Nil means that one agent would see all.
	Together [][]*catalog.Server
	// ChangedOnly leaves out of the checks of single definitions what stands in the baseline
	// as it is. The report counts it. A baseline with a problem leaves out nothing.
	ChangedOnly bool
	// Askings are what servers of the catalog said when they were asked at other times;
	// nil for none. Whatever is wrong with them becomes a problem of the scan.
	Askings []check.Asking
	// Trace is a recorded conversation, with what was declared about it; its Number is set by
	// the scan. Whatever is wrong with it becomes a problem of the scan.
	Trace check.Recording
	// Source is what was read of the source of a server; the zero value for none. Its Number is set by the scan.
	Source check.SourceTree
	// Probes is what came of probing the only server of the catalog; nil for none. Planned trials
	// that never reached a tool become problems of the scan.
	Probes *probe.Evidence
	// Contacts are what came along with reading servers behind URLs, for the posture map.
	Contacts []probe.Contact
	// Package is what is known of a package before it runs; nil for none. Its Number is set by the scan.
	Package *check.PackageFacts
	// Version of the program, for the report.
	Version string
}

// Checks returns every check there is, by id; those of our own stand behind the others.
func Checks() []*check.Check {
	all := slices.Concat(surface.Checks(), namespace.Checks(), integrity.Checks(), differential.Checks(), toxicflow.Checks(), boundary.Checks(), sourceflow.Checks(), probing.Checks(), behaviour.Checks(), packaging.Checks())
	slices.SortStableFunc(all, func(a, b *check.Check) int {
		own := func(k *check.Check) int { return strings.Index("SMG", string(k.ID[:1])) }
		return cmp.Or(cmp.Compare(own(a), own(b)), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// Run runs every check whose evidence is present and returns what they found and what
// was looked at. It does no I/O and the same catalog gives the same report.
func Run(c *catalog.Catalog, opt Options) *result.Report {
	checks := opt.Checks
	if checks == nil {
		checks = Checks()
	}
	seen := &watcher{}
	for _, s := range c.Servers {
		seen.AddServer(s)
	}
	var kept map[*catalog.Item]bool
	if opt.ChangedOnly {
		kept = unchanged(c, opt.Baseline)
	}
	opt.Trace.Number = documents(c, opt)
	opt.Source.Number = opt.Trace.Number + 1 + len(opt.Configs)
	if opt.Package != nil {
		of := *opt.Package
		of.Number = opt.Source.Number + 1
		opt.Package = &of
	}
	res := check.Run(c, checks, check.Options{
		PerItem: opt.PerItem, Visitor: seen, Baseline: opt.Baseline, Together: opt.Together, Askings: opt.Askings, Trace: opt.Trace, Source: opt.Source, Probes: opt.Probes, Package: opt.Package,
		Leave: func(it *catalog.Item) bool { return kept[it] },
	})
	r := &result.Report{
		SchemaVersion: result.SchemaVersion,
		Tool:          result.Tool{Name: "gauntlet", Version: opt.Version, Lexicon: check.LexiconVersion, Taxonomy: taxonomy.Version},
		Findings:      orEmpty(res.Findings),
		Suppressed:    []result.Suppressed{},
		Suppressions:  []result.Suppression{},
		Coverage:      result.Coverage{Servers: coverServers(c, kept), Fields: orEmpty(res.Fields), Checks: orEmpty(res.Checks)},
		Posture:       seen.Signals(),
		Skipped:       orEmpty(append(res.Skipped, skippedChecks(checks)...)),
		Problems:      orEmpty(append(slices.Clone(c.Problems), res.Problems...)),
		Rules:         Rules(checks),
	}
	r.Problems = append(r.Problems, idle(c, checks, opt)...)
	docs := c.Documents
	if opt.Baseline != nil {
		r.Problems = append(r.Problems, baselineProblems(c, opt.Baseline)...)
		docs = slices.Concat(docs, opt.Baseline.Documents)
	}
	judgeAskings(r, checks, opt, len(docs))
	for _, a := range opt.Askings {
		r.Problems = append(r.Problems, askingProblems(a, len(docs))...)
		docs = append(slices.Clip(docs), a.Server().Document)
	}
	if t := opt.Trace; t.Trace != nil && !t.Live {
		r.Coverage.Trace = recorded(t)
		r.Problems = append(r.Problems, traceProblems(t)...)
	}
	judgeConfigs(r, opt, opt.Trace.Number+1)
	probing.FillContacts(r.Posture, opt.Contacts)
	addProbing(r, opt.Probes)
	locateFindings(docs, r)
	r.Summary = result.Summary{Servers: len(c.Servers), Items: res.Items, Strings: res.Strings}
	r.Count()
	return r
}

// NothingRead is the message of the problem that there was nothing to scan.
const NothingRead = "nothing was read: the catalog holds no server"

// idle reports a scan that looked at nothing, which must not read like a clean one.
func idle(c *catalog.Catalog, checks []*check.Check, opt Options) []finding.Problem {
	var out []finding.Problem
	if len(c.Servers) == 0 && opt.Configs == nil && opt.Trace.Trace == nil && opt.Source.Sources == nil && opt.Package == nil {
		out = append(out, finding.Problem{Kind: finding.Unread, Message: NothingRead, Input: -1})
	}
	if len(checks) == 0 && (opt.Configs == nil || opt.ConfigChecks != nil && len(opt.ConfigChecks) == 0) {
		out = append(out, finding.Problem{Kind: finding.Unread, Message: "nothing was checked: no check was asked for", Input: -1})
	}
	return out
}

// baselineProblems says what keeps a baseline from being compared as a whole.
func baselineProblems(c, baseline *catalog.Catalog) []finding.Problem {
	var out []finding.Problem
	for _, p := range baseline.Problems {
		p.Message = "baseline: " + p.Message
		if p.Input >= 0 {
			p.Input += len(c.Documents)
		}
		out = append(out, p)
	}
	if len(c.Servers) > 0 && !integrity.Matched(c, baseline) {
		out = append(out, finding.Problem{Kind: finding.Unread, Input: -1,
			Message: "nothing was compared: no server of the scan has the name of one in the baseline"})
	}
	return out
}

// askingProblems says what one asking did not hold. What is malformed the first asking
// has said, unless it is what the server says to this client alone.
func askingProblems(a check.Asking, input int) []finding.Problem {
	var out []finding.Problem
	for _, p := range a.Catalog.Problems {
		if p.Kind == finding.Malformed {
			continue
		}
		p.Message = fmt.Sprintf("asked as %q: %s", a.As, p.Message)
		if a.After != "" {
			p.Message = "asked after " + a.After + ": " + p.Message
		}
		p.Input = input
		out = append(out, p)
	}
	return out
}

// orEmpty makes an empty list of none: encoding/json writes nil as null.
func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// watcher lets the posture map see the items as the checks walk them.
type watcher struct{ posture.Collector }

func (w *watcher) Visit(s *catalog.Server, it *catalog.Item, v rawjson.Value) { w.Add(s, it, v) }
func (w *watcher) Fork() check.Visitor                                        { return &watcher{} }
func (w *watcher) Join(v check.Visitor)                                       { w.Merge(&v.(*watcher).Collector) }

func coverServers(c *catalog.Catalog, kept map[*catalog.Item]bool) []result.ServerCoverage {
	out := make([]result.ServerCoverage, 0, len(c.Servers))
	for _, s := range c.Servers {
		self := result.ListCoverage{Kind: finding.Server, State: presenceState(len(s.Self) > 0), Items: len(s.Self), Unchanged: countIn(kept, s.Self)}
		for i := range s.Self {
			self.Instructions = self.Instructions || s.Self[i].Label() == "instructions"
		}
		lists := []result.ListCoverage{self}
		for i, l := range s.Lists {
			lists = append(lists, result.ListCoverage{Kind: catalog.Kinds[i], State: presenceState(l.Present), Items: len(l.Items), Unchanged: countIn(kept, l.Items)})
		}
		out = append(out, result.ServerCoverage{Server: s.Name, File: s.Document.Name, Origin: s.Document.Origin, Lists: lists})
	}
	return out
}

func countIn(kept map[*catalog.Item]bool, items []catalog.Item) int {
	n := 0
	for i := range items {
		if kept[&items[i]] {
			n++
		}
	}
	return n
}

func presenceState(present bool) string {
	if present {
		return result.StateRead
	}
	return result.StateAbsent
}

// Unasked is what a check needs that exists and was not among those to run.
const Unasked = "to be asked for"

// skippedChecks lists the checks that exist and were not asked for.
func skippedChecks(checks []*check.Check) []result.Skip {
	var out []result.Skip
	for _, k := range Checks() {
		if !slices.ContainsFunc(checks, func(c *check.Check) bool { return c.ID == k.ID }) {
			out = append(out, result.Skip{Rule: k.ID, Name: k.Name, Needs: Unasked})
		}
	}
	return out
}

// Rules describes checks to a reader who does not have the program.
func Rules(checks []*check.Check) []result.Rule {
	out := make([]result.Rule, 0, len(checks))
	for _, k := range checks {
		out = append(out, result.Rule{
			ID: k.ID, Name: k.Name, Severity: k.Severity, Maturity: string(k.Maturity), Axis: k.Axis,
			Doc: k.Doc, Advice: k.Advice, Source: k.Source, Taxonomy: taxonomy.Of(k.Taxonomy),
		})
	}
	return out
}
