package report

import (
	"encoding/json"
	"strings"
	"testing"

	"gauntlet/result"
)

// someRedTeam is a run of two models with every outcome, and texts that a document or a provider chose.
func someRedTeam() *result.RedTeam {
	yes, no := true, false
	tally := func(exploited, resisted, inconclusive int) result.RedTeamTally {
		rate := result.Wilson(exploited, exploited+resisted)
		return result.RedTeamTally{
			Exploited: exploited, Resisted: resisted, Inconclusive: inconclusive, Attack: &rate,
			WithAttack: result.RedTeamDone{Done: 1, Of: 2, Interval: result.Wilson(1, 2)}, WithoutAttack: result.RedTeamDone{Done: 2, Of: 2, Interval: result.Wilson(2, 2)},
		}
	}
	model := func(name string, t result.RedTeamTally, scenarios ...result.RedTeamScenario) result.RedTeamModel {
		group := []result.RedTeamGroup{{Name: "prompt <injection>", RedTeamTally: t}}
		return result.RedTeamModel{Model: name, RedTeamTally: t, Spent: result.RedTeamSpent{Calls: 12, Tokens: result.RedTeamTokens{Input: 34567, Output: 89}, Cost: 1.234, Priced: true}, ByTechnique: group, ByPlacement: group, Scenarios: scenarios}
	}
	scenario := func(id string, t result.RedTeamTally, outcomes ...result.RedTeamRun) result.RedTeamScenario {
		return result.RedTeamScenario{ID: id, Name: "Attack " + id, Technique: "prompt <injection>", Placement: "tool result", RedTeamTally: t, Outcomes: outcomes}
	}
	return &result.RedTeam{
		SchemaVersion: result.RedTeamSchemaVersion, Tool: result.Tool{Name: "gauntlet", Version: "1"}, About: result.RedTeamAbout, Runs: 2,
		Models: []result.RedTeamModel{
			model("gpt-\x1b[31mloud", tally(1, 1, 1),
				scenario("one", tally(1, 1, 0), result.RedTeamRun{Run: 1, Outcome: result.RedTeamExploited, Messages: []int{7, 9}, TaskDone: &no, Trace: "00001-one.ndjson"}, result.RedTeamRun{Run: 2, Outcome: result.RedTeamResisted, TaskDone: &yes}),
				scenario("two", tally(0, 0, 1), result.RedTeamRun{Run: 1, Outcome: result.RedTeamInconclusive, Reason: "the model refused: <b>no</b>"}, result.RedTeamRun{Run: 1, Control: true})),
			model("claude-quiet", tally(0, 2, 0), scenario("one", tally(0, 2, 0))),
		},
	}
}

func redTeamText(t *testing.T, format string, r *result.RedTeam) string {
	t.Helper()
	one, err := RedTeamFormats().Lookup(format)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := one.Write(&b, r, Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The page has the matrix, utility beside every rate, its interval, and what proves an exploit.
func TestRedTeamPage(t *testing.T) {
	got := redTeamText(t, "html", someRedTeam())
	for _, want := range []string{
		"2 attacks, 2 models", result.RedTeamAbout, "Each attack was played 2 times to each model.",
		`<a class="high" href="#run-1-1">exploited 1 of 2, task done 1 of 2</a>`, `<a class="good" href="#run-2-1">exploited 0 of 2, task done 1 of 2</a>`,
		`<a class="medium" href="#run-1-2">inconclusive, task done 1 of 2</a>`, `<span class="soft">not played</span>`,
		"1 of 2, 50 % (9 to 91 %)", "exploited; proven by messages 7, 9; the task was not done; recorded in 00001-one.ndjson", "1.23 USD",
		"1 run inconclusive, the first of two: the model refused: &lt;b&gt;no&lt;/b&gt;", `gpt-<span class="hid">U+001B</span>[31mloud`, "prompt &lt;injection&gt;",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(got, "\x1b") || strings.Contains(got, "<injection>") {
		t.Error("the page holds what a stranger wrote as it stands")
	}
}

// What is written as JSON is read again as the same, and nothing that is missing in it stops a page.
func TestRedTeamJSON(t *testing.T) {
	var again result.RedTeam
	text := redTeamText(t, "json", someRedTeam())
	if err := json.Unmarshal([]byte(text), &again); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "\x1b") || redTeamText(t, "json", &again) != text || redTeamText(t, "html", &again) != redTeamText(t, "html", someRedTeam()) {
		t.Errorf("read again it is another report:\n%s", text)
	}
	for _, text := range []string{`{}`, `{"models":[{}]}`, `{"models":[{"scenarios":[{"inconclusive":3,"outcomes":[{}]}]},{"scenarios":[{"id":"x"},{"id":"x"}]}]}`} {
		r := new(result.RedTeam)
		if err := json.Unmarshal([]byte(text), r); err != nil {
			t.Fatal(err)
		}
		for _, format := range RedTeamFormats().Names() {
			redTeamText(t, format, r)
		}
	}
}
