package check

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/leaf/clause"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
	"gauntlet/result"
	"gauntlet/trace"
	"gauntlet/trust"
)

// A Visitor sees every item once, in document order within each worker. Fork makes one for another goroutine, and Join
// merges it back, in item order.
type Visitor interface {
	Visit(s *catalog.Server, it *catalog.Item, v rawjson.Value)
	Fork() Visitor
	Join(Visitor)
}

// Options are what Run may be told.
type Options struct {
	// Visitor sees every item besides the checks, so that a million tools are parsed once; nil for none.
	Visitor Visitor
	// PerItem limits the findings of a check per definition, 0 for DefaultPerItem. The rest are counted in the ledger.
	PerItem int
	// Baseline is what the user approved earlier; nil for none.
	Baseline *catalog.Catalog
	// Together are the groups of servers that one agent sees together: checks of several servers compare them within
	// each group. Nil means a single group.
	Together [][]*catalog.Server
	// Leave selects the items that checks of single definitions skip, although the Visitor sees them; nil for none. It
	// is called concurrently.
	Leave func(*catalog.Item) bool
	// Askings are what servers of the catalog said at other times.
	Askings []Asking
	// Trace is a recorded conversation with what was declared about it.
	Trace Recording
	// Source is what a server's source says; zero for none.
	Source SourceTree
	// Probes are the results of probing the only server of the catalog; nil for none.
	Probes *probe.Evidence
	// Package is what is known of a package before it runs; nil for none.
	Package *PackageFacts
}

// A Recording is a trace to judge. The zero Recording means none.
type Recording struct {
	*trace.Trace
	File     string // path as given by the user
	Live     bool   // holds what a sandbox saw in this run instead of a conversation
	Boundary trust.Boundary
	Number   int      // document number in the scan: see finding.Finding.Input
	Floods   []string // sentences about servers that flooded their client
}

// LexiconVersion is the version of the word lists and patterns of checks: only it can make reports of one program version differ.
const LexiconVersion = clause.LexiconVersion

// DefaultPerItem keeps a hostile definition from filling a report.
const DefaultPerItem = 20

// A Result is what checks found and examined.
type Result struct {
	Findings []finding.Finding // sorted by finding.Compare
	Problems []finding.Problem
	Checks   []result.CheckCoverage
	Skipped  []result.Skip
	Fields   []result.FieldCoverage
	Items    int
	Strings  int
}

// chunk is the number of items that a worker takes at a time: enough to make scheduling cheap, few enough to keep all
// cores busy until the end.
const chunk = 64

// Run runs checks over everything in c. The result does not depend on the number of goroutines. It panics on checks
// that Validate rejects.
func Run(c *catalog.Catalog, checks []*Check, opt Options) *Result {
	if err := Validate(checks); err != nil {
		panic(err)
	}
	if opt.PerItem == 0 {
		opt.PerItem = DefaultPerItem
	}
	r := &run{opt: opt, names: map[*catalog.Server]*names{}}
	for _, s := range c.Servers {
		r.names[s] = &names{server: s}
		for it := range s.Items() {
			r.items = append(r.items, located{s, it})
		}
	}
	res := &Result{Items: len(r.items)}
	have := r.have(c)
	var passes []*Check
	for _, k := range checks {
		if missing := k.Needs &^ have; missing != 0 {
			res.Skipped = append(res.Skipped, result.Skip{Rule: k.ID, Name: k.Name, Needs: missing.String()})
			res.Checks = append(res.Checks, result.CheckCoverage{Rule: k.ID, Name: k.Name, State: "skipped", Reason: "needs " + missing.String()})
			continue
		}
		if k.Run != nil {
			passes = append(passes, k)
			continue
		}
		r.ledger = append(r.ledger, result.CheckCoverage{Rule: k.ID, Name: k.Name, State: "ran"})
		r.checks = append(r.checks, k)
	}
	r.broken = make([]int, len(r.checks))
	r.eachChunk(res)
	sh := &shared{together: opt.Together, values: map[any]any{}}
	for _, k := range passes {
		if k.Needs&Servers != 0 && opt.Together != nil {
			runTogether(k, c, opt, sh, res)
			continue
		}
		res.Checks = append(res.Checks, runPass(k, c, opt, sh, res))
	}
	slices.SortStableFunc(res.Findings, finding.Compare)
	distinguish(res.Findings)
	for _, l := range r.ledger {
		if l.Withheld > 0 {
			res.Problems = append(res.Problems, finding.Problem{Kind: finding.Limit, Input: -1,
				Message: fmt.Sprintf("%s: %d findings were omitted: at most %d per definition are reported", l.Rule, l.Withheld, opt.PerItem)})
		}
	}
	res.Checks = append(res.Checks, r.ledger...)
	slices.SortFunc(res.Checks, func(a, b result.CheckCoverage) int { return strings.Compare(string(a.Rule), string(b.Rule)) })
	return res
}

