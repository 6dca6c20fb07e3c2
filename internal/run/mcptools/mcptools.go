// Package mcptools is gauntlet as an MCP server, which an agent asks about a server before adding it.
//
// Strangers' text is shortened, escaped (control and invisible characters) and quoted in answers, so that it cannot give orders to
// the agent. Answers are bounded. Nothing is started outside a sandbox, whatever the agent says.
package mcptools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/catalog"
	"gauntlet/diff"
	"gauntlet/finding"
	"gauntlet/internal/engine/scanner"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/run/checkdoc"
	"gauntlet/internal/run/interrupt"
	"gauntlet/result"
)

// Options configure the server.
type Options struct {
	Version string
	// Vet vets one package in a sandbox; depth is one of gauntlet vet's or "".
	Vet func(ctx context.Context, target, depth string) (*result.Report, error)
}

// Limits on input and output.
const (
	maxDefinitions = 4 << 20 // bytes of a submitted snapshot
	maxFindings    = 40
	maxItems       = 100
	maxText        = 300 // bytes of one quoted text
	maxLine        = 16 << 20
	maxWaiting     = 8 // waiting packages, beside the one being vetted
)

// Serve serves one client over two streams until it leaves or ctx ends.
func Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser, opt Options) error {
	err := newServer(opt).Run(ctx, &mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: maxLine})
	if ctx.Err() != nil {
		return interrupt.Err
	}
	return err
}

func newServer(opt Options) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "gauntlet", Version: opt.Version}, nil)
	local, open, no := true, true, false
	reads := &mcp.ToolAnnotations{ReadOnlyHint: local, OpenWorldHint: &no}
	t := &tools{opt: opt, vetting: make(chan struct{}, 1)}
	mcp.AddTool(s, &mcp.Tool{Name: "vet", Description: "Looks at a published package of an MCP server before it is installed and returns a verdict with reasons. The package is loaded from its registry without install scripts and started in a sandbox only.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &open}}, t.vet)
	mcp.AddTool(s, &mcp.Tool{Name: "scan", Description: "Reads the definitions of an MCP server, handed over as JSON, and returns what the checks find in them. Nothing is started.", Annotations: reads}, t.scan)
	mcp.AddTool(s, &mcp.Tool{Name: "explain", Description: "Returns the documentation of one check by its id or name.", Annotations: reads}, t.explain)
	mcp.AddTool(s, &mcp.Tool{Name: "diff", Description: "Compares two states of the definitions of an MCP server, handed over as JSON, and returns what was added, changed and removed.", Annotations: reads}, t.diff)
	return s
}

// tools answers calls. One package is vetted at a time, whatever the client sends.
type tools struct {
	opt     Options
	vetting chan struct{} // holds one element while a package is vetted
	asked   atomic.Int32  // calls vetting or waiting
}

// VetInput names a package.
type VetInput struct {
	Package string `json:"package" jsonschema:"npm:NAME@VERSION, pypi:NAME==VERSION, go:MODULE@VERSION, registry:NAME or oci:IMAGE"`
	Depth   string `json:"depth,omitempty" jsonschema:"how far to go: definitions, source or behaviour; as far as possible where it is left out"`
}

// A Found is one finding. Strangers' texts are escaped and shortened.
type Found struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Where    string `json:"where"`
	Message  string `json:"message"`
	Advice   string `json:"advice"`
}

// Findings are what checks found.
type Findings struct {
	Findings []Found  `json:"findings"`
	Omitted  int      `json:"omitted" jsonschema:"findings that are left out, the least severe"`
	Problems []string `json:"problems" jsonschema:"what could not be read or judged"`
	Complete bool     `json:"complete"`
}

// VetOutput is the result of vetting a package.
type VetOutput struct {
	Verdict string   `json:"verdict" jsonschema:"refuse, review, accept or unknown"`
	Depth   string   `json:"depth"`
	Reasons []string `json:"reasons"`
	Steps   []string `json:"steps"`
	Found   Findings `json:"found"`
}

// packageKinds are the targets an agent may name: published packages, nothing local.
var packageKinds = []string{"npm:", "pypi:", "go:", "registry:", "oci:"}

func (t *tools) vet(ctx context.Context, _ *mcp.CallToolRequest, in VetInput) (*mcp.CallToolResult, VetOutput, error) {
	if !slices.ContainsFunc(packageKinds, func(k string) bool { return strings.HasPrefix(in.Package, k) }) || len(in.Package) > maxText {
		return nil, VetOutput{}, errors.New("want a published package: npm:, pypi:, go:, registry: or oci: and its name; files, repositories and addresses are vetted by their user alone, with gauntlet vet")
	}
	defer t.asked.Add(-1)
	if t.asked.Add(1) > maxWaiting+1 {
		return nil, VetOutput{}, fmt.Errorf("%d packages are waiting to be vetted: ask again later", maxWaiting)
	}
	select {
	case t.vetting <- struct{}{}:
		defer func() { <-t.vetting }()
	case <-ctx.Done():
		return nil, VetOutput{}, ctx.Err()
	}
	r, err := t.opt.Vet(ctx, in.Package, in.Depth)
	if err != nil {
		return nil, VetOutput{}, errors.New(safe(err.Error()))
	}
	out := VetOutput{Reasons: []string{}, Steps: []string{}, Found: findingsOf(r)}
	for i := range r.Vetted {
		v := &r.Vetted[i]
		out.Verdict, out.Depth = string(v.Verdict), v.Depth
		for _, why := range v.Reasons {
			out.Reasons = append(out.Reasons, safe(why))
		}
		for _, s := range v.Steps {
			out.Steps = append(out.Steps, safe(s.Name+" "+s.State+": "+s.Detail))
		}
	}
	return nil, out, nil
}

