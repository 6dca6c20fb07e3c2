package lockstate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/target"
	"gauntlet/lock"
)

// stateOf is what was just read of servers, each a snapshot.
func stateOf(t *testing.T, snapshots ...string) *State {
	t.Helper()
	got := &target.Gathered{}
	var targets []target.Target
	for n, text := range snapshots {
		if err := got.Catalog.Add(fmt.Sprint(n, ".json"), text, catalog.Limits{}); err != nil {
			t.Fatal(err)
		}
		servers := got.Catalog.Servers
		got.Outcomes = append(got.Outcomes, target.Outcome{Servers: servers[len(servers)-1:]})
		targets = append(targets, target.Target{File: fmt.Sprint(n, ".json")})
	}
	return New(got, targets, nil, "2026-11-22")
}

func server(name, description string) string {
	return `{"server":{"name":"` + name + `"},"tools":[{"name":"add","description":"` + description + `"},{"name":"sub","description":"Subtracts."}]}`
}

func openWritten(t *testing.T, f *lock.File) *Lockfile {
	t.Helper()
	name := filepath.Join(t.TempDir(), "lock.json")
	if err := os.WriteFile(name, f.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := Open(name, func(name string, _ int) (string, error) { b, err := os.ReadFile(name); return string(b), err }, catalog.Limits{}, func(format string, args ...any) {
		t.Errorf("said "+format, args...)
	})
	if err != nil || l.Name != name || l.Old == nil {
		t.Fatalf("%+v, %v", l, err)
	}
	return l
}

// From the first lock to an approved change: what was locked has not changed, a change is named, chosen and taken over once.
func TestLockfileFromFirstToApproved(t *testing.T) {
	l := openWritten(t, First(stateOf(t, server("calc", "Adds."), server("mail", "Sends.")), "2026-11-22"))
	same := stateOf(t, server("calc", "Adds."))
	if got := l.Unasked(same); !slices.Equal(got, []string{"mail"}) {
		t.Errorf("nobody asked about %q, want mail", got)
	}
	if d := same.Diff(l.Old); len(d.Servers) != 0 || d.Summary.Removed != 0 {
		t.Errorf("what is the same differs: %+v; a server that nobody asked about has not gone", d)
	}
	now := stateOf(t, server("calc", "Adds two."), server("mail", "Sends."))
	changes := l.Old.Changes(now.Entries)
	if len(changes) != 1 || !strings.HasPrefix(ChangeLine(changes[0]), "changed  calc") {
		t.Fatalf("changes %+v, want one", changes)
	}
	if d := now.Diff(l.Old); d.Summary.Changed != 1 || d.Summary.Added+d.Summary.Removed != 0 {
		t.Errorf("%+v, want one change from the old to the new", d.Summary)
	}
	address := changes[0].Address.String()
	if _, _, err := l.Choose([]string{"calc/tool/nothing"}, now, changes); err == nil || !strings.Contains(err.Error(), `"calc/tool/nothing" names nothing that changed`) {
		t.Errorf("an address of nothing: %v", err)
	}
	chosen, unchanged, err := l.Choose([]string{address, "mail", "calc"}, now, changes)
	if err != nil || len(chosen) != 2 || !slices.Equal(unchanged, []string{"mail"}) {
		t.Fatalf("chosen %+v, unchanged %q, %v", chosen, unchanged, err)
	}
	approved, left := l.Approve(now, chosen, "2026-11-23")
	if len(approved) != 1 || left != 0 || len(l.Old.Changes(now.Entries)) != 0 {
		t.Errorf("approved %+v with %d left, want one and none", approved, left)
	}
}

// A server is taken out once, whoever names it twice; one that there is not is an error that helps; one that is a target too is told.
func TestRemoveFromLockfile(t *testing.T) {
	now := stateOf(t, server("calc", "Adds."), server("mail", "Sends."))
	l := openWritten(t, First(now, "2026-11-22"))
	if err := l.Remove([]string{"cacl"}); err == nil || !strings.Contains(err.Error(), `holds no server "cacl"`) || !strings.Contains(err.Error(), "calc") {
		t.Errorf("%v, want a hint at calc", err)
	}
	if err := l.Remove([]string{"something else"}); err == nil || !strings.HasSuffix(err.Error(), ": want one of calc, mail") {
		t.Errorf("%v, want the names that there are", err)
	}
	if got := l.RemovedTarget(now); got != "" {
		t.Errorf("%q was taken out before anything was", got)
	}
	if err := l.Remove([]string{"calc", "calc"}); err != nil || len(l.Old.Servers) != 1 || l.Old.Servers[0].Address() != "mail" {
		t.Errorf("%v, %+v is left", err, l.Old.Servers)
	}
	if got := l.RemovedTarget(now); got != "calc" {
		t.Errorf("%q was taken out and is a target, want calc", got)
	}
	if got := l.RemovedTarget(stateOf(t, server("mail", "Sends."))); got != "" {
		t.Errorf("%q was taken out and is a target, want none", got)
	}
	if err := l.Remove([]string{"mail"}); err != nil {
		t.Error(err)
	}
	if err := l.Remove([]string{"post"}); err == nil || !strings.HasSuffix(err.Error(), "; it is empty") {
		t.Errorf("%v, want that it is empty", err)
	}
}

// Of names that there are ten are told.
func TestSuggestName(t *testing.T) {
	names := strings.Fields("n00 n01 n02 n03 n04 n05 n06 n07 n08 n09 n10")
	for n, want := range map[int]string{0: "none", 1: ": n00", 10: ": " + strings.Join(names[:10], ", "), 11: ": " + strings.Join(names[:10], ", ")} {
		if got := suggestName("something else", names[:n], "none", ": "); got != want {
			t.Errorf("%d names: %q, want %q", n, got, want)
		}
	}
}

// What is no lockfile, cannot be read or was edited by hand is no ground to compare with.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	good := string(First(stateOf(t, server("calc", "Adds.")), "2026-11-22").Bytes())
	said := 0
	open := func(name, text string, fails error) error {
		if text != "" {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Open(filepath.Join(dir, name), func(string, int) (string, error) { return text, fails }, catalog.Limits{}, func(string, ...any) { said++ })
		return err
	}
	if err := open("absent", "", nil); !errors.Is(err, ErrMissing) {
		t.Errorf("no file: %v", err)
	}
	if err := open("other", `{"tools":[]}`, nil); err == nil || !strings.Contains(err.Error(), "no lockfile") || said != 0 {
		t.Errorf("another file: %v", err)
	}
	if err := open("unread", good, errors.New("busy")); err == nil || err.Error() != "busy" {
		t.Errorf("a file that cannot be read: %v", err)
	}
	if err := open("edited", strings.Replace(good, "Adds.", "Adds!", 1), nil); err == nil || !strings.Contains(err.Error(), "nothing in it is taken for approved") || said == 0 {
		t.Errorf("an edited file: %v, %d faults told", err, said)
	}
}

// Where a server was not read as a whole and repeats a secret, the gap is told: it is what to mend first.
func TestGapsGoBeforeSecrets(t *testing.T) {
	got := &target.Gathered{Secrets: []string{"KEY=hunter2-hunter2"}}
	if err := got.Catalog.Add("calc.json", snapshot, catalog.Limits{}); err != nil {
		t.Fatal(err)
	}
	got.Outcomes = []target.Outcome{{Servers: got.Catalog.Servers}}
	got.Catalog.Problems = []finding.Problem{{Kind: finding.Unread, Message: "no answer", Location: finding.Location{Server: "calc"}}, {Kind: finding.Limit, Message: "later", Location: finding.Location{Server: "calc"}}}
	now := New(got, []target.Target{{Server: launch.Server{Command: []string{"calc"}}}}, nil, "2026-11-22")
	if !slices.Equal(now.Left, []string{"calc: not locked: no answer"}) {
		t.Errorf("left out: %q", now.Left)
	}
}

// A person can copy the address of each change, and a name cannot steer the terminal.
func TestWriteLines(t *testing.T) {
	var b strings.Builder
	if err := WriteLines(&b, []lock.Change{{State: "added", Address: lock.Address{Server: "files", What: "tool", Name: "add"}}, {State: "changed", Address: lock.Address{Server: "files", What: "tool", Name: "\x1b[2J"}}}); err != nil {
		t.Fatal(err)
	}
	if want := "\nadded    files/tool/add\nchanged  files/tool/<U+001B>[2J\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
