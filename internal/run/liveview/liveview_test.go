package liveview

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/report"
	"gauntlet/result"
)

// writeReport writes a JSON report with one finding.
func writeJSONReport(t *testing.T, file, message string) *result.Report {
	t.Helper()
	r := &result.Report{SchemaVersion: result.SchemaVersion, Summary: result.Summary{Complete: true}, Findings: []finding.Finding{
		{Rule: "SEC-001", Name: "n", Severity: finding.High, Message: message, Fingerprint: "f1", Location: finding.Location{Server: "s", Kind: finding.Tool, Item: "t"}},
	}}
	r.Count()
	format, err := report.Formats().Lookup("json")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := format.Write(&b, r, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

// serve starts a server of files without its clock: the test says when it looks.
func serve(t *testing.T, files ...string) (*Server, string) {
	t.Helper()
	s, err := New(files)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewUnstartedServer(nil)
	web.Config.Handler = s.handler(web.Listener.Addr().String())
	web.Start()
	t.Cleanup(web.Close)
	return s, s.Address(web.Listener)
}

func get(t *testing.T, address string) (int, string) {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// The page of a JSON report is what --format html makes of the same report.
func TestPageOfAReportIsTheFormat(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	r := writeJSONReport(t, file, "zq7marker")
	format, err := report.Formats().Lookup("html")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := format.Write(&want, r, report.Options{}); err != nil {
		t.Fatal(err)
	}
	_, address := serve(t, file)
	if _, got := get(t, address+"page/0"); got != want.String() {
		t.Errorf("the page differs from the format:\n%.2000s", got)
	}
}

// Nobody sees anything without the token, by another name of this machine, or by another method.
func TestStrangersSeeNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	writeJSONReport(t, file, "zq7marker")
	_, address := serve(t, file)
	root := address[:strings.LastIndex(strings.TrimSuffix(address, "/"), "/")]
	for _, path := range []string{"/", "/page/0", "/00000000000000000000000000000000/page/0", "/events"} {
		if code, body := get(t, root+path); code != http.StatusNotFound || strings.Contains(body, "zq7marker") {
			t.Errorf("%s: status %d, body %.80q, want 404", path, code, body)
		}
	}
	for name, change := range map[string]func(*http.Request){
		"another host":   func(r *http.Request) { r.Host = "evil.example" },
		"another method": func(r *http.Request) { r.Method = http.MethodPost },
	} {
		r, err := http.NewRequest(http.MethodGet, address+"page/0", nil)
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode < 400 || strings.Contains(string(body), "zq7marker") {
			t.Errorf("%s: status %d, body %.80q", name, resp.StatusCode, body)
		}
	}
	for _, path := range []string{"page/1", "page/-1", "page/x", "page/../events/x", "other"} {
		if code, _ := get(t, address+path); code != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", path, code)
		}
	}
}

// What a page is shown in keeps it from other pages and from the token: a sandbox, and an address that is good for it alone.
func TestAPageSeesItselfAlone(t *testing.T) {
	own, other := filepath.Join(t.TempDir(), "own.json"), filepath.Join(t.TempDir(), "other.json")
	writeJSONReport(t, own, "marker-own")
	writeJSONReport(t, other, "marker-other")
	s, address := serve(t, own, other)
	root := address[:strings.LastIndex(strings.TrimSuffix(address, "/"), "/")]
	_, frame := get(t, address)
	if !strings.Contains(frame, `<iframe title="report" sandbox="allow-scripts" referrerpolicy="no-referrer" src="../page/`+s.pageKey(0)+`">`) || strings.Contains(frame, s.token) {
		t.Errorf("the frame is %s", frame)
	}
	for i, want := range []string{"marker-own", "marker-other"} {
		resp, err := http.Get(root + "/page/" + s.pageKey(i))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if policy := resp.Header.Get("Content-Security-Policy"); !strings.Contains(string(body), want) || strings.Contains(string(body), s.token) || !strings.HasPrefix(policy, "sandbox allow-scripts; default-src 'none'") {
			t.Errorf("page %d: policy %q, body %.300s", i, policy, body)
		}
	}
	for _, path := range []string{"/" + s.pageKey(0) + "/", "/" + s.pageKey(0) + "/page/1", "/page/" + s.pageKey(0) + "/", "/page/" + s.pageKey(2), "/page/", "/page/0"} {
		if code, body := get(t, root+path); code != http.StatusNotFound || strings.Contains(body, "marker") {
			t.Errorf("%s: status %d, body %.80q", path, code, body)
		}
	}
}

// A viewer is told of a file that appears, grows, is begun anew and goes.
func TestViewersFollowAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	s, address := serve(t, file)
	if _, got := get(t, address+"page/0"); !strings.Contains(got, "Nothing to show yet") || !strings.Contains(got, "no such file") {
		t.Errorf("of a file that is not there the page says %.300q", got)
	}
	resp, err := http.Get(address + "events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	events := bufio.NewScanner(resp.Body)
	next := func() string {
		for events.Scan() {
			if line := events.Text(); line != "" {
				return line
			}
		}
		t.Fatal("the events end")
		return ""
	}
	if got := next(); got != ": watching" {
		t.Fatalf("first line %q", got)
	}
	s.look() // nothing has changed, so nothing is told: the next line is of the first change
	for _, step := range []struct {
		name, shows string
		change      func()
	}{
		{"it appears", "first finding", func() { writeJSONReport(t, file, "first finding") }},
		{"it is begun anew", "the second, longer finding", func() { writeJSONReport(t, file, "the second, longer finding") }},
		{"it goes", "no such file", func() { _ = os.Remove(file) }},
	} {
		step.change()
		s.look()
		if got := next(); got != "data: 0" {
			t.Errorf("%s: told %q", step.name, got)
		}
		if _, got := get(t, address+"page/0"); !strings.Contains(got, step.shows) {
			t.Errorf("%s: the page does not say %q: %.400s", step.name, step.shows, got)
		}
	}
}

// What is nothing of ours is named as that, and a page is shown as it is, unable to ask anywhere.
func TestOtherFiles(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct{ text, want string }{
		"empty":     {"", "it is empty"},
		"text":      {"hello\nworld\n", "not a trace"},
		"version 2": {`{"schema_version":"2.0","findings":[]}`, "want 1"},
		"object":    {`{"schema_version":"1.0"}`, errUnknown.Error()},
		"page":      {"<!DOCTYPE html>\n<p>kept</p>", "<p>kept</p>"},
		"diff":      {`{"schema_version":"1.0","summary":{"changed":1,"complete":true},"servers":[{"name":"zq7","state":"changed","items":[]}],"problems":[]}`, "zq7"},
		"red team":  {`{"schema_version":"1.0","about":"zq7","models":[{"model":"<script>1","scenarios":[]}]}`, "zq7"},
		"hostile":   {`{"schema_version":"1.0","findings":[{"rule_id":"x\"><script>1</script>","severity":"high","message":"m","fingerprint":"\"><b>"}]}`, "&lt;script&gt;"},
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, address := serve(t, file)
		_, got := get(t, address+"page/0")
		if !strings.Contains(got, tt.want) || strings.Contains(got, "<script>1") {
			t.Errorf("%s: no %q in %.600s", name, tt.want, got)
		}
	}
}

// Run ends with its context, and leaves nothing behind that answers.
func TestRunEnds(t *testing.T) {
	s, err := New([]string{filepath.Join(t.TempDir(), "none.json")})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := s.Address(l)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, l) }() // ends with ctx
	if code, body := get(t, address); code != http.StatusOK || !strings.Contains(body, "none.json") {
		t.Errorf("the frame: status %d, %.200s", code, body)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run ends with %v", err)
	}
	if resp, err := http.Get(address); err == nil {
		_ = resp.Body.Close()
		t.Error("it still answers")
	}
}

// End waits until who watches has the last page, and no longer.
func TestEndWaitsForThoseWhoWatch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	address := ""
	b := &Recorder{File: file, View: true, Say: func(_ string, args ...any) { address = args[0].(string) }}
	if err := b.show(); err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(address + "events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	events := bufio.NewScanner(resp.Body)
	for events.Scan() && events.Text() != ": watching" {
	}
	writeJSONReport(t, file, "the last word")
	last := b.view.tellLast()
	select {
	case <-last:
		t.Fatal("nobody has got the last page yet")
	default:
	}
	for events.Scan() && events.Text() != "data: 0" {
	}
	if _, page := get(t, address+"page/0"); !strings.Contains(page, "the last word") {
		t.Errorf("the last page is %.300s", page)
	}
	<-last
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	b.End(interrupted, nil) // which waits for nobody
	if resp, err := http.Get(address); err == nil {
		_ = resp.Body.Close()
		t.Error("it still answers")
	}
}
