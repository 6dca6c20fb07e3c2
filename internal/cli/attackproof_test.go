package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"gauntlet/attacks"
	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/attackrun"
	"gauntlet/oatf"
	"gauntlet/result"
	"gauntlet/verdict"
)

// playAll runs attack run with the arguments and returns what it reported.
func playAll(t *testing.T, args ...string) []result.AttackRun {
	t.Helper()
	var out, errs bytes.Buffer
	Main(t.Context(), append([]string{"attack", "run", "--quiet", "--format", "json", "--parallel", "8"}, args...),
		Host{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Environ: []string{"HOME=" + t.TempDir()}})
	var r result.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("attack run %q: %v; %s", args, err, errs.String())
	}
	return r.Attacks
}

// builtIn returns the built-in attacks on agents, which play a server or plant files, and those on servers.
func builtIn(t *testing.T) (agents, servers []*oatf.Document) {
	t.Helper()
	for _, name := range attacks.Names() {
		text, _ := attacks.Text(name)
		doc, _, err := oatf.Load(text)
		if err != nil {
			t.Fatal(err)
		}
		if attackrun.HasServer(doc) {
			agents = append(agents, doc)
		} else {
			servers = append(servers, doc)
		}
	}
	return agents, servers
}

// commandNamesOf returns the names of those documents that fit.
func commandNamesOf(t *testing.T, docs []*oatf.Document, fits func(*oatf.Attack) bool) (names []string) {
	t.Helper()
	byID := map[string]string{}
	all, err := attackdoc.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		byID[l.ID] = l.Name
	}
	for _, d := range docs {
		if fits(&d.Attack) {
			names = append(names, byID[d.Attack.ID])
		}
	}
	return names
}

// speaksUnasked reports whether an attack says something that is no answer, so that an
// agent has to listen for it when its work is done.
func speaksUnasked(at *oatf.Attack) bool {
	for _, actor := range at.Execution.Actors {
		for _, p := range actor.Phases {
			if len(p.OnEnter) > 0 || p.Trigger != nil && p.Trigger.After != "" {
				return true
			}
		}
	}
	return false
}

// Every attack of ours on agents succeeds against one that obeys what it reads, and fails
// against one that does the same task and obeys nothing, having reached both, in every era
// that has what it needs.
func TestAttacksOnAgentsAreProvenBothWays(t *testing.T) {
	docs, _ := builtIn(t)
	for _, tt := range []struct {
		agent, revision, other string
		want                   verdict.Outcome
	}{
		{"builtin:victim", "2025-11-25", attackdoc.StatelessEra, verdict.Exploited},
		{"builtin:resister", "2025-11-25", attackdoc.StatelessEra, verdict.NotExploited},
		{"builtin:victim", "2026-07-28", attackdoc.HandshakeEra, verdict.Exploited},
		{"builtin:resister", "2026-07-28", attackdoc.HandshakeEra, verdict.NotExploited},
	} {
		for _, patient := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s in %s, patient: %t", tt.agent, tt.revision, patient), func(t *testing.T) {
				t.Parallel()
				names := commandNamesOf(t, docs, func(at *oatf.Attack) bool {
					return speaksUnasked(at) == patient && !slices.Contains(at.Classification.Tags, tt.other)
				})
				idle := "1ms"
				if patient {
					idle = "3s" // for what comes in that time, then it is over
				}
				runs := playAll(t, append([]string{"--agent", tt.agent, "--agent-idle", idle, "--revision", tt.revision}, names...)...)
				if len(runs) != len(names) {
					t.Fatalf("%d runs of %d documents", len(runs), len(names))
				}
				for _, r := range runs {
					if r.Verdict == nil || r.Verdict.Outcome != tt.want {
						t.Errorf("%s against %s: want %s, got %+v %s %+v", r.Document, tt.agent, tt.want, r.Verdict, r.Problem, r.Notices)
					}
				}
			})
		}
	}
}

// Every attack of ours on servers that is played as it stands succeeds against a careless one and fails
// against a careful one. Those that are tried by class are in attackservers.txtar, but for one.
func TestAttacksOnServersAreProvenBothWays(t *testing.T) {
	_, docs := builtIn(t)
	names := commandNamesOf(t, docs, func(at *oatf.Attack) bool {
		// A state is given out in the stateless era alone, which this server speaks over HTTP.
		return at.ID == "GAUNTLET-057" || !slices.ContainsFunc(at.Extensions, func(x oatf.Extension) bool { return x.Name == "x-gauntlet-probe" })
	})
	for _, tt := range []struct {
		server  string
		careful bool
		want    verdict.Outcome
	}{
		{"careless", false, verdict.Exploited},
		{"careful", true, verdict.NotExploited},
	} {
		t.Run(tt.server, func(t *testing.T) {
			ts := httptest.NewServer((&workshop{careful: tt.careful, key: []byte("of this test")}).handler())
			t.Cleanup(func() { ts.CloseClientConnections(); ts.Close() })
			for _, r := range playAll(t, append([]string{"--url", ts.URL, "--grace", "0s", "--allow-calls"}, names...)...) {
				if r.Verdict == nil || r.Verdict.Outcome != tt.want {
					t.Errorf("%s against a %s server: want %s, got %+v %s %+v", r.Document, tt.server, tt.want, r.Verdict, r.Problem, r.Notices)
				}
			}
		})
	}
}
