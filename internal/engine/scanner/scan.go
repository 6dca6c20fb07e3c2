// Package scanner runs the checks over a catalog and collects their results. Package scan is its public interface.
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

// Options configure a scan.
type Options struct {
	// Checks to run; nil for Checks().
	Checks []*check.Check
	// PerItem limits the findings of a check per definition; 0 for check.DefaultPerItem.
	PerItem int
	// Baseline is an approved catalog to compare with; nil for none. Its problems become problems of the scan.
	Baseline *catalog.Catalog
	// Configs are MCP client configurations to judge as well; nil for none.
	Configs []config.File
	// ConfigChecks are the checks to run on Configs; nil for config.Checks().
	ConfigChecks []*config.Check
	// Together are the groups of servers that one agent sees together: only servers in a group are compared. Nil means a single group.
	Together [][]*catalog.Server
	// ChangedOnly skips definitions that equal the baseline in checks of single definitions. The report counts them. A
	// baseline with a problem skips nothing.
	ChangedOnly bool
	// Askings are what servers of the catalog said at other times; nil for none. Their problems become problems of the scan.
	Askings []check.Asking
	// Trace is a recorded conversation and the declarations about it; the scan sets its Number. Its problems become problems of the scan.
	Trace check.Recording
	// Source is what was read of a server's source; zero for none. The scan sets its Number.
	Source check.SourceTree
	// Probes are the results of probing the only server of the catalog; nil for none. Planned trials that never reached
	// a tool become problems of the scan.
	Probes *probe.Evidence
	// Contacts were observed while reading servers behind URLs, for the posture map.
	Contacts []probe.Contact
	// Package is what is known of a package before it runs; nil for none. The scan sets its Number.
	Package *check.PackageFacts
	// Unasked says what a check that is not in Checks or ConfigChecks needs to run; "" for "a request for it".
	Unasked string
	// Version is the program's, for the report.
	Version string
}

// Checks returns all checks by id, our own last.
func Checks() []*check.Check {
	all := slices.Concat(surface.Checks(), namespace.Checks(), integrity.Checks(), differential.Checks(), toxicflow.Checks(), boundary.Checks(), sourceflow.Checks(), probing.Checks(), behaviour.Checks(), packaging.Checks())
	slices.SortStableFunc(all, func(a, b *check.Check) int {
		own := func(k *check.Check) int { return strings.Index("SMG", string(k.ID[:1])) }
		return cmp.Or(cmp.Compare(own(a), own(b)), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// Run runs every check whose evidence is present and reports what was found and examined. It does no I/O and is deterministic.
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
		Skipped:       orEmpty(append(res.Skipped, skippedChecks(checks, opt.unasked())...)),
		Problems:      orEmpty(append(slices.Clone(c.Problems), res.Problems...)),
		Rules:         Rules(checks),
	}
	nameSourceServer(r)
	r.Problems = append(r.Problems, idle(c, checks, opt, r.Coverage.Checks)...)
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
	addProbing(r, opt.Probes, c)
	locateFindings(docs, r)
	r.Summary = result.Summary{Servers: len(c.Servers), Items: res.Items, Strings: res.Strings}
	r.Count()
	return r
}

// NothingRead is the message of the problem that there was nothing to scan.
const NothingRead = "nothing was read: the catalog holds no server"

// idle reports a scan that examined nothing, which must not look clean.
func idle(c *catalog.Catalog, checks []*check.Check, opt Options, covered []result.CheckCoverage) []finding.Problem {
	var out []finding.Problem
	if len(c.Servers) == 0 && opt.Configs == nil && opt.Trace.Trace == nil && opt.Source.Sources == nil && opt.Package == nil {
		out = append(out, finding.Problem{Kind: finding.Unread, Message: NothingRead, Input: -1})
	}
	if len(checks) == 0 && (opt.Configs == nil || opt.ConfigChecks != nil && len(opt.ConfigChecks) == 0) {
		out = append(out, finding.Problem{Kind: finding.Unread, Message: "nothing was checked: no check was requested", Input: -1})
	}
	ran := func(c result.CheckCoverage) bool { return c.State != "skipped" }
	judges := func(k *check.Check) bool { return k.Needs&^(check.Definitions|check.Servers) == 0 } // definitions, of which there may be none
	if len(covered) > 0 && len(opt.Configs) == 0 && !slices.ContainsFunc(covered, ran) && !slices.ContainsFunc(checks, judges) {
		first := covered[0]
		out = append(out, finding.Problem{Kind: finding.Unread, Message: fmt.Sprintf("nothing was checked: none of the checks that were asked for could run: %s %s", first.Rule, first.Reason), Input: -1})
	}
	return out
}

// baselineProblems says why a baseline cannot be compared completely.
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

// askingProblems says what an asking lacks. Malformed parts were reported for the first asking, unless the server says
// them only to this client.
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

// orEmpty returns an empty list for nil, which encoding/json writes as null.
func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// watcher shows the posture map the items as the checks walk them.
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

// nameSourceServer names the only server in findings about its source: what was read of it is then told in one place, and not once
// by the server's name and once by that of a file.
func nameSourceServer(r *result.Report) {
	if len(r.Coverage.Servers) != 1 {
		return
	}
	ofSource := map[finding.Rule]bool{}
	for _, c := range r.Coverage.Checks {
		ofSource[c.Rule] = c.Of == result.OfSource
	}
	for i := range r.Findings {
		if l := &r.Findings[i].Location; ofSource[r.Findings[i].Rule] && l.Server == "" && l.Origin == "" {
			l.Server, l.Origin = r.Coverage.Servers[0].Server, r.Coverage.Servers[0].Origin
		}
	}
}

func (o *Options) unasked() string { return cmp.Or(o.Unasked, "a request for it") }

// skippedChecks lists the checks that were not requested.
func skippedChecks(checks []*check.Check, needs string) []result.Skip {
	var out []result.Skip
	for _, k := range Checks() {
		if !slices.ContainsFunc(checks, func(c *check.Check) bool { return c.ID == k.ID }) {
			out = append(out, result.Skip{Rule: k.ID, Name: k.Name, Needs: needs})
		}
	}
	return out
}

// Rules describes checks for readers without the program.
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
