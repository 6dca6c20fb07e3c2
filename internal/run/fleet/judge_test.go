package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/result"
)

// What is not done of a job has its cause in the entry, in every lane.
func TestJudge(t *testing.T) {
	const head = `{"schema_version":"1.0","summary":{"servers":1,"by_severity":{"high":2,"low":0}},`
	for _, tt := range []struct {
		name     string
		lane     LaneName
		exit     int
		report   string
		complete bool
		first    string
		counts   int
		why      string
	}{
		{"a whole scan", Scan, 1, head + `"findings":[]}`, true, "", 1, ""},
		{"an agent that never came", Attack, 2, head + `"attacks":[{"document":"a","verdict":{"result":"error","x-gauntlet":{"outcome":"error","reason":"the agent never connected"}}}]}`, false, "the agent never connected", 2, ""},
		{"an agent that resisted, and one that never came", Attack, 2, head + `"attacks":[{"document":"a","verdict":{"result":"not_exploited","x-gauntlet":{"outcome":"not_exploited","reason":"it said no"}}},{"document":"a","problem":"it ended"}]}`, false, "it ended", 2, ""},
		{"an agent that resisted", Attack, 0, head + `"attacks":[{"document":"a","verdict":{"result":"not_exploited","x-gauntlet":{"outcome":"not_exploited","reason":"it said no"}}}]}`, true, "", 2, ""},
		{"a probe that was cut", Probe, 2, head + `"probing":{"cut":"more calls than 5000"}}`, false, "more calls than 5000", 1, ""},
		{"the cause before what came of it", Vet, 2, head + `"problems":[{"kind":"unread","message":"nothing was read"},{"kind":"failed","message":"no such command"}]}`, false, "no such command (and 1 more in its report)", 1, ""},
		{"an exit code that its report does not explain", Vet, 2, head + `"findings":[]}`, false, "exit code 2: the disk is full", 1, ""},
		{"a model that was not asked", Redteam, 2, `{"schema_version":"1.0","models":[{"exploited":3}],"undone":["the key is wrong"]}`, false, "the key is wrong", 1, ""},
		{"a report on something else", Redteam, 0, head + `"findings":[]}`, false, "", 0, "its output is not a report: want one on models"},
		{"another form", Scan, 0, `{"findings":[]}`, false, "", 0, "its output is not a report: it has no schema_version"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := &oneJob{job: &Job{Lane: tt.lane, Document: "a", Target: Target{Kind: Agent}}, d: &Delivery{Attempt: 1}, limits: Limits{Attempts: 1}}
			var e Entry
			why := o.judge(&e, &ending{exit: tt.exit, report: []byte(tt.report), tail: "the disk is full"})
			if !strings.HasPrefix(why, tt.why) || (why == "") != (tt.why == "") || (e.State != result.FleetIncomplete) != tt.complete && tt.why == "" || e.Reason != tt.first || len(e.Counts) != tt.counts {
				t.Errorf("got %q and %+v, want %q, complete %t, %q", why, e, tt.why, tt.complete, tt.first)
			}
		})
	}
}

// A directory of reports is cleared of the last report and of nothing else.
func TestClear(t *testing.T) {
	dir := t.TempDir()
	id := strings.Repeat("0", 32)
	mine := []string{"index.html", "fleet.json", "pages/a-00000000.11111111.html", "sarif/a-00000000.sarif", "results/a-00000000.scan." + id + ".json"}
	theirs := []string{"notes.txt", "pages/style.css", "sarif/a.sarif", "results/a.json", "results/scan." + id + ".json.bak"}
	for _, name := range append(mine, theirs...) {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := directory(dir).clear(); err != nil {
		t.Fatal(err)
	}
	for _, name := range mine {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range theirs {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
