package tracefile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gauntlet/internal/runtime/wire"
	"gauntlet/trace"
)

// A smallDisk is a file on a disk with so much room. What does not fit is written in part.
type smallDisk struct {
	*os.File
	room *int
}

func (d smallDisk) Write(b []byte) (int, error) {
	n := min(len(b), *d.room)
	*d.room -= n
	if n, err := d.File.Write(b[:n]); err != nil {
		return n, err
	}
	if n < len(b) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func (d smallDisk) Truncate(size int64) error {
	info, err := d.Stat()
	if err != nil {
		return err
	}
	*d.room += int(info.Size() - size)
	return d.File.Truncate(size)
}

// onDisk begins a trace in dir whose files share a disk with so much room.
func onDisk(t *testing.T, dir string, room *int, messages int, report func(string)) (*File, string) {
	t.Helper()
	create := func(name string) (output, error) {
		f, err := createNew(name)
		if err != nil {
			return nil, err
		}
		return smallDisk{f.(*os.File), room}, nil
	}
	name := filepath.Join(dir, "t.ndjson")
	w := &Writer{name: name, header: trace.Header{Tool: "test"}, create: create}
	w.limits.messages, w.limits.bytes = messages, 1<<30
	f, err := create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.begin(f, f); err != nil {
		t.Fatal(err)
	}
	return newFile(name, w, report), name
}

func passage(n int) wire.Passage {
	return wire.Passage{Message: wire.Decode(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, n)), Sent: true}
}

func problems(tr *trace.Trace) string {
	var all []string
	for _, p := range tr.Problems {
		all = append(all, p.Msg)
	}
	return strings.Join(all, "; ")
}

// A full disk is told at once, and in the trace as soon as there is room again. What was
// recorded before and behind it can be read.
func TestFullDisk(t *testing.T) {
	for _, tt := range []struct {
		name string
		more bool // there is room again
		want []string
	}{
		{"for good", false, []string{"has no end"}},
		{"for a while", true, []string{"messages were not recorded here: ", "5 messages were not recorded"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			room := 1000
			var told []string
			file, name := onDisk(t, t.TempDir(), &room, 1000, func(s string) { told = append(told, s) })
			tap := file.Tap("a", trace.Between, nil, nil)
			n := 0
			for ; file.Complete() == nil; n++ {
				tap(passage(n))
			}
			if len(told) != 1 || !strings.Contains(told[0], "is incomplete") || !strings.Contains(told[0], "no space left") {
				t.Fatalf("told %q", told)
			}
			kept := n - 1
			for range 4 {
				tap(passage(n))
			}
			if tt.more {
				room = 10_000
				tap(passage(n))
				kept++
				if len(told) != 2 || !strings.Contains(told[1], "goes on: ") {
					t.Errorf("told %q", told)
				}
			}
			if err := file.Close(); err == nil || !strings.Contains(err.Error(), "no space left") {
				t.Errorf("Close: %v", err)
			}
			if file.Complete() == nil {
				t.Error("a trace with a gap counts as complete")
			}
			got, err := Read(name, nil)
			if err != nil || len(got.Messages) != kept {
				t.Fatalf("%v, %d messages, want %d", err, len(got.Messages), kept)
			}
			for _, want := range tt.want {
				if got.Unread == 0 || !strings.Contains(problems(got), want) {
					t.Errorf("problems %q, want %q", problems(got), want)
				}
			}
		})
	}
}

