package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpdom "github.com/chromedp/cdproto/dom"
	cdpnetwork "github.com/chromedp/cdproto/network"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"gauntlet/internal/run/liveview"
)

// scripted is what a page runs if a description becomes markup.
const scripted = `<script>parent.owned=1</script><img src="https://evil.example/x" onerror="parent.owned=1">`

// A waitingServer answers tools/list when it is released; each run waits anew.
type waitingServer struct {
	*httptest.Server
	asked   chan bool
	release chan string // the description of the tool
	named   string      // the name of the tool, for add
}

func newWaitingServer(t *testing.T) *waitingServer {
	s := &waitingServer{asked: make(chan bool, 9), release: make(chan string)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var q struct {
			ID     json.RawMessage
			Method string
		}
		if err != nil || json.Unmarshal(body, &q) != nil || q.Method != "tools/list" {
			r.Body = io.NopCloser(bytes.NewReader(body))
			web(w, r)
			return
		}
		s.asked <- true
		select {
		case text := <-s.release:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, strings.Replace(tools(text), `"add"`, strconv.Quote(cmp.Or(s.named, "add")), 1))
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// A heard is what a command says, with word when it first did.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
	said chan string // gets the first line
}

func (h *heard) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text.Write(b)
	if line, _, ok := strings.Cut(h.text.String(), "\n"); ok {
		select {
		case h.said <- line:
		default:
		}
	}
	return len(b), nil
}

