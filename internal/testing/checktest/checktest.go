// Package checktest is the golden harness that all lanes of checks share.
//
// A lane keeps one txtar file a check in its testdata, named after the id (with - for /),
// with sections
//
//	bad.json, bad-*.json              snapshots in which the check must fire
//	near-miss.json, near-miss-*.json  the honest definitions most like the bad ones, where
//	                                  it must be silent
//	bad-baseline.json, near-miss-2-baseline.json
//	                                  what the user approved before bad.json, near-miss-2.json;
//	                                  baseline.json is that of all that have none of their own
//	bad-other.json, bad-again.json, bad-other-again.json, bad-changed.json
//	                                  what the server of bad.json said to another client, when
//	                                  each was asked once more, and to the first one after a
//	                                  list_changed; likewise for near misses
//	bad.ndjson, near-miss-2.ndjson    traces instead of snapshots, for checks that need one;
//	bad.yaml, boundary.yaml           the boundary declared for bad.ndjson, and for all that
//	                                  have none of their own
//	want                              the findings of the bad snapshots, one a line
//
// and one test:
//
//	var update = flag.Bool("update", false, "rewrite the golden files")
//
//	func TestGolden(t *testing.T) {
//		if *update {
//			checktest.Update(t, "testdata", Checks())
//		}
//		checktest.Run(t, "testdata", Checks())
//	}
//
// The flag is the lane's, since only tests and the command line may see flags.
package checktest

import (
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/engine/check"
)

// T is what the harness needs of testing.T.
type T interface {
	Helper()
	Errorf(format string, args ...any)
}

// Run tests checks against the goldens in dir. It fails for a set of checks that
// check.Validate refuses, a check without a golden, a golden without a check, a bad
// snapshot without a finding, a near miss with one, and findings that differ from want.
// It also holds every finding of a bad snapshot to what finding.Evidence and
// finding.Finding promise: the quoted bytes stand where the finding says, and the
// fingerprint survives re-indenting, reordered members and new neighbours.
func Run(t T, dir string, checks []*check.Check) {
	t.Helper()
	if err := check.Validate(checks); err != nil {
		t.Errorf("%v", err)
		return
	}
	for _, g := range load(t, dir, checks) {
		g.silentNearMisses(t)
		findings := g.findings(t)
		if got := render(findings); got != g.want {
			t.Errorf("%s: findings differ; run with -update and read the diff\n%s", g.path, diff(g.want, got))
		}
		for _, f := range findings {
			g.quotes(t, f)
		}
		g.steadyFingerprints(t)
	}
}

// Update rewrites the want section of every golden in dir whose findings have changed.
// Each change is an error that shows it: go test hides the output of tests that pass,
// and nobody blesses a change without having seen it. A want never becomes empty.
func Update(t T, dir string, checks []*check.Check) {
	t.Helper()
	if err := check.Validate(checks); err != nil {
		t.Errorf("%v", err)
		return
	}
	for _, g := range load(t, dir, checks) {
		got := render(g.findings(t))
		if got == g.want {
			continue
		}
		if got == "" {
			t.Errorf("%s: not rewritten, want would become empty", g.path)
			continue
		}
		g.archive.set("want", got)
		if err := os.WriteFile(g.path, []byte(g.archive.String()), 0o644); err != nil {
			t.Errorf("%v", err)
			continue
		}
		t.Errorf("%s: rewritten; read the change and run again without -update\n%s", g.path, diff(g.want, got))
	}
}

// load reads the goldens of checks and complains of those that are missing, orphaned or
// incomplete. It returns the rest.
func load(t T, dir string, checks []*check.Check) []*golden {
	t.Helper()
	var out []*golden
	known := map[string]bool{}
	for _, k := range checks {
		path := filepath.Join(dir, strings.ReplaceAll(string(k.ID), "/", "-")+".txtar")
		known[path] = true
		text, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("check %s has no golden: %v", k.ID, err)
			continue
		}
		g, err := newGolden(k, path, string(text))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		out = append(out, g)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		t.Errorf("%v", err)
	}
	for _, p := range paths {
		if !known[p] {
			t.Errorf("orphan golden %s: no check has the id %s", p, strings.TrimSuffix(filepath.Base(p), ".txtar"))
		}
	}
	return out
}

// diff shows the lines that only one of two texts has.
func diff(want, got string) string {
	var b strings.Builder
	for _, side := range []struct{ sign, text, other string }{{"-", want, got}, {"+", got, want}} {
		for line := range strings.Lines(side.text) {
			if !strings.Contains("\n"+side.other, "\n"+line) {
				b.WriteString(side.sign + " " + line)
			}
		}
	}
	if b.Len() == 0 {
		return "the same lines in another order or number"
	}
	return b.String()
}