// ScanInput holds definitions.
type ScanInput struct {
	Definitions string `json:"definitions" jsonschema:"a tools/list result, or a snapshot as gauntlet capture writes it, as JSON text"`
}

func (t *tools) scan(ctx context.Context, _ *mcp.CallToolRequest, in ScanInput) (*mcp.CallToolResult, Findings, error) {
	c, err := parse(in.Definitions)
	if err != nil {
		return nil, Findings{}, err
	}
	r, err := interrupt.Do(ctx, func() *result.Report { return scanner.Run(c, scanner.Options{Version: t.opt.Version}) })
	if err != nil {
		return nil, Findings{}, err
	}
	return nil, findingsOf(r), nil
}

// ExplainInput names a check.
type ExplainInput struct {
	Check string `json:"check" jsonschema:"the id or name of a check, such as SEC-001"`
}

// ExplainOutput is the documentation of a check.
type ExplainOutput struct {
	Text string `json:"text"`
}

func (t *tools) explain(_ context.Context, _ *mcp.CallToolRequest, in ExplainInput) (*mcp.CallToolResult, ExplainOutput, error) {
	if len(in.Check) > maxText {
		return nil, ExplainOutput{}, errors.New("no check has that name")
	}
	rules, err := checkdoc.Lookup([]string{in.Check})
	if err != nil {
		return nil, ExplainOutput{}, errors.New(safe(err.Error()))
	}
	var b strings.Builder
	if err := checkdoc.Explain(&b, rules, "text"); err != nil {
		return nil, ExplainOutput{}, err
	}
	return nil, ExplainOutput{b.String()}, nil
}

// DiffInput holds two states.
type DiffInput struct {
	Was string `json:"was" jsonschema:"the earlier definitions, as JSON text"`
	Now string `json:"now" jsonschema:"the present definitions, as JSON text"`
}

// DiffOutput is what changed.
type DiffOutput struct {
	Added   int      `json:"added"`
	Changed int      `json:"changed"`
	Removed int      `json:"removed"`
	Same    int      `json:"same"`
	Items   []string `json:"items" jsonschema:"the definitions that came, went or changed, at most 100"`
}

func (t *tools) diff(ctx context.Context, _ *mcp.CallToolRequest, in DiffInput) (*mcp.CallToolResult, DiffOutput, error) {
	was, err := parse(in.Was)
	if err != nil {
		return nil, DiffOutput{}, fmt.Errorf("was: %w", err)
	}
	now, err := parse(in.Now)
	if err != nil {
		return nil, DiffOutput{}, fmt.Errorf("now: %w", err)
	}
	d, err := interrupt.Do(ctx, func() *diff.Diff { return diff.Catalogs(was, now) })
	if err != nil {
		return nil, DiffOutput{}, err
	}
	out := DiffOutput{Added: d.Summary.Added, Changed: d.Summary.Changed, Removed: d.Summary.Removed, Same: d.Summary.Same, Items: []string{}}
	for _, s := range d.Servers {
		for _, it := range s.Items {
			if len(out.Items) < maxItems {
				out.Items = append(out.Items, fmt.Sprintf("%s %s %s", it.State, it.Kind, excerpt.Quote(it.Name, maxText)))
			}
		}
	}
	return nil, out, nil
}

func parse(text string) (*catalog.Catalog, error) {
	if len(text) > maxDefinitions {
		return nil, fmt.Errorf("it has more than %d bytes", maxDefinitions)
	}
	c, err := catalog.Parse("definitions", text, catalog.Limits{})
	if err != nil {
		return nil, errors.New(safe(err.Error()))
	}
	return c, nil
}

// safe returns a text that may quote a stranger, shortened, escaped and quoted.
func safe(text string) string { return excerpt.Quote(text, maxText) }

// findingsOf returns a report's findings, most severe first.
func findingsOf(r *result.Report) Findings {
	fs := slices.Clone(r.Findings)
	slices.SortStableFunc(fs, func(a, b finding.Finding) int { return int(b.Severity) - int(a.Severity) })
	out := Findings{Findings: []Found{}, Problems: []string{}, Complete: r.Complete()}
	for i := range fs {
		if i == maxFindings {
			out.Omitted = len(fs) - i
			break
		}
		f := &fs[i]
		where := strings.TrimSpace(f.Location.File + " " + f.Location.Server + " " + f.Location.Item + " " + f.Location.Pointer)
		out.Findings = append(out.Findings, Found{string(f.Rule), f.Severity.String(), safe(where), safe(f.Message), f.Advice})
	}
	for i := range r.Problems[:min(len(r.Problems), maxFindings)] {
		out.Problems = append(out.Problems, safe(r.Problems[i].Message))
	}
	return out
}
