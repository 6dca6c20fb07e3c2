package check

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/leaf/taxonomy"
	"gauntlet/rawjson"
	"gauntlet/result"
	"gauntlet/trace"
	"gauntlet/trust"
)

// A Pass shows a check all inputs at once, for what no single definition shows.
type Pass struct {
	Catalog  *catalog.Catalog
	Baseline *catalog.Catalog // approved by the user; nil unless required by the check
	Askings  []Asking         // what servers of Catalog said at other times; nil unless required by the check
	Trace    *trace.Trace     // a recorded conversation; nil unless required by the check
	Boundary trust.Boundary   // declared for the trace
	Floods   []string         // see [Recording]

	Source SourceTree // zero unless required by the check

	Probes *probe.Evidence // results of probing the only server of Catalog; nil unless required by the check

	Package *PackageFacts // what is known of a package before it runs; nil unless required by the check

	behind   int // number of the first asking's document, after all others
	recorded int // number of the trace, after those
	notes    []string
	withheld int
	file     string // of the trace
	check    *Check
	res      *Result
	shared   *shared
	contents map[*catalog.Item]string // content hashes of items with findings
	tree     rawjson.Tree
	items    int
	reports  int
}

// shared is common to the passes of a run.
type shared struct {
	together [][]*catalog.Server
	values   map[any]any
}

// Groups returns the groups of servers that one agent sees together, by default all servers.
func (p *Pass) Groups() [][]*catalog.Server {
	if p.shared.together == nil {
		return [][]*catalog.Server{p.Catalog.Servers}
	}
	return p.shared.together
}

// Shared returns the result of made's first call for this key in this run, so that checks can share work. key should
// have a type of the caller's own, as for contexts.
func (p *Pass) Shared(key any, made func() any) any {
	v, ok := p.shared.values[key]
	if !ok {
		v = made()
		p.shared.values[key] = v
	}
	return v
}

// A Place is a location in the catalog or baseline. Unlike a [rawjson.Value] it stays valid when its tree is reused.
type Place struct {
	loc   finding.Location
	span  finding.Span
	token string // the string there, with quotes; "" for another value

	server *catalog.Server
	item   *catalog.Item // nil for the whole server, and in a trace
}

// At returns the place of v, a value inside an item; of the whole item if v is absent, and of the whole server if it is nil.
func (p *Pass) At(s *catalog.Server, it *catalog.Item, v rawjson.Value) Place {
	at := Place{span: finding.Span{Input: p.input(s.Document)}, server: s, item: it}
	if it == nil {
		at.loc = finding.Location{Server: s.Name, Kind: finding.Server, Pointer: s.Pointer, File: s.Document.Name, Origin: s.Document.Origin}
		for first := range s.Items() { // closer than the top of a file with many servers
			at.span.Start, at.span.End = first.Offset(), first.Offset()
			break
		}
		return at
	}
	at.loc = it.Location(s, v, false)
	if !v.Exists() {
		at.span.Start, at.span.End = it.Offset(), it.Offset()+it.Size()
		return at
	}
	at.span.Start, at.span.End = v.Offset(), v.Offset()+len(v.Raw())
	if v.Kind() == rawjson.String {
		at.token = v.Raw()
	}
	return at
}

// Ambiguous returns the place of a member that parsers interpret differently.
func (p *Pass) Ambiguous(a *catalog.Ambiguity) Place {
	return Place{loc: a.Location, span: finding.Span{Input: p.input(a.Document), Start: a.Span.Start, End: a.Span.End}}
}

// input returns the number of a document among all inputs of a scan: catalog, baseline, askings.
func (p *Pass) input(d *catalog.Document) int {
	docs := p.Catalog.Documents
	if d.Number < len(docs) && docs[d.Number] == d {
		return d.Number
	}
	for i := range p.Askings {
		if p.Askings[i].Server().Document == d {
			return p.behind + i
		}
	}
	return len(docs) + d.Number
}

