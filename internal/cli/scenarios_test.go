package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/oatf"
	"gauntlet/result"
	"gauntlet/verdict"
)

var update = flag.Bool("update", false, "rewrite docs/attack-tests.md")

// The public scenarios against the agents without a model. docs/attack-tests.md has what
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
	args := append([]string{"--agent-idle", "1ms"}, files...)
	victim := playAll(t, append([]string{"--agent", "builtin:victim"}, args...)...)
	resister := playAll(t, append([]string{"--agent", "builtin:resister"}, args...)...)
	var b strings.Builder
	b.WriteString("| scenario | plays | victim | matched | resister | matched | not observable |\n|---|---|---|---|---|---|---|\n")
	sums := map[string]int{}
	for i := range files {
		v, r := &victim[i], &resister[i]
		plays, why := howItPlays(t, files[i], v)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", v.ID, plays+why, outcomeOf(v), matchedOf(v), outcomeOf(r), matchedOf(r), unobservable(v))
		sums["plays "+plays]++
		sums["victim "+outcomeOf(v)]++
		sums["resister "+outcomeOf(r)]++
	}
	fmt.Fprintf(&b, "\nplays: %d in full, %d in part, %d not, of %d.\n", sums["plays full"], sums["plays part"], sums["plays refused"], len(files))
	for _, who := range []string{"victim", "resister"} {
		var parts []string
		for _, o := range []verdict.Outcome{verdict.Exploited, verdict.NotExploited, verdict.NotExposed, verdict.Failed} {
			if n := sums[who+" "+string(o)]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, o))
			}
		}
		fmt.Fprintf(&b, "%s: %s.\n", who, strings.Join(parts, ", "))
	}
	between(t, "../../docs/attack-tests.md", b.String())
}

// howItPlays says whether all of a scenario was played: full, part where an actor was left out, refused where the document
// keeps a part of its attack under a key that the format does not have.
func howItPlays(t *testing.T, file string, run *result.AttackRun) (plays, why string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, _, err := oatf.Load(string(text))
	if err != nil {
		return "refused", ": " + err.Error()
	}
	for _, a := range doc.Attack.Execution.Actors {
		for _, p := range a.Phases {
			for _, f := range oatf.StateFaults(a.Mode, p.State) {
				section := map[string]string{"mcp": "§7.1", "a2a": "§7.2", "ag_ui": "§7.3"}[oatf.ProtocolOf(a.Mode)]
				return "refused", fmt.Sprintf(": %s has no `%s` in the state of an %s", section, f.Key, a.Mode)
			}
		}
	}
	for _, a := range run.Actors {
		if a.State != "ran" {
			return "part", ": " + a.Name + " " + a.State
		}
	}
	return "full", ""
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

// unobservable lists the indicators that could not be judged.
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
