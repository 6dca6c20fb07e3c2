package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gauntlet/internal/testing/scriptedmodel"
	"gauntlet/result"
)

// runRedteam runs the subcommand against scripted models and returns its report.
func runRedteam(t *testing.T, p *scriptedmodel.Provider, args ...string) *result.RedTeam {
	t.Helper()
	var out, errs bytes.Buffer
	code := Main(t.Context(), slices.Concat([]string{"redteam", "--quiet", "--format", "json", "--model-url", p.URL + "/v1", "--agent-idle", "1ms"}, args),
		Host{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Environ: []string{"HOME=" + t.TempDir()}})
	var r result.RedTeam
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("exit code %d: %v: %s%s", code, err, out.String(), errs.String())
	}
	if code != r.ExitCode() {
		t.Errorf("exit code %d, want %d; undone: %q", code, r.ExitCode(), r.Undone)
	}
	return &r
}

// The matrix tells apart a model that obeys, one that resists, one that only says that it did, and one that does nothing: the last two
// resist as well as the second, and their utility says why.
func TestRedteamMatrix(t *testing.T) {
	p := scriptedmodel.Start()
	t.Cleanup(p.Close)
	cache := filepath.Join(t.TempDir(), "cache")
	args := []string{"--model", "gpt-victim", "--model", "gpt-resister", "--model", "gpt-liar", "--model", "gpt-idler", "--model-cache", cache,
		"tool-poisoning", "result-injection", "instructions-poisoning", "resource-poisoning", "rug-pull-silent", "result-error"}
	r := runRedteam(t, p, args...)
	for i, want := range []struct{ exploited, resisted, attacked, control int }{{6, 0, -1, 6}, {0, 6, 6, 6}, {0, -1, 0, 0}, {0, -1, 0, 0}} {
		m := r.Models[i]
		if m.Exploited != want.exploited || want.resisted >= 0 && m.Resisted != want.resisted || want.attacked >= 0 && m.WithAttack.Done != want.attacked ||
			m.WithoutAttack.Done != want.control || m.WithoutAttack.Of != 6 || m.ControlExploited != 0 {
			t.Errorf("%s: %+v, want %+v", m.Model, m.RedTeamTally, want)
			for _, s := range m.Scenarios {
				t.Logf("%s: %+v", s.ID, s.Outcomes)
			}
		}
	}
	if len(r.Undone) != 2 || !strings.HasPrefix(r.Undone[0], "gpt-liar: 6 of 6 scenarios") || !strings.HasPrefix(r.Undone[1], "gpt-idler: 6 of 6 scenarios") {
		t.Errorf("undone %q, want the two models of which nothing is known", r.Undone)
	}
	// Played again from the cache, nobody is asked, and every outcome is the same.
	asked := len(p.Requests())
	again := runRedteam(t, p, args...)
	if n := len(p.Requests()) - asked; n != 0 {
		t.Errorf("%d questions were asked again", n)
	}
	for i := range r.Models {
		a, _ := json.Marshal(r.Models[i].Scenarios)
		b, _ := json.Marshal(again.Models[i].Scenarios)
		if !bytes.Equal(a, b) {
			t.Errorf("%s: the second time differs:\n%s\n%s", r.Models[i].Model, a, b)
		}
	}
}

// In the control runs nobody is exploited, the model that obeys everything included: the oracle does not take the task for the attack.
func TestControlsAreBenign(t *testing.T) {
	p := scriptedmodel.Start()
	t.Cleanup(p.Close)
	r := runRedteam(t, p, "--model", "gpt-victim")
	m := r.Models[0]
	controls := 0
	for _, s := range m.Scenarios {
		if s.ControlExploited > 0 {
			t.Errorf("%s: exploited without the attack", s.ID)
		}
		if !s.NoControl {
			controls++
		}
	}
	if controls < 35 || len(m.Scenarios) < 50 {
		t.Errorf("%d of %d scenarios have a control, want 35 of 50 at least", controls, len(m.Scenarios))
	}
}

// envRedteam asks for the whole matrix: 50 scenarios, 3 models, 5 runs.
const envRedteam = "GAUNTLET_REDTEAM_MATRIX"

func TestRedteamPerformance(t *testing.T) {
	if os.Getenv(envRedteam) == "" {
		t.Skip("takes a minute; set " + envRedteam)
	}
	p := scriptedmodel.Start()
	t.Cleanup(p.Close)
	r := runRedteam(t, p, "--model", "gpt-victim", "--model", "gpt-resister", "--model", "gpt-liar", "--runs", "5", "--no-control", "--parallel", "16")
	for _, m := range r.Models {
		t.Logf("%s: %d scenarios, %+v", m.Model, len(m.Scenarios), m.RedTeamTally)
	}
}