// A Relation is a check's finding about several places.
type Relation struct {
	At Place
	// Start and End are byte offsets in the string at At, if there is one; both 0 mean all of it.
	Start, End int
	Related    []Place
	Message    string
	Severity   finding.Severity // None: the check's default
	// Identity identifies the finding across scans: the fingerprint depends only on it and the rule.
	Identity []string
}

// Message returns the place of v in a message of the trace, of the whole message if v is absent. item describes the
// message for readers: "tools/call fetch_page".
func (p *Pass) Message(m *trace.Message, item string, v rawjson.Value) Place {
	at := Place{
		loc:  finding.Location{Server: m.Server, Kind: finding.Message, Item: item, Pointer: v.Pointer(), Seq: m.Seq, File: p.file},
		span: finding.Span{Input: p.recorded, Start: m.Seq, End: m.Seq},
	}
	if i, ok := slices.BinarySearchFunc(p.Trace.Messages, m.Seq, func(m trace.Message, seq int) int { return m.Seq - seq }); ok && i < len(p.Trace.Lines) {
		at.loc.Line = p.Trace.Lines[i]
		if further := p.Trace.FileOf(i); further != "" { // next to the first file of the trace
			at.loc.File = p.file[:strings.LastIndexAny(p.file, `/\`)+1] + further
		}
	}
	if v.Kind() == rawjson.String {
		at.token = v.Raw()
	}
	return at
}

// Declared returns the place of a word in the boundary's file.
func (p *Pass) Declared(n trust.Name) Place {
	return Place{
		loc:  finding.Location{File: p.Boundary.File, Line: n.Line, Column: n.Column},
		span: finding.Span{Input: p.recorded, Start: -1, End: -1},
	}
}

// Note adds a sentence to the check's line in the ledger.
func (p *Pass) Note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// Withhold records that n findings were omitted because of a limit, which makes the run incomplete.
func (p *Pass) Withhold(n int, limit string) {
	if n > 0 {
		p.withheld += n
		p.Limited("up to %d findings were omitted: %s", n, limit)
	}
}

// Limited records that a limit kept the check from examining everything.
func (p *Pass) Limited(format string, args ...any) {
	p.res.Problems = append(p.res.Problems, finding.Problem{Kind: finding.Limit, Input: -1,
		Message: string(p.check.ID) + ": " + fmt.Sprintf(format, args...)})
}

// Failed records that something at a place could not be judged: the run is incomplete but continues.
func (p *Pass) Failed(at Place, what string) {
	p.res.Problems = append(p.res.Problems, finding.Problem{Kind: finding.Failed, Message: what, Location: at.loc, Input: at.span.Input, Order: at.span.Start})
}

// Unread records that a limit kept something at a place from being read, which makes the run incomplete.
func (p *Pass) Unread(at Place, what string) {
	p.res.Problems = append(p.res.Problems, finding.Problem{Kind: finding.Limit, Message: what, Location: at.loc, Input: at.span.Input, Order: at.span.Start})
}

// Looked adds n to the number of definitions examined by the check.
func (p *Pass) Looked(n int) { p.items += n }

// Report records a finding.
func (p *Pass) Report(r Relation) {
	k := p.check
	f := finding.Finding{
		Rule: k.ID, Name: k.Name, Severity: k.Severity, Message: r.Message, Advice: k.Advice,
		Location: r.At.loc, Taxonomy: taxonomy.Of(k.Taxonomy),
		Fingerprint: finding.Fingerprint(append([]string{string(k.ID)}, r.Identity...)...),
		Input:       r.At.span.Input, Order: r.At.span.Start, OrderEnd: r.At.span.End,
	}
	if r.Severity != finding.None {
		f.Severity = r.Severity
	}
	if tok := r.At.token; tok != "" {
		whole := rawjson.Unquote(tok)
		if r.Start == 0 && r.End == 0 {
			r.End = len(whole)
		}
		r.End = clipAt(whole, r.Start, min(r.End, r.Start+maxEvidence))
		f.Evidence = finding.Evidence{Raw: whole[r.Start:r.End], Start: r.Start, End: r.End, Before: excerpt.Tail(whole[:r.Start], maxContext), After: excerpt.Head(whole[r.End:], maxContext)}
		if r.At.loc.Seq == 0 { // a trace is ordered by message
			f.Order, f.OrderEnd = f.Order+rawjson.RawOffset(tok, r.Start), f.Order+rawjson.RawOffset(tok, r.End)
		}
	}
	for _, at := range r.Related {
		f.Related = append(f.Related, at.loc)
		f.RelatedSpans = append(f.RelatedSpans, at.span)
	}
	f.Content = p.content(r)
	p.reports++
	p.res.Findings = append(p.res.Findings, f)
}

// content combines the content hashes of the definitions that r is about. A definition counts once, however many of its parts r names.
func (p *Pass) content(r Relation) string {
	type of struct {
		server *catalog.Server
		item   *catalog.Item
	}
	seen := map[of]bool{}
	var hashes []string
	for _, at := range append([]Place{r.At}, r.Related...) {
		if k := (of{at.server, at.item}); !seen[k] {
			seen[k] = true
			hashes = append(hashes, p.contentOf(at, r.Identity))
		}
	}
	return finding.JoinContent(hashes...)
}

// contentOf hashes the definition at a place. For a whole server the finding's identity is hashed instead: the names of
// the servers it is about.
func (p *Pass) contentOf(at Place, identity []string) string {
	if at.item == nil {
		return finding.ContentHash(strings.Join(identity, "\x00"))
	}
	h, ok := p.contents[at.item]
	if !ok {
		h = finding.ContentHash(at.item.Parse(at.server, &p.tree).Canonical())
		p.contents[at.item] = h
	}
	return h
}

// Identity names a server across scans: "" if it does not name itself, since a file name or list position does not identify it.
func Identity(s *catalog.Server) string {
	if s.Anonymous {
		return ""
	}
	return s.Name
}

// runPass runs a check over everything and returns its line of the ledger. If it panics, earlier reports are kept.
func runPass(k *Check, c *catalog.Catalog, opt Options, sh *shared, res *Result) (ledger result.CheckCoverage) {
	p := &Pass{Catalog: c, check: k, res: res, shared: sh, contents: map[*catalog.Item]string{}}
	if k.Needs&Baseline != 0 {
		p.Baseline = opt.Baseline
	}
	if k.Needs&Askings != 0 {
		p.Askings, p.behind = opt.Askings, len(c.Documents)
		if opt.Baseline != nil {
			p.behind += len(opt.Baseline.Documents)
		}
	}
	if k.Needs&(Trace|Observed) != 0 {
		p.Trace, p.Boundary, p.Floods, p.file, p.recorded = opt.Trace.Trace, opt.Trace.Boundary, opt.Trace.Floods, opt.Trace.File, opt.Trace.Number
	}
	if k.Needs&Sources != 0 {
		p.Source = opt.Source
	}
	if k.Needs&Probes != 0 {
		p.Probes = opt.Probes
	}
	if k.Needs&Package != 0 {
		p.Package = opt.Package
	}
	ledger = result.CheckCoverage{Rule: k.ID, Name: k.Name, State: "ran"}
	defer func() {
		if e := recover(); e != nil {
			ledger.State, ledger.Reason = "failed", "panicked; see the problems"
			res.Problems = append(res.Problems, finding.Problem{Kind: finding.Failed, Message: fmt.Sprintf("check %s failed: %v", k.ID, e), Input: -1})
		}
		ledger.Items, ledger.Findings, ledger.Withheld = p.items, p.reports, p.withheld
		if ledger.State == "ran" {
			ledger.Reason = strings.Join(p.notes, "; ")
		}
		if k.Needs&(Trace|Observed) != 0 {
			ledger.Of = result.OfTrace
		}
		if k.Needs&Sources != 0 {
			ledger.Of = result.OfSource
		}
		if k.Needs&Probes != 0 {
			ledger.Of = result.OfProbes
		}
		if k.Needs&Package != 0 {
			ledger.Of = result.OfPackage
		}
	}()
	k.Run(p)
	return ledger
}
