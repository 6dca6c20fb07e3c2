package report

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"gauntlet/capability"
	"gauntlet/finding"
	"gauntlet/trace"
)

// The variables that the tests in a browser need: a Chromium, and a folder in which npm installed
// axe-core. Without the first they are skipped.
const (
	envBrowser = "GAUNTLET_BROWSER"
	envAxe     = "GAUNTLET_AXE"
)

// markup is what a page runs if any text of a server becomes markup or script.
const markup = `</script><script>window.owned=1</script><img src="https://evil.example/x" onerror="window.owned=1"><svg onload=window.owned=1>{{.}}" onclick="window.owned=1" x='`

// pages are reports of every kind, with hostile text where a server can put it.
func pages(t *testing.T) map[string]string {
	t.Helper()
	r := full()
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Message += markup
		f.Location.Server += markup
		f.Location.Item += markup
		f.Evidence.Raw += markup
	}
	path := &r.Findings[0]
	path.Rule, path.Related = "SEC-035", []finding.Location{{Server: markup, Kind: finding.Tool, Item: markup}}
	gate := &Gate{FailOn: finding.High}
	conversation := &trace.Trace{Messages: []trace.Message{
		{Seq: 1, Server: markup, Direction: trace.ToServer, Kind: trace.Request, ID: "1", Method: "tools/call", Raw: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":` + string(mustJSON(markup)) + `}}`},
		{Seq: 7, Server: markup, Direction: trace.ToClient, Kind: trace.Response, ID: "1", Method: "tools/call", ReplyTo: 1, Raw: `{"jsonrpc":"2.0","id":1,"result":{}}`},
	}}
	labels := []capability.Server{
		{Name: markup, Capabilities: []capability.Tag{capability.Exec, capability.FSRead}, Tools: []capability.Tool{{Name: markup, Capabilities: []capability.Label{{Tag: capability.Exec, Confidence: capability.High}}}}},
		{Name: markup},
	}
	attacks := suite()
	attacks.Attacks[0].Name += markup
	out := map[string]string{
		"full":    render(t, "html", r, Options{Gate: gate, Capabilities: labels, Traces: []Conversation{{File: "run 1.ndjson", Trace: conversation}}}),
		"clean":   render(t, "html", clean(), Options{Gate: gate}),
		"attacks": render(t, "html", attacks, Options{Gate: gate}),
		"many":    render(t, "html", big(10_000), Options{Gate: gate}),
	}
	var page strings.Builder
	if err := WriteLabels(&page, "html", append(labels, hostileLabels()), capability.Medium, []string{markup}, Options{}); err != nil {
		t.Fatal(err)
	}
	out["labels"] = page.String()
	d := diffOf(t, `{"tools":[{"name":"a","description":"Adds numbers."},{"name":"gone"}]}`, `{"tools":[{"name":"a","description":`+string(mustJSON("Adds numbers. "+markup))+`},{"name":"b"}]}`)
	var b strings.Builder
	if f, err := DiffFormats().Lookup("html"); err != nil || f.Write(&b, d, Options{}) != nil {
		t.Fatalf("the diff: %v", err)
	}
	out["diff"] = b.String()
	hostile := someRedTeam()
	hostile.Models[0].Model += markup
	hostile.Models[0].Scenarios[0].Name += markup
	hostile.Models[0].Scenarios[1].Outcomes[0].Reason += markup
	hostile.Models[0].ByTechnique[0].Name += markup
	out["redteam"] = redTeamText(t, "html", hostile)
	return out
}

// hostileLabels has hostile text everywhere that a page of labels shows any.
func hostileLabels() capability.Server {
	return capability.Server{Name: markup, Warnings: []string{"source: " + markup},
		Combinations: []capability.Combination{{Tags: []capability.Tag{capability.FSRead, capability.NetEgress}, Tools: []string{markup}, Rationale: "exfil_pair", Scope: capability.WithinTool, Confidence: capability.High}},
		Tools: []capability.Tool{{Name: markup, Warnings: []string{markup}, Capabilities: []capability.Label{{Tag: capability.FSRead, Confidence: capability.High, Evidence: []string{markup}}},
			Roles: map[string]capability.RoleLabel{markup: {Role: capability.Path, Confidence: capability.High, Evidence: []string{markup}}, "n": {Role: capability.Text}}}}}
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// A browser is one Chromium; watched holds what pages did that they must not.
type browser struct {
	context.Context
	mu      sync.Mutex
	watched []string
}

func openBrowser(t *testing.T) *browser {
	t.Helper()
	program := os.Getenv(envBrowser)
	if program == "" {
		t.Skipf("%s names no browser", envBrowser)
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(2*time.Minute))
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{Context: ctx}
	chromedp.ListenTarget(ctx, b.watch)
	if err := chromedp.Run(ctx, network.Enable(), log.Enable(), runtime.Enable()); err != nil {
		t.Skipf("the browser does not start: %v", err)
	}
	return b
}

// watch takes note of every request but that of the page itself, and of every error.
func (b *browser) watch(event any) {
	note := func(format string, args ...any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.watched = append(b.watched, fmt.Sprintf(format, args...))
	}
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "file://") || !strings.HasSuffix(strings.SplitN(e.Request.URL, "#", 2)[0], ".html") {
			note("request %s", e.Request.URL)
		}
	case *runtime.EventExceptionThrown:
		note("exception %s", e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		note("console %s", e.Type)
	case *log.EventEntryAdded:
		note("log %s: %s", e.Entry.Level, e.Entry.Text)
	}
}