// A long trace goes on in further files, and names that are taken stay what they are.
func TestRotation(t *testing.T) {
	dir, room := t.TempDir(), 1<<20
	taken := filepath.Join(dir, "t.3.ndjson")
	if err := os.WriteFile(taken, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, name := onDisk(t, dir, &room, 10, nil)
	tap := file.Tap("a", trace.Between, nil, nil)
	for n := range 35 {
		tap(passage(n))
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := Read(name, nil)
	if err != nil || got.Unread != 0 || len(got.Messages) != 35 {
		t.Fatalf("%v, %d messages, %s", err, len(got.Messages), problems(got))
	}
	for i, want := range map[int]string{0: "", 9: "", 10: "t.2.ndjson", 20: "t.4.ndjson", 34: "t.5.ndjson"} {
		if got.FileOf(i) != want || got.Messages[i].Seq != i+1 {
			t.Errorf("message %d has the number %d and stands in %q, want %q", i, got.Messages[i].Seq, got.FileOf(i), want)
		}
	}
	if text, _ := os.ReadFile(taken); string(text) != "mine" {
		t.Errorf("a file of somebody else's holds %q now", text)
	}
	info, err := os.Stat(filepath.Join(dir, "t.5.ndjson"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the last file: %v, %v", info, err)
	}
	if err := os.Remove(filepath.Join(dir, "t.4.ndjson")); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(name, nil); err != nil || got.Unread != 1 || !strings.Contains(problems(got), `goes on in "t.4.ndjson"`) {
		t.Errorf("with a file missing: %v, %s", err, problems(got))
	}
}

// Where nothing may go unrecorded, a message that was not recorded is not sent.
func TestStrictTapRefuses(t *testing.T) {
	room := 500
	file, _ := onDisk(t, t.TempDir(), &room, 1000, nil)
	tap := file.StrictTap("a", trace.Between, nil, nil)
	sent, refused := 0, 0
	for n := range 100 {
		p := passage(n)
		allowed := true
		p.Refuse = func(error) { allowed = false }
		if tap(p); allowed {
			sent++
		} else {
			refused++
		}
	}
	if n := file.writer.messages; sent != n || refused != 100-n || n == 0 {
		t.Errorf("%d messages are recorded, %d were sent and %d refused", n, sent, refused)
	}
}

// The cost of a connection does not grow with those before it.
func TestSecretsAreHiddenOnce(t *testing.T) {
	room := 1 << 20
	file, _ := onDisk(t, t.TempDir(), &room, 1000, nil)
	secrets := []string{"TOKEN=topsecretvalue", "OTHER=anothersecret"}
	file.Tap("a", trace.Between, secrets, nil)
	before := file.secret
	for range 1000 {
		file.Tap("a", trace.Between, secrets, nil)
	}
	if file.secret != before || len(file.given) != len(secrets) {
		t.Errorf("%d secrets are kept, want %d, and they are looked for anew: %v", len(file.given), len(secrets), file.secret != before)
	}
	if got := file.redactGiven("x topsecretvalue anothersecret"); strings.Contains(got, "secretvalue") || strings.Contains(got, "anothersecret") {
		t.Errorf("shown: %s", got)
	}
}

// A file that others can read, or hold open, is not the one that is written.
func TestTraceFileIsNewAndPrivate(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.ndjson")
	if err := os.WriteFile(name, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	held, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	file, err := Create(name, nil, "gauntlet test", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	was, err := held.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 || os.SameFile(info, was) {
		t.Errorf("mode %v, the same file as before: %v", info.Mode(), os.SameFile(info, was))
	}
}

func TestFilterPicks(t *testing.T) {
	m := &trace.Message{Server: "files", Method: "tools/call", Actor: "agent"}
	for _, tt := range []struct {
		name string
		f    Filter
		want bool
	}{
		{"an empty filter picks all", Filter{}, true},
		{"every part fits", Filter{Servers: []string{"web", "files"}, Methods: []string{"tools/call"}, Actors: []string{"agent"}}, true},
		{"another server", Filter{Servers: []string{"web"}}, false},
		{"another method", Filter{Servers: []string{"files"}, Methods: []string{"tools/list"}}, false},
		{"another actor", Filter{Actors: []string{"server"}}, false},
		{"a part of a word", Filter{Methods: []string{"tools"}}, false},
	} {
		if got := tt.f.Picks(m); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// A flood is told and not held in memory; whatever else is in the trace is read, however far behind.
func TestFloodIsToldAndPassedOver(t *testing.T) {
	room := 1 << 30
	file, name := onDisk(t, t.TempDir(), &room, trace.DefaultMessages, nil)
	tap := file.Tap("mail", trace.Between, nil, nil)
	for range 3 * trace.FloodMessages {
		tap(wire.Passage{Message: wire.Decode(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)})
	}
	tap(passage(1))
	tap(wire.Passage{Message: wire.Decode(`{"jsonrpc":"2.0","id":1,"result":{}}`)})
	tap(wire.Passage{Message: wire.Decode(`{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage"}`)})
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	got, floods, err := ReadConversation(name, nil)
	if err != nil || got.Unread != 0 || len(got.Messages) != 3 {
		t.Fatalf("%v, %d messages, %s", err, len(got.Messages), problems(got))
	}
	if len(floods) != 1 || !strings.Contains(floods[0], "mail floods its client") {
		t.Errorf("told %q", floods)
	}
}