// startView starts gauntlet view of a file, and returns its address. It ends with the test.
func startView(t *testing.T, file string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	errs := &heard{said: make(chan string, 1)}
	done := make(chan int, 1)
	go func() { // ends with ctx
		done <- Main(ctx, []string{"view", file}, Host{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: errs})
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	select {
	case line := <-errs.said:
		_, address, ok := strings.Cut(line, "open http://")
		if !ok {
			t.Fatalf("view says %q", line)
		}
		return "http://" + address
	case code := <-done:
		done <- code
		t.Fatalf("view ends with %d: %s", code, errs.text.String())
	}
	return ""
}

// startScan starts a scan of servers that tells in a file what it is at.
func startScan(t *testing.T, file string, servers ...string) (ended chan int) {
	ended = make(chan int, 1)
	go func() { // ends when the server has answered, or with the test
		ended <- Main(t.Context(), append([]string{"scan", "--quiet", "--output", os.DevNull, "--progress", file}, servers...), Host{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard})
	}()
	return ended
}

func getPage(t *testing.T, address string) string {
	t.Helper()
	resp, err := http.Get(address + "page/0")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// followEvents returns what waits until the page says something: each change is told, so the last one shows what is wanted.
func followEvents(t *testing.T, address string) func(want string) string {
	t.Helper()
	resp, err := http.Get(address + "events")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	events := bufio.NewScanner(resp.Body)
	return func(want string) string {
		t.Helper()
		for page := getPage(t, address); ; page = getPage(t, address) {
			if strings.Contains(page, want) {
				return page
			}
			for events.Scan() && !strings.HasPrefix(events.Text(), "data: ") {
			}
			if events.Err() != nil || events.Text() == "" {
				t.Fatalf("the events end before the page says %q: %.600s", want, page)
			}
		}
	}
}

// Who views a file sees the scan that writes it while it runs, its report afterwards, and the next scan.
func TestViewFollowsARun(t *testing.T) {
	server := newWaitingServer(t)
	file := filepath.Join(t.TempDir(), "report.json")
	address := startView(t, file)
	until := followEvents(t, address)
	for _, description := range []string{"Adds two numbers.", poison} {
		ended := startScan(t, file, server.URL+"/mcp")
		<-server.asked
		if page := until("Running; "); !strings.Contains(page, "gauntlet scan") || !strings.Contains(page, "there is no verdict before its end") {
			t.Errorf("while it runs the page says %.3000s", page)
		}
		server.release <- description
		code := <-ended
		want := "<h1>tiny</h1>"
		if description == poison {
			want = `data-rule="SEC-001"`
		}
		page := until(want)
		var same strings.Builder
		if err := liveview.WritePage(&same, file); err != nil || page != same.String() {
			t.Errorf("after the scan, which ended with %d, the page is not that of the file (%v)", code, err)
		}
	}
	// A run that is broken off says so.
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() { // ends with ctx
		ended <- Main(ctx, []string{"probe", "--quiet", "--progress", file, server.URL + "/mcp"}, Host{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard})
	}()
	select {
	case <-server.asked:
	case code := <-ended:
		t.Fatalf("the probe ends with %d before it asks for tools", code)
	}
	cancel()
	<-ended
	until("gauntlet probe")
	until("Ended without a report")
}

// What is found in one server is seen while others are still asked, and afterwards the page is that of the report.
func TestViewShowsFindingsBeforeTheReport(t *testing.T) {
	first, second := newWaitingServer(t), newWaitingServer(t)
	file := filepath.Join(t.TempDir(), "report.json")
	until := followEvents(t, startView(t, file))
	ended := startScan(t, file, first.URL+"/mcp", second.URL+"/mcp")
	<-first.asked
	<-second.asked
	first.release <- poison
	page := until("SEC-001")
	for _, want := range []string{"Running; ", "So far: ", "there is no verdict before its end"} {
		if !strings.Contains(page, want) {
			t.Errorf("while the second server is asked the page has no %q: %.3000s", want, page)
		}
	}
	second.release <- "Adds two numbers."
	if code := <-ended; code != 1 {
		t.Errorf("the scan ends with %d", code)
	}
	page = until(`data-rule="SEC-001"`)
	var same strings.Builder
	if err := liveview.WritePage(&same, file); err != nil || page != same.String() {
		t.Errorf("after the scan the page is not that of the file (%v)", err)
	}
}

// --view shows the run where it is made, gives who watches its report, and leaves nothing behind.
func TestViewOfARunBesideIt(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	server := newWaitingServer(t)
	errs := &heard{said: make(chan string, 1)}
	ended := make(chan int, 1)
	go func() { // ends when the server has answered
		ended <- Main(t.Context(), []string{"scan", "--quiet", "--output", os.DevNull, "--view", server.URL + "/mcp"}, Host{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: errs})
	}()
	<-server.asked
	_, rest, ok := strings.Cut(<-errs.said, "open http://127.0.0.1:")
	if !ok {
		t.Fatalf("it says %q", errs.text.String())
	}
	address := "http://127.0.0.1:" + rest
	until := followEvents(t, address)
	until("Running; ")
	server.release <- poison
	until(`data-rule="SEC-001"`)
	if code := <-ended; code != 1 {
		t.Errorf("the scan ends with %d", code)
	}
	if resp, err := http.Get(address); err == nil {
		_ = resp.Body.Close()
		t.Error("it is served after the end")
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v (%v)", left, err)
	}
}

// frameHolds reports whether a text stands in a document that is shown in a frame below a node.
func frameHolds(n *cdp.Node, words string) bool {
	if n.ContentDocument != nil && nodeHolds(n.ContentDocument, words) {
		return true
	}
	return slices.ContainsFunc(n.Children, func(c *cdp.Node) bool { return frameHolds(c, words) })
}

// nodeHolds reports whether one text node below a node holds a text.
func nodeHolds(n *cdp.Node, words string) bool {
	return strings.Contains(n.NodeValue, words) || slices.ContainsFunc(n.Children, func(c *cdp.Node) bool { return nodeHolds(c, words) })
}

// In a browser the page changes by itself, what a server says runs nothing, and nothing leaves for elsewhere.
func TestViewFollowsARunInABrowser(t *testing.T) {
	program := os.Getenv("GAUNTLET_BROWSER")
	if program == "" {
		t.Skip("GAUNTLET_BROWSER names no browser")
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-features", "site-per-process,Translate,BlinkGenPropertyTrees,IsolateSandboxedIframes"))...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, time.Minute)
	defer cancel()
	server := newWaitingServer(t)
	server.named = scripted
	file := filepath.Join(t.TempDir(), "report.json")
	address := startView(t, file)
	own, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var strayed []string
	chromedp.ListenTarget(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *cdpnetwork.EventRequestWillBeSent:
			if to, err := url.Parse(e.Request.URL); err != nil || to.Host != own.Host {
				strayed = append(strayed, "request "+e.Request.URL)
			}
		case *cdpruntime.EventExceptionThrown:
			strayed = append(strayed, "exception "+e.ExceptionDetails.Error())
		}
	})
	if err := chromedp.Run(ctx, cdpnetwork.Enable(), cdpruntime.Enable(), chromedp.Navigate(address)); err != nil {
		t.Fatal(err)
	}
	// The page in the frame is sandboxed, so that no script outside of it sees into it: the browser's own view of the document does.
	shows := func(words string) chromedp.Action {
		return chromedp.ActionFunc(func(ctx context.Context) error {
			for {
				root, err := cdpdom.GetDocument().WithDepth(-1).WithPierce(true).Do(ctx)
				if err != nil {
					return err
				}
				if frameHolds(root, words) {
					return nil
				}
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(50 * time.Millisecond):
				}
			}
		})
	}
	ended := startScan(t, file, server.URL+"/mcp")
	<-server.asked
	if err := chromedp.Run(ctx, shows("Running; ")); err != nil {
		t.Fatal(err)
	}
	server.release <- poison + scripted
	<-ended
	var owned string
	if err := chromedp.Run(ctx, shows("do not tell the user"), chromedp.Evaluate("typeof window.owned", &owned)); err != nil {
		t.Fatal(err)
	}
	if owned != "undefined" {
		t.Error("what a server says ran")
	}
	mu.Lock()
	defer mu.Unlock()
	for _, what := range strayed {
		t.Error(what)
	}
}
