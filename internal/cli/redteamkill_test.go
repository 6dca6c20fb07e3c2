package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"gauntlet/internal/testing/scriptedmodel"
	"gauntlet/result"
)

// A gate stands before a provider. It lets so many questions through, then none until it is opened.
type gate struct {
	server *httptest.Server
	left   atomic.Int64
	asked  atomic.Int64
	shut   chan struct{} // gets a token when the first question is held up
}

func newGate(t *testing.T, provider string, through int64) *gate {
	t.Helper()
	to, err := url.Parse(provider)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{shut: make(chan struct{}, 1)}
	g.left.Store(through)
	forward := httputil.NewSingleHostReverseProxy(to)
	g.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body) // a server hears that its client is gone only behind the body
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if g.left.Add(-1) < 0 {
			select {
			case g.shut <- struct{}{}:
			default:
			}
			<-r.Context().Done()
			return
		}
		g.asked.Add(1)
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(g.server.Close)
	return g
}

// A run that is killed in the middle goes on where it was: what the cache holds is not asked again, and what comes out is what a run in one go
// would have said.
func TestKilledRunGoesOn(t *testing.T) {
	p := scriptedmodel.Start()
	t.Cleanup(p.Close)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	attacks := []string{"tool-poisoning", "result-injection", "instructions-poisoning", "resource-poisoning", "result-error"}
	command := func(g *gate, cache string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Args = append([]string{"gauntlet", "redteam", "--quiet", "--format", "json", "--model", "gpt-victim", "--model", "gpt-resister", "--model-url", g.server.URL + "/v1", "--model-cache", cache, "--agent-idle", "1ms", "--runs", "2"}, attacks...)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		return cmd
	}
	finish := func(g *gate, cache string) string {
		out, err := command(g, cache).Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return scenariosOf(t, out)
	}
	whole := newGate(t, p.URL, 1<<30)
	want := finish(whole, t.TempDir())
	all := whole.asked.Load()

	cache := t.TempDir()
	first := newGate(t, p.URL, all/2)
	killed := command(first, cache)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	<-first.shut
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := killed.Wait(); err == nil {
		t.Fatal("the run ended before it was killed")
	}
	kept := answersIn(t, cache)
	if kept == 0 || kept > all/2 {
		t.Fatalf("%d answers are kept of %d that were given", kept, all/2)
	}
	second := newGate(t, p.URL, 1<<30)
	if got := finish(second, cache); got != want {
		t.Errorf("the second run says otherwise:\n%s\nwant\n%s", got, want)
	}
	if got := second.asked.Load(); got != all-kept {
		t.Errorf("the second run asked %d questions; of %d the cache held %d", got, all, kept)
	}
	// And a third asks nobody.
	third := newGate(t, p.URL, 0)
	if got := finish(third, cache); got != want || third.asked.Load() != 0 {
		t.Errorf("the third run asked %d questions, and says\n%s", third.asked.Load(), got)
	}
}

// scenariosOf is what a report says of each run, without what it cost and without the numbers of the messages that prove it: a client opens
// the stream for what a server says unasked whenever it gets to it, and that request is one of them.
func scenariosOf(t *testing.T, report []byte) string {
	t.Helper()
	var r result.RedTeam
	if err := json.Unmarshal(report, &r); err != nil {
		t.Fatalf("%v: %s", err, report)
	}
	var out []byte
	for i := range r.Models {
		for s := range r.Models[i].Scenarios {
			for n := range r.Models[i].Scenarios[s].Outcomes {
				r.Models[i].Scenarios[s].Outcomes[n].Messages = nil
			}
		}
		text, err := json.Marshal(r.Models[i].Scenarios)
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, text...), '\n')
	}
	return string(out)
}

// answersIn counts the answers that a cache holds.
func answersIn(t *testing.T, dir string) (n int64) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".json") {
			n++
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}