// distinguish gives findings that would share a fingerprint, such as the same words twice in one place or two equal
// definitions, different ones by their order.
func distinguish(fs []finding.Finding) {
	seen := make(map[string]int, len(fs))
	for i := range fs {
		f := fs[i].Fingerprint
		if n := seen[f]; n > 0 {
			fs[i].Fingerprint = finding.Fingerprint(f, strconv.Itoa(n))
		}
		seen[f]++
	}
}

type located struct {
	server *catalog.Server
	item   *catalog.Item
}

type run struct {
	opt    Options
	checks []*Check
	ledger []result.CheckCoverage // of checks, in order
	broken []int                  // per check, the items on which it panicked
	items  []located
	names  map[*catalog.Server]*names
}

func (r *run) have(c *catalog.Catalog) Evidence {
	var e Evidence
	if len(r.items) > 0 {
		e |= Definitions
	}
	if r.opt.Together == nil && len(c.Servers) > 1 || slices.ContainsFunc(r.opt.Together, func(g []*catalog.Server) bool { return len(g) > 1 }) {
		e |= Servers
	}
	if r.opt.Baseline != nil && len(r.opt.Baseline.Servers) > 0 {
		e |= Baseline
	}
	if len(r.opt.Askings) > 0 {
		e |= Askings
	}
	if r.opt.Source.Sources != nil {
		e |= Sources
	}
	if r.opt.Probes != nil {
		e |= Probes
	}
	if r.opt.Package != nil {
		e |= Package
	}
	if t := r.opt.Trace; t.Trace != nil && !t.Live {
		e |= Trace
	}
	if t := r.opt.Trace; t.Trace != nil && (t.Live || slices.ContainsFunc(t.Messages, func(m trace.Message) bool { return m.IsProtocol("sandbox") })) {
		e |= Observed
	}
	return e
}

// eachChunk runs the checks on every item. Workers take chunks in any order and store their results under the chunk's number.
func (r *run) eachChunk(res *Result) {
	chunks := (len(r.items) + chunk - 1) / chunk
	outs := make([]output, chunks)
	workers := make([]*worker, max(1, min(runtime.GOMAXPROCS(0), chunks)))
	var next atomic.Int64
	var wg sync.WaitGroup
	for i := range workers {
		workers[i] = newWorker(r)
		wg.Go(func() { // ends when no chunks are left; Wait below waits for it
			for {
				n := int(next.Add(1)) - 1
				if n >= chunks {
					return
				}
				outs[n] = workers[i].chunk(r.items[n*chunk : min(len(r.items), (n+1)*chunk)])
			}
		})
	}
	wg.Wait()
	for i := range outs {
		res.Findings = append(res.Findings, outs[i].findings...)
		res.Problems = append(res.Problems, outs[i].problems...)
		if r.opt.Visitor != nil {
			r.opt.Visitor.Join(outs[i].visitor)
		}
	}
	var counts [sorts]count
	for _, w := range workers {
		for s := range counts {
			counts[s].strings += w.counts[s].strings
			counts[s].bytes += w.counts[s].bytes
		}
		for i := range w.ledger {
			r.ledger[i].Items += w.ledger[i].Items
			r.ledger[i].Findings += w.ledger[i].Findings
			r.ledger[i].Withheld += w.ledger[i].Withheld
			r.broken[i] += w.broken[i]
		}
	}
	for i, n := range r.broken {
		if n > 0 {
			r.ledger[i].State, r.ledger[i].Reason = "failed", fmt.Sprintf("panicked on %d definitions; see the problems", n)
		}
	}
	for s, n := range counts {
		res.Strings += n.strings
		if n.strings > 0 {
			res.Fields = append(res.Fields, result.FieldCoverage{Field: Sort(s).String(), Strings: n.strings, Bytes: n.bytes})
		}
	}
}

