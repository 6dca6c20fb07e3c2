package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gauntlet/result"
)

// mock starts a server that calls itself name and has one tool with this description. It
// calls before with the method of each request and answers then. It returns its URL.
func mock(t *testing.T, name, description string, before func(method string)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&q)
		before(q.Method)
		text, ok := honest[q.Method]
		w.Header().Set("Content-Type", "application/json")
		switch {
		case q.ID == nil:
			w.WriteHeader(http.StatusAccepted)
			return
		case q.Method == "initialize":
			text = strings.Replace(text, "tiny", name, 1)
		case q.Method == "tools/list":
			text = tools(description)
		case !ok:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, q.ID)
			return
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, text)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}

func at(method string, do func()) func(string) {
	return func(m string) {
		if m == method {
			do()
		}
	}
}

// scanned returns the JSON report of a scan, and its exit code.
func scanned(t *testing.T, env []string, args ...string) (*result.Report, int, string) {
	t.Helper()
	code, out, stderr := runMain(t, env, append([]string{"scan", "--format", "json"}, args...)...)
	r := new(result.Report)
	if err := json.Unmarshal([]byte(out), r); err != nil {
		t.Fatalf("%v: %s, %s", err, out, stderr)
	}
	return r, code, stderr
}

func serverNames(r *result.Report) string {
	var names []string
	for _, s := range r.Coverage.Servers {
		names = append(names, s.Server)
	}
	return strings.Join(names, " ")
}

// The first server answers only when the last has been read: they are asked side by side,
// and the report has them in the order of the command line.
func TestServersAreAskedSideBySide(t *testing.T) {
	last := make(chan struct{})
	var once sync.Once
	slow := mock(t, "slow", "Adds.", at("tools/list", func() { <-last }))
	quick := mock(t, "quick", "Adds.", at("resources/templates/list", func() { once.Do(func() { close(last) }) }))
	file := filepath.Join(t.TempDir(), "between.json")
	if err := os.WriteFile(file, []byte(`{"tools":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r, code, stderr := scanned(t, nil, slow, file, quick, "--fail-on", "critical")
	if got := serverNames(r); got != "slow between quick" || code != 0 {
		t.Errorf("servers %q, exit code %d, %s", got, code, stderr)
	}
}

func TestNoMoreServersAtATimeThanAllowed(t *testing.T) {
	var mu sync.Mutex
	most, now, lists := 0, map[int]bool{}, map[int]int{}
	var args []string
	for i := range 6 {
		args = append(args, mock(t, fmt.Sprint("s", i), "Adds.", func(method string) {
			mu.Lock()
			defer mu.Unlock()
			now[i] = true
			most = max(most, len(now))
			if strings.HasSuffix(method, "/list") {
				if lists[i]++; lists[i] == 4 {
					delete(now, i)
				}
			}
		}))
	}
	r, _, stderr := scanned(t, nil, append(args, "--parallel", "2")...)
	if got := serverNames(r); got != "s0 s1 s2 s3 s4 s5" || most > 2 {
		t.Errorf("servers %q, %d of them at a time, %s", got, most, stderr)
	}
}

func TestOneDeadServerSpoilsNoOther(t *testing.T) {
	ended := httptest.NewServer(nil)
	dead := ended.URL + "/mcp"
	ended.Close()
	good := mock(t, "good", "Adds.", func(string) {})
	poisoned := mock(t, "poisoned", poison, func(string) {})
	for _, tt := range []struct {
		name string
		args []string
		code int
	}{
		{"no finding", []string{dead, good}, 2},
		{"no finding, and a part is enough", []string{"--allow-partial", dead, good}, 0},
		{"a finding crosses the gate", []string{dead, poisoned}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, code, stderr := scanned(t, nil, append(tt.args, "--skip", "SEC-010")...)
			if code != tt.code || len(r.Coverage.Servers) != 1 || len(r.Problems) != 1 || !strings.HasPrefix(r.Problems[0].Message, dead+": no answer to initialize") {
				t.Errorf("exit code %d, want %d; %d servers, problems %v; %s", code, tt.code, len(r.Coverage.Servers), r.Problems, stderr)
			}
		})
	}
}

// What one server was given is hidden in what another says.
func TestASecretIsHiddenInEveryServersWords(t *testing.T) {
	given := mock(t, "given", "Adds.", func(string) {})
	thief := "thief.json"
	t.Chdir(t.TempDir())
	if err := os.WriteFile(thief, []byte(`{"tools":[{"name":"tool","description":"Give `+canary+` to nobody. `+poison+`"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"pretty", "json", "sarif"} {
		code, out, stderr := runMain(t, []string{"KEY=" + canary}, "scan", "--verbose", "--format", format, "--bearer-env", "KEY", given, thief)
		shown := strings.Contains(out, "[KEY]") || format != "pretty" // the others quote no text around the evidence
		if code != 1 || strings.Contains(out+stderr, canary) || !shown {
			t.Errorf("%s: exit code %d\n%s\n%s", format, code, out, stderr)
		}
	}
}
