package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/run/inprocess"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
)

const snapshotOf = `{"serverInfo":{"name":"%s","version":"1"},"tools":[{"name":"add","description":"%s","inputSchema":{"type":"object"}}]}`

// serveSnapshot serves a snapshot over HTTP until the test ends.
func serveSnapshot(t *testing.T, name, description string) (url string) {
	t.Helper()
	server, _, err := inprocess.NewSnapshot("s.json", fmt.Sprintf(snapshotOf, name, description), "", catalog.Limits{}, mcpserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { // ends with the test
		defer close(done)
		_ = server.HTTP(ctx, ln)
	}()
	t.Cleanup(func() { stop(); <-done })
	return "http://" + ln.Addr().String() + mcpserver.Path
}

// reader reads the given files, and nothing else.
func reader(files map[string]string, notes *[]Note) *Reader {
	return &Reader{
		Options: Options{Timeout: time.Minute, Total: 2 * time.Minute, Pages: 10, Parallel: 2, Limits: catalog.Limits{Bytes: 1 << 20, Items: 1000}},
		Version: "1", Progress: &runstate.Progress{}, Dialer: launch.Dialer{Limits: wire.Limits{Message: 1 << 20}}, Note: func(n Note) { *notes = append(*notes, n) },
		ReadFile: func(name string, _ int) (string, error) {
			text, ok := files[name]
			if !ok {
				return "", &catalog.Error{File: name, Msg: "no such file"}
			}
			return text, nil
		},
	}
}

// Every target ends as servers of the catalog or as a failure, in the order in which they were named,
// and one that fails keeps no other from being read.
func TestGather(t *testing.T) {
	var notes []Note
	r := reader(map[string]string{"a.json": fmt.Sprintf(snapshotOf, "a", "Adds."), "bad.json": "{"}, &notes)
	record := filepath.Join(t.TempDir(), "run.json")
	run, err := runstate.Create(record, "scan", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	r.Progress = runstate.StartProgress(nil, run)
	url := serveSnapshot(t, "live", "Adds.")
	targets := []Target{
		{File: "none.json"}, {File: "a.json"}, {Server: launch.Server{URL: url}, Entries: []string{"first", "second"}},
		{Server: launch.Server{Command: []string{"./nowhere"}, Env: []string{"KEY=value-of-key"}}}, {File: "bad.json"},
	}
	got, err := r.Gather(t.Context(), targets)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "a", "live", "", ""} {
		o := got.Outcomes[i]
		if failed := o.Failure != nil; failed != (want == "") || len(o.Servers) != map[bool]int{true: 0, false: 1}[failed] {
			t.Errorf("target %d: %+v", i, o)
		} else if !failed && o.Servers[0].Name != want {
			t.Errorf("target %d is %s, want %s", i, o.Servers[0].Name, want)
		}
	}
	if len(got.Failures) != 3 || got.Failures[0].Location.File != "none.json" || got.Failures[1].Location.File != "" {
		t.Errorf("failures: %+v", got.Failures)
	}
	live, file := got.Outcomes[2].Servers[0], got.Outcomes[1].Servers[0]
	if live.Target != url || !slices.Equal(live.Entries, []string{"first", "second"}) {
		t.Errorf("the live server: target %q, entries %q", live.Target, live.Entries)
	}
	if file.Target != "" || file.Entries != nil {
		t.Errorf("the file: target %q, entries %q", file.Target, file.Entries)
	}
	r.Progress.Count(0, 7)
	if text, err := os.ReadFile(record); err != nil || !strings.Contains(string(text), `"all":7`) {
		t.Errorf("the count of servers was not ended: %s, %v", text, err)
	}
}

// Nothing is read any more once the user has interrupted.
func TestGatherInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var notes []Note
	r := reader(map[string]string{"a.json": fmt.Sprintf(snapshotOf, "a", "Adds.")}, &notes)
	for _, one := range []Target{{File: "a.json"}, {Server: launch.Server{Command: []string{"./nowhere"}}}} {
		if got, err := r.Gather(ctx, []Target{one}); !errors.Is(err, interrupt.Err) || got != nil {
			t.Errorf("%+v: %v, %v", one, got, err)
		}
	}
}

// A differential asks a second time under another name, and what that client is told is kept apart
// from what we were told.
func TestGatherAsksAgain(t *testing.T) {
	var notes []Note
	r := reader(nil, &notes)
	r.Differential = true
	got, err := r.Gather(t.Context(), []Target{{Server: launch.Server{URL: serveSnapshot(t, "live", "Adds.")}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Askings) != 1 || got.Askings[0].As != otherClient().name || got.Askings[0].Self || got.Askings[0].Of != got.Catalog.Servers[0] {
		t.Errorf("askings: %+v", got.Askings)
	}
	if len(got.Catalog.Servers) != 1 {
		t.Errorf("%d servers in the catalog, want the one that was named", len(got.Catalog.Servers))
	}
}

// A second asking that fails is a failure of the scan: what was said then is unknown.
func TestAskingThatFails(t *testing.T) {
	g := &Gathered{}
	if err := g.Catalog.Add("", fmt.Sprintf(snapshotOf, "live", "Adds."), catalog.Limits{}); err != nil {
		t.Fatal(err)
	}
	of := g.Catalog.Servers[0]
	of.Document.Origin = "the server"
	g.addAskings(of, []asking{
		{as: otherClient(), err: errors.New("no answer")},
		{as: otherClient(), text: "no JSON"},
		{as: ownClient(), self: true, text: fmt.Sprintf(snapshotOf, "live", "Subtracts.")},
	}, catalog.Limits{})
	if len(g.Failures) != 2 || len(g.Askings) != 1 || !g.Askings[0].Self {
		t.Fatalf("failures %+v, askings %+v", g.Failures, g.Askings)
	}
	for _, f := range g.Failures {
		if f.Kind != finding.Failed || f.Location.Server != "live" || f.Location.Origin != "the server" || !strings.Contains(f.Message, otherClient().name) {
			t.Errorf("failure %+v", f)
		}
	}
	if got := g.Askings[0].Catalog.Documents[0].Origin; got != "the server" {
		t.Errorf("the asking comes from %q", got)
	}
}

func ownClient() client { return (&Reader{Version: "1"}).ownClient() }

func TestTargetKinds(t *testing.T) {
	for _, tt := range []struct {
		arg  string
		want bool
	}{
		{"http://a", true}, {"HTTPS://a", true}, {"https:/a", false}, {"a/http://", false}, {"http", false}, {"file:///a", false},
	} {
		if IsURL(tt.arg) != tt.want {
			t.Errorf("IsURL(%q) = %v", tt.arg, !tt.want)
		}
	}
	if (&Target{File: "-"}).Live() || !(&Target{Server: launch.Server{URL: "http://a"}}).Live() {
		t.Error("a file is no live server, and a URL is one")
	}
}

// A failure says where it is: in the file, or where the configuration names the server.
func TestFailurePlace(t *testing.T) {
	place := finding.Location{Server: "s", File: "mcp.json", Line: 7, Column: 2}
	for _, tt := range []struct {
		target Target
		err    error
		want   string
	}{
		{Target{File: "a.json"}, &catalog.Error{File: "a.json", Line: 3, Column: 4, Msg: "odd"}, "a.json:3:4: odd"},
		{Target{File: "a.json"}, errors.New("gone"), "a.json: gone"},
		{Target{Place: place, Server: launch.Server{URL: "http://a"}}, errors.New("gone"), "mcp.json:7:2: gone"},
	} {
		if got := FailureText(Failure(&tt.target, tt.err)); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
