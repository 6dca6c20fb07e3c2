package lockstate

import (
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/target"
)

const snapshot = `{"servers":[{"name":"calc","tools":{"tools":[{"name":"add","description":"Adds. Key: hunter2-hunter2"}]}}]}`

// A server is locked only if it was read as a whole, is alone under its address, and repeats no
// secret.
func TestWhatIsLeftOut(t *testing.T) {
	for _, tt := range []struct {
		name     string
		texts    []string
		problems []finding.Problem
		live     bool
		secrets  []string
		want     string // why it is left out; "" where it is locked
	}{
		{"read as a whole", []string{snapshot}, nil, false, nil, ""},
		{"a list was not read", []string{snapshot}, []finding.Problem{{Kind: finding.Unread, Message: "tools/list: no answer", Location: finding.Location{Server: "calc"}}}, false, nil, "tools/list: no answer"},
		{"the document was cut", []string{snapshot}, []finding.Problem{{Kind: finding.Limit, Message: "too many items"}}, false, nil, "too many items"},
		{"a list of another server was not read", []string{snapshot}, []finding.Problem{{Kind: finding.Unread, Message: "x", Location: finding.Location{Server: "other"}}}, false, nil, ""},
		{"what is malformed was read", []string{snapshot}, []finding.Problem{{Kind: finding.Malformed, Message: "x", Location: finding.Location{Server: "calc"}}}, false, nil, ""},
		{"two of one name", []string{snapshot, snapshot}, nil, false, nil, "another server of that name"},
		{"it repeats a secret", []string{snapshot}, nil, true, []string{"KEY=hunter2-hunter2"}, "repeats the value of KEY"},
		{"it repeats what every text may hold", []string{snapshot}, nil, true, []string{"MODE=Adds"}, ""},
		{"a snapshot file is the user's own", []string{snapshot}, nil, false, []string{"KEY=hunter2-hunter2"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := &target.Gathered{Secrets: tt.secrets}
			var targets []target.Target
			for _, text := range tt.texts {
				if err := got.Catalog.Add("calc.json", text, catalog.Limits{}); err != nil {
					t.Fatal(err)
				}
				servers := got.Catalog.Servers
				got.Outcomes = append(got.Outcomes, target.Outcome{Servers: servers[len(servers)-1:]})
				one := target.Target{File: "calc.json"}
				if tt.live {
					one = target.Target{Server: launch.Server{Command: []string{"calc"}}}
				}
				targets = append(targets, one)
			}
			got.Catalog.Problems = append(got.Catalog.Problems, tt.problems...)
			now := New(got, targets, nil, "2026-11-22")
			if locked := len(now.Entries) > 0; locked != (tt.want == "") {
				t.Fatalf("locked: %v, left out: %q", locked, now.Left)
			}
			if tt.want != "" && !strings.Contains(strings.Join(now.Left, "\n"), tt.want) {
				t.Errorf("left out: %q, want %q", now.Left, tt.want)
			}
			if !now.Asked["calc"] {
				t.Error("calc was asked about, and is not among those")
			}
		})
	}
}

// A target that could not be read keeps its address from another, and is said.
func TestAnUnreadTargetKeepsItsAddress(t *testing.T) {
	got := &target.Gathered{}
	if err := got.Catalog.Add("calc.json", snapshot, catalog.Limits{}); err != nil {
		t.Fatal(err)
	}
	failure := finding.Problem{Kind: finding.Failed, Message: "it did not start"}
	got.Outcomes = []target.Outcome{{Servers: got.Catalog.Servers}, {Failure: &failure}}
	now := New(got, []target.Target{{File: "calc.json"}, {Entries: []string{"calc"}}}, []string{"before"}, "2026-11-22")
	if len(now.Entries) != 0 || len(now.Left) != 3 || now.Left[0] != "before" {
		t.Errorf("%d entries, left out %q", len(now.Entries), now.Left)
	}
}
