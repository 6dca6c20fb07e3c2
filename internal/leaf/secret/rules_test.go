package secret

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// TestRulesAreGitleaks holds the copy against its pinned hash and, where the module is in
// reach, against the module. If it fails after a change of the pin, run go generate.
func TestRulesAreGitleaks(t *testing.T) {
	sum := sha256.Sum256(gitleaksTOML)
	if got := hex.EncodeToString(sum[:]); got != gitleaksSum {
		t.Errorf("data/gitleaks.toml has SHA-256 %s, want %s", got, gitleaksSum)
	}
	cmd := exec.Command("go", "mod", "download", "-json", gitleaksModule)
	cmd.Dir = t.TempDir() // outside our module
	out, err := cmd.Output()
	var mod struct{ Dir string }
	if err != nil || json.Unmarshal(out, &mod) != nil {
		t.Skipf("%s is not available: %v", gitleaksModule, err)
	}
	for from, to := range map[string]string{"config/gitleaks.toml": "gitleaks.toml", "LICENSE": "gitleaks.LICENSE"} {
		want, err := os.ReadFile(filepath.Join(mod.Dir, from))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join("data", to)); err != nil || string(got) != string(want) {
			t.Errorf("data/%s differs from %s of %s (%v)", to, from, gitleaksModule, err)
		}
	}
}

// TestEveryRuleCompiles compiles all rules and allowlists and pins what is left out.
func TestEveryRuleCompiles(t *testing.T) {
	set := load()
	for _, r := range set.rules {
		r.re()
		for _, a := range append(r.Allowlists, set.global) {
			a.res()
		}
	}
	want := map[string]string{
		"pkcs12-file":            "looks at file names only",
		"freemius-secret-key":    "holds for certain file names only",
		"hashicorp-tf-password":  "holds for certain file names only",
		"kubernetes-secret-yaml": "holds for certain file names only",
		"nuget-config-password":  "holds for certain file names only",
	}
	for id, why := range set.unusable {
		if want[id] != why {
			t.Errorf("rule %s is left out because it %s: not expected", id, why)
		}
	}
	var f file
	if err := toml.Unmarshal(gitleaksTOML, &f); err != nil {
		t.Fatal(err)
	}
	if got, all := len(set.rules)+len(set.unusable), len(f.Rules)+len(ownRules(t)); got != all || len(f.Rules) != 222 {
		t.Errorf("%d rules run or left out, want %d; gitleaks has %d, want 222", got, all, len(f.Rules))
	}
	seen := map[string]bool{}
	for _, r := range set.rules {
		if seen[r.ID] || r.Description == "" {
			t.Errorf("rule %s: id used twice, or no description", r.ID)
		}
		seen[r.ID] = true
	}
	for id := range specials {
		if !seen[id] {
			t.Errorf("specials has %s, which is no rule", id)
		}
	}
}

// An ownRule is a rule of ours with the cases that belong to it.
type ownRule struct {
	ID         string
	Examples   []string
	NearMisses []string `toml:"near_misses"`
}

func ownRules(t testing.TB) []ownRule {
	t.Helper()
	var f struct{ Rules []ownRule }
	if err := toml.Unmarshal(ownTOML, &f); err != nil {
		t.Fatal(err)
	}
	return f.Rules
}

func TestOwnRules(t *testing.T) {
	for _, r := range ownRules(t) {
		t.Run(r.ID, func(t *testing.T) {
			if len(r.Examples) == 0 || len(r.NearMisses) == 0 {
				t.Error("want an example and a near miss")
			}
			for _, in := range r.Examples {
				if got := ids(unmark(in)); !strings.Contains(got, r.ID+" ") {
					t.Errorf("Find(%q) = %q, want %s", unmark(in), got, r.ID)
				}
			}
			for _, in := range r.NearMisses {
				if got := ids(unmark(in)); got != "" {
					t.Errorf("Find(%q) = %q, want nothing", unmark(in), got)
				}
			}
		})
	}
}

// unmark drops the mark that keeps our cases from setting off scanners of source code.
func unmark(s string) string { return strings.ReplaceAll(s, "¦", "") }

// ids lists the rules that match s, each followed by a blank.
func ids(s string) string {
	var b strings.Builder
	for _, m := range Find(s) {
		b.WriteString(m.Rule + " ")
	}
	return b.String()
}
