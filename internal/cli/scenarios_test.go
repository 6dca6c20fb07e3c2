package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/internal/run/attackrun"
	"gauntlet/oatf"
	"gauntlet/result"
	"gauntlet/verdict"
)

var update = flag.Bool("update", false, "rewrite docs/attack-scenarios.md")

// The public scenarios against the agents without a model. docs/attack-scenarios.md has what
// came out, and is rewritten by -update.
func TestPublicScenarios(t *testing.T) {
	dir := os.Getenv("GAUNTLET_OATF")
	if dir == "" {
		t.Skip("GAUNTLET_OATF names no directory")
	}
	files, err := filepath.Glob(filepath.Join(dir, "scenarios", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios in %s: %v", dir, err)
	}
	var played []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		doc, _, err := oatf.Load(string(text))
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if attackrun.HasServer(doc) {
			played = append(played, f)
		}
	}
	args := append([]string{"--agent-idle", "1ms"}, played...)
	victim := playAll(t, append([]string{"--agent", "builtin:victim"}, args...)...)
	resister := playAll(t, append([]string{"--agent", "builtin:resister"}, args...)...)
	var b strings.Builder
	fmt.Fprintf(&b, "%d of the %d scenarios have an MCP server.\n\n", len(played), len(files))
	b.WriteString("| scenario | victim | matched | resister | matched | not observable on MCP |\n|---|---|---|---|---|---|\n")
	sums := map[string]int{}
	for i := range played {
		v, r := &victim[i], &resister[i]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", v.ID, outcomeOf(v), matchedOf(v), outcomeOf(r), matchedOf(r), unobservable(v))
		sums["victim "+outcomeOf(v)]++
		sums["resister "+outcomeOf(r)]++
	}
	b.WriteString("\n")
	for _, who := range []string{"victim", "resister"} {
		var parts []string
		for _, o := range []verdict.Outcome{verdict.Exploited, verdict.NotExploited, verdict.NotExposed, verdict.Failed} {
			if n := sums[who+" "+string(o)]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, o))
			}
		}
		fmt.Fprintf(&b, "%s: %s.\n", who, strings.Join(parts, ", "))
	}
	between(t, "../../docs/attack-scenarios.md", b.String())
}

// between compares what a page has between its marks with what it should have.
func between(t *testing.T, file, want string) {
	t.Helper()
	const begin, end = "<!-- begin: TestPublicScenarios -->\n", "<!-- end -->"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(page), begin)
	old, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no marks", file)
	}
	if old == want {
		return
	}
	if !*update {
		t.Fatalf("%s differs from what the scenarios give now: run with -update and read the diff; got\n%s", file, want)
	}
	if err := os.WriteFile(file, []byte(head+begin+want+end+tail), 0o666); err != nil {
		t.Fatal(err)
	}
}

func outcomeOf(r *result.AttackRun) string {
	if r.Verdict == nil {
		return "not played"
	}
	return string(r.Verdict.Outcome)
}

// matchedOf lists the ends of the ids of the indicators that matched, of all that were judged.
func matchedOf(r *result.AttackRun) string {
	if r.Verdict == nil {
		return ""
	}
	var ids []string
	judged := 0
	for _, i := range r.Verdict.Indicators {
		if i.Result == verdict.Matched {
			ids = append(ids, i.ID[strings.LastIndex(i.ID, "-")+1:])
		}
		if i.Result == verdict.Matched || i.Result == verdict.NotMatched {
			judged++
		}
	}
	if judged == 0 {
		return "none judged"
	}
	return strings.TrimSpace(fmt.Sprintf("%d of %d %s", len(ids), judged, parenthesized(ids)))
}

func parenthesized(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return "(" + strings.Join(ids, ", ") + ")"
}

// unobservable lists the indicators that no MCP message can satisfy, with their protocol.
func unobservable(r *result.AttackRun) string {
	if r.Verdict == nil {
		return ""
	}
	var ids []string
	for _, i := range r.Verdict.Indicators {
		if i.Result == verdict.Skipped || i.Unobservable {
			ids = append(ids, i.ID[strings.LastIndex(i.ID, "-")+1:])
		}
	}
	return strings.Join(ids, ", ")
}