func (b *browser) run(t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(b.Context, actions...); err != nil {
		t.Fatal(err)
	}
}

// ask evaluates an expression on the page.
func ask[T any](t *testing.T, b *browser, expression string) (v T) {
	t.Helper()
	b.run(t, chromedp.Evaluate(expression, &v))
	return v
}

// TestPagesInABrowser opens every kind of page: nothing is asked for, no error is logged, hostile
// text runs nothing, and axe-core has no complaint in either colour scheme.
func TestPagesInABrowser(t *testing.T) {
	b := openBrowser(t)
	axe := ""
	if dir := os.Getenv(envAxe); dir != "" {
		text, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
		if err != nil {
			t.Fatal(err)
		}
		axe = string(text)
	}
	dir := t.TempDir()
	for name, text := range pages(t) {
		file := filepath.Join(dir, name+".html")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		address := (&url.URL{Scheme: "file", Path: file}).String()
		b.run(t, chromedp.Navigate(address))
		if got := ask[string](t, b, "typeof window.owned + document.querySelectorAll('img, svg[onload], [onclick]').length"); got != "undefined0" {
			t.Errorf("%s: hostile text became markup: %s", name, got)
		}
		if axe == "" {
			continue
		}
		for _, scheme := range []string{"light", "dark"} {
			b.run(t, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
			if name == "many" { // its findings are those of the others
				continue
			}
			b.run(t, chromedp.Evaluate(axe+";0", nil))
			b.run(t, chromedp.Evaluate(`for (const d of document.querySelectorAll("details")) d.open = true; 0`, nil))
			var complaints string
			b.run(t, chromedp.Evaluate(`axe.run().then(r => r.violations.map(v => v.id + ": " + v.help + " " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(" | ")).join("\n"))`, &complaints,
				func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
			if complaints != "" {
				t.Errorf("%s in %s colours:\n%s", name, scheme, complaints)
			}
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, what := range b.watched {
		t.Errorf("a page did what it must not: %s", what)
	}
}

// TestFiltersInABrowser filters, opens and follows a link on a page of ten thousand findings.
func TestFiltersInABrowser(t *testing.T) {
	b := openBrowser(t)
	r := big(10_000)
	for i := range r.Findings {
		r.Findings[i].Severity = finding.Low
		r.Findings[i].Fingerprint = fmt.Sprint("n", i)
	}
	r.Findings[4321].Message = "the needle in the stack"
	r.Findings[4321].Severity = finding.Medium
	file := filepath.Join(t.TempDir(), "many.html")
	if err := os.WriteFile(file, []byte(render(t, "html", r, Options{})), 0o600); err != nil {
		t.Fatal(err)
	}
	address := (&url.URL{Scheme: "file", Path: file}).String()
	b.run(t, chromedp.Navigate(address))
	t.Logf("%d bytes, opened in %.0f ms", must(os.Stat(file)).Size(), ask[float64](t, b, "performance.getEntriesByType('navigation')[0].loadEventEnd"))
	const shown, status = "document.querySelectorAll('#findings-list > li').length", "document.getElementById('shown').textContent"
	if n := ask[int](t, b, shown); n != findingsAtOnce {
		t.Errorf("%d findings are laid out at first, want %d", n, findingsAtOnce)
	}
	search := func(words string) string {
		spent := ask[float64](t, b, fmt.Sprintf("(() => { const at = performance.now(), s = document.getElementById('search'); s.value = %s; s.dispatchEvent(new Event('input', {bubbles: true})); return performance.now() - at })()", mustJSON(words)))
		t.Logf("searched %q in %.0f ms", words, spent)
		return ask[string](t, b, status)
	}
	if got := search("needle stack"); got != "1 of 10000 findings match; 1 are shown." {
		t.Errorf("a search says %q", got)
	}
	if got := search(""); got != "10000 of 10000 findings match; 200 are shown." {
		t.Errorf("no search says %q", got)
	}
	if got := ask[string](t, b, "(() => { const at = performance.now(); document.querySelector('input[value=low]').click(); return "+status+" })()"); got != "1 of 10000 findings match; 1 are shown." {
		t.Errorf("without low findings the page says %q", got)
	}
	b.run(t, chromedp.Evaluate("document.getElementById('expand').click()", nil))
	if !ask[bool](t, b, "document.querySelector('#findings-list details').open") {
		t.Error("Open all opens nothing")
	}
	// A link to a finding that is filtered out and beyond the first page.
	b.run(t, chromedp.Navigate(address+"#f-n9000"), chromedp.Reload())
	if !ask[bool](t, b, "document.querySelector('#f-n9000 details').open") {
		t.Error("the finding that the address names is not open")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestPagesForAValidator writes the pages where a validator is to read them.
func TestPagesForAValidator(t *testing.T) {
	dir := os.Getenv("GAUNTLET_PAGES")
	if dir == "" {
		t.Skip("GAUNTLET_PAGES names no folder for pages")
	}
	for name, text := range pages(t) {
		if name == "many" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if len(text) > 400_000 {
			t.Errorf("%s has %d bytes, want an ordinary page below 400 kB", name, len(text))
		}
	}
}
