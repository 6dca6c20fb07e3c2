package lockstate

import (
	"slices"
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

// A value counts as a secret by the name of its variable, or by what it looks like; what every text may
// hold does not.
func TestTelltaleSecrets(t *testing.T) {
	given := []string{"API_TOKEN=x", "MODE=production", "ID=abcdef12", "SHORT=abc1234", "WORD=abcdefgh", "DIGITS=12345678", "LONG=abcdefghijklmnop", "ALMOST=abcdefghijklmno"}
	started := target.Target{Server: launch.Server{Command: []string{"calc"}}}
	configured := started
	configured.Configured = true
	for _, tt := range []struct {
		name   string
		target target.Target
		want   []string
	}{
		{"variables that the user passed on", started, []string{"API_TOKEN=x", "ID=abcdef12", "LONG=abcdefghijklmnop"}},
		{"what a configuration calls secret", configured, given},
		{"headers of a URL", target.Target{Server: launch.Server{URL: "https://example.com"}}, given},
	} {
		if got := telltaleSecrets(given, &tt.target); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Each entry of a configuration has an address of its own, and an entry that shares one with another
// server is not locked under it.
func TestEntriesAreLockedOneByOne(t *testing.T) {
	got := &target.Gathered{}
	for range 2 {
		if err := got.Catalog.Add("calc.json", snapshot, catalog.Limits{}); err != nil {
			t.Fatal(err)
		}
	}
	servers := got.Catalog.Servers
	servers[0].Entries, servers[1].Entries = []string{"cursor/calc", "zed/calc"}, []string{"zed/calc"}
	got.Outcomes = []target.Outcome{{Servers: servers[:1]}, {Servers: servers[1:2]}}
	now := New(got, []target.Target{{Entries: servers[0].Entries}, {Entries: servers[1].Entries}}, nil, "2026-11-22")
	if len(now.Entries) != 1 || now.Entries[0].Address() != "cursor/calc" || len(now.Left) != 2 || !now.Asked["zed/calc"] || !now.Asked["cursor/calc"] {
		t.Errorf("entries %+v, left out %q, asked %v", now.Entries, now.Left, now.Asked)
	}
}