// output is the result of a chunk.
type output struct {
	findings []finding.Finding
	problems []finding.Problem
	visitor  Visitor
}

type count struct{ strings, bytes int }

// worker checks items one by one, reusing its memory.
type worker struct {
	run    *run
	tree   rawjson.Tree
	reader clause.Reader
	buf    []Field
	full   bool // the item has more than mostFields strings
	counts [sorts]count
	ledger []result.CheckCoverage
	broken []int
	out    output
	n      int             // findings of the current check and item
	at     int             // index of the current check
	params map[string]bool // property names of the current item
	of     *names          // of the current server
	item   *catalog.Item   // current item
	from   *catalog.Server // its server
	self   string          // the item's name
	server string          // name of the item's server
	output bool            // inside an output schema
}

func newWorker(r *run) *worker {
	w := &worker{run: r, ledger: make([]result.CheckCoverage, len(r.checks)), broken: make([]int, len(r.checks)), params: map[string]bool{}}
	w.reader.Names, w.reader.OwnHost = w.nameField, w.ownHost
	return w
}

func (w *worker) chunk(items []located) output {
	w.out = output{}
	if v := w.run.opt.Visitor; v != nil {
		w.out.visitor = v.Fork()
	}
	for _, l := range items {
		w.readItem(l.server, l.item)
	}
	return w.out
}

// readItem reads a definition and shows it to every check. A definition that breaks the reading is a Problem, and the next one is read.
func (w *worker) readItem(s *catalog.Server, ci *catalog.Item) {
	defer func() {
		if e := recover(); e != nil {
			w.out.problems = append(w.out.problems, finding.Problem{
				Kind: finding.Failed, Message: fmt.Sprintf("%s could not be read: %v", ci.Label(), e),
				Location: ci.Location(s, rawjson.Value{}, false), Input: s.Document.Number,
			})
		}
	}()
	v := ci.Parse(s, &w.tree)
	if w.out.visitor != nil {
		w.out.visitor.Visit(s, ci, v)
	}
	if leave := w.run.opt.Leave; leave != nil && leave(ci) {
		return
	}
	w.item, w.from, w.of, w.self, w.server = ci, s, w.run.names[s], ci.Name(), s.Name
	it := &Item{Item: ci, Server: s, Value: v, Fields: w.fields(ci, v), names: w.run.names[s], report: w.reportFindings}
	for i, k := range w.run.checks {
		w.at, w.n = i, 0
		w.ledger[i].Items++
		w.call(k, it)
	}
}

// call runs a check on an item. A panic means that the check has not judged the item, which is a Problem; everything else continues.
func (w *worker) call(k *Check, it *Item) {
	defer func() {
		if e := recover(); e != nil {
			w.broken[w.at]++
			w.out.problems = append(w.out.problems, finding.Problem{
				Kind: finding.Failed, Message: fmt.Sprintf("check %s failed on %s: %v", k.ID, it.Label(), e),
				Location: it.Location(it.Server, it.Value, false), Input: it.Server.Document.Number, Order: it.Value.Offset(),
			})
		}
	}()
	it.check = k
	k.RunItem(it)
}

func (w *worker) reportFindings(it *Item, r Report) {
	w.n++
	if w.n > w.run.opt.PerItem {
		w.ledger[w.at].Withheld++
		return
	}
	f := newFinding(it, r)
	w.ledger[w.at].Findings++
	w.out.findings = append(w.out.findings, f)
}

// names holds the tools of a server; it is filled on first use.
type names struct {
	server *catalog.Server
	once   sync.Once
	set    map[string]bool
}

func (n *names) hasName(name string) bool {
	n.load()
	return n.set[strings.ToLower(name)]
}

func (n *names) load() {
	n.once.Do(func() {
		n.set = make(map[string]bool, len(n.server.Tools()))
		for i := range n.server.Tools() {
			n.set[strings.ToLower(n.server.Tools()[i].Name())] = true
		}
	})
}
