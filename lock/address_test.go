package lock

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gauntlet/catalog"
)

// under returns what is locked of a text's only server under an entry.
func under(t testing.TB, entry, text string) Server {
	t.Helper()
	s := parse(t, text).Servers[0]
	if entry != "" {
		s.Entries = []string{entry}
	}
	return FromServer(s, Target{Command: "node"}, date)
}

const (
	readsDocs = `{"server":{"name":"filesystem"},"tools":[{"name":"read","description":"Reads docs."}]}`
	readsCode = `{"server":{"name":"filesystem"},"tools":[{"name":"read","description":"Reads code."}]}`
	sendsDocs = `{"server":{"name":"filesystem"},"tools":[{"name":"read","description":"Reads docs and sends them."}]}`
)

func TestServersOfOneName(t *testing.T) {
	f := &File{Servers: []Server{under(t, "docs", readsDocs), under(t, "cursor/code", readsCode)}}
	r := mustRead(t, string(f.Bytes()))
	if len(r.Catalog.Problems) != 0 || len(r.Servers) != 2 {
		t.Fatalf("read as %d servers with %v", len(r.Servers), r.Catalog.Problems)
	}
	if s := r.Catalog.Servers[0]; s.Name != "filesystem" || !slices.Equal(s.Entries, []string{"cursor/code"}) || s.Target != "node" {
		t.Errorf("the first server is %q, entries %q, target %q", s.Name, s.Entries, s.Target)
	}
	now := []Server{under(t, "docs", sendsDocs), under(t, "cursor/code", readsCode)}
	var got []string
	for _, c := range r.Changes(now) {
		got = append(got, string(c.State)+" "+c.Address.String())
	}
	if want := []string{"changed docs/tool/read"}; !slices.Equal(got, want) {
		t.Errorf("changes %q, want %q", got, want)
	}
	found, known, err := r.Find("cursor/code/tool/read", now, r.Changes(now))
	if found != nil || !known || err != nil {
		t.Errorf("what has not changed: %v, %v, %v", found, known, err)
	}
}

// The order of the servers and how many there are say nothing about any of them.
func TestAddressesHangOnNothingElse(t *testing.T) {
	was := []Server{under(t, "docs", readsDocs), under(t, "cursor/code", readsCode), under(t, "cursor/docs", readsDocs), under(t, "", `{"server":{"name":"other"},"tools":[]}`)}
	now := []Server{under(t, "docs", sendsDocs), under(t, "cursor/code", readsCode), under(t, "cursor/docs", sendsDocs), under(t, "new", readsCode)}
	of := map[string][]Change{}
	for _, s := range now {
		of[s.Address()] = (&File{Servers: was}).Changes([]Server{s})
	}
	var whole []byte
	for range 50 {
		rand.Shuffle(len(was), func(i, j int) { was[i], was[j] = was[j], was[i] })
		rand.Shuffle(len(now), func(i, j int) { now[i], now[j] = now[j], now[i] })
		if got := (&File{Servers: was}).Bytes(); whole == nil {
			whole = got
		} else if !bytes.Equal(got, whole) {
			t.Fatalf("another order, another lockfile:\n%s\n%s", got, whole)
		}
		some := now[:rand.IntN(len(now)+1)]
		got := (&File{Servers: slices.Clone(was)}).Changes(some)
		var want int
		for _, s := range some {
			want += len(of[s.Address()])
			for _, c := range of[s.Address()] {
				if !slices.Contains(got, c) {
					t.Fatalf("%v is a change of %s alone, and none beside %d others", c, s.Address(), len(some)-1)
				}
			}
		}
		if len(got) != want {
			t.Fatalf("changes %v, want %d", got, want)
		}
	}
}

func TestOneAddressTwiceIsRefused(t *testing.T) {
	f := &File{Servers: []Server{under(t, "docs", readsDocs), under(t, "docs", readsCode)}}
	_, err := Parse("l.json", string(f.Bytes()), catalog.Limits{})
	if err == nil || !strings.Contains(err.Error(), `two servers are called "docs"`) {
		t.Errorf("error %v", err)
	}
}

func TestEditedEntryIsSeen(t *testing.T) {
	whole := string((&File{Servers: []Server{under(t, "docs", readsDocs)}}).Bytes())
	r := mustRead(t, strings.Replace(whole, `"entry": "docs"`, `"entry": "code"`, 1))
	if len(r.Damage) != 1 || !strings.Contains(r.Damage[0].Message, `hash of the server "code"`) {
		t.Errorf("damage %v, want one about the server", r.Damage)
	}
}

// A server that gave itself another name is the same server where the user knows it by a key.
func TestApproveANewName(t *testing.T) {
	for _, tt := range []struct{ name, was, now, change string }{
		{"in what it says about itself", readsDocs, strings.Replace(readsDocs, "filesystem", "files", 1), "docs/server"},
		{"beside it", `{"servers":[{"name":"a","tools":[]}]}`, `{"servers":[{"name":"b","tools":[]}]}`, "docs/name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &File{Servers: []Server{under(t, "docs", tt.was)}}
			now := []Server{under(t, "docs", tt.now)}
			changes := f.Changes(now)
			if len(changes) != 1 || changes[0].Address.String() != tt.change {
				t.Fatalf("changes %v, want %s", changes, tt.change)
			}
			if found, _, err := f.Find(tt.change, now, changes); len(found) != 1 || err != nil {
				t.Errorf("Find(%s) = %v, %v", tt.change, found, err)
			}
			f.Approve(now, []Address{changes[0].Address}, date)
			if got := f.Servers[0]; got.Name != now[0].Name || got.Entry != "docs" || f.Changes(now) != nil {
				t.Errorf("approved, and it is %q under %q with the changes %v", got.Name, got.Entry, f.Changes(now))
			}
			if r := mustRead(t, string(f.Bytes())); r.Damage != nil {
				t.Errorf("damage %v", r.Damage)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	f := &File{Servers: []Server{under(t, "docs", readsDocs), under(t, "", readsCode)}}
	for _, tt := range []struct {
		address string
		want    bool
		left    int
	}{{"read", false, 2}, {"docs/tool/read", false, 2}, {"filesystem", true, 1}, {"filesystem", false, 1}, {"docs", true, 0}} {
		if got := f.Remove(tt.address); got != tt.want || len(f.Servers) != tt.left {
			t.Errorf("Remove(%q) = %v and leaves %d, want %v and %d", tt.address, got, len(f.Servers), tt.want, tt.left)
		}
	}
	if r := mustRead(t, string(f.Bytes())); len(r.Servers) != 0 || r.Damage != nil {
		t.Errorf("an empty lockfile is read as %v with %v", r.Servers, r.Damage)
	}
}

// Who approves one tool of a server that calls itself something else now has not approved the name.
func TestApproveLeavesAnUnapprovedName(t *testing.T) {
	const was = `{"server":{"name":"files"},"tools":[{"name":"a"}]}`
	const is = `{"server":{"name":"mail"},"tools":[{"name":"a","description":"new"}]}`
	f := &File{Servers: []Server{under(t, "docs", was)}}
	now := []Server{under(t, "docs", is)}
	f.Approve(now, []Address{{"docs", "tool", "a"}}, date)
	if got := f.Servers[0]; got.Name != "files" {
		t.Errorf("the server is locked as %q", got.Name)
	}
	if left := f.Changes(now); len(left) != 1 || left[0].Address.What != "server" {
		t.Errorf("left are %v, want what it says about itself", left)
	}
}

// An address of something below a server that is new is known, although the change is the server's.
func TestFindBelowANewServer(t *testing.T) {
	f := &File{Servers: []Server{under(t, "docs", readsDocs)}}
	now := []Server{under(t, "docs", readsDocs), under(t, "new", readsCode)}
	changes := f.Changes(now)
	for typed, want := range map[string]bool{"new/tool/read": true, "new/tool/write": false, "newer/tool/read": false, "docs/tool/read": true} {
		if found, known, err := f.Find(typed, now, changes); len(found) != 0 || known != want || err != nil {
			t.Errorf("Find(%q) = %v, %t, %v, want nothing, %t", typed, found, known, err, want)
		}
	}
}

// A name that one side does not have from the server itself says nothing about a new one.
func TestRenamedNeedsTwoNames(t *testing.T) {
	for _, tt := range []struct {
		name         string
		was, is      Server
		wantsRenamed bool
	}{
		{"two names", Server{Name: "a"}, Server{Name: "b"}, true},
		{"the same name", Server{Name: "a"}, Server{Name: "a"}, false},
		{"it had none", Server{Name: "a", Anonymous: true}, Server{Name: "b"}, false},
		{"it has none", Server{Name: "a"}, Server{Name: "b", Anonymous: true}, false},
		{"neither", Server{Name: "a", Anonymous: true}, Server{Name: "b", Anonymous: true}, false},
		{"it says something else of itself", Server{Name: "a"}, Server{Name: "b", Self: []Part{{Member: "server", Item: newItem("", `{}`)}}}, false},
	} {
		tt.was.Entry, tt.is.Entry = "e", "e"
		if got := tt.was.renamed(&tt.is); got != tt.wantsRenamed {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.wantsRenamed)
		}
		changes := (&File{Servers: []Server{tt.was}}).Changes([]Server{tt.is})
		if got := slices.Contains(changes, Change{Address{Server: "e", What: "name"}, Changed}); got != tt.wantsRenamed {
			t.Errorf("%s: the changes are %v", tt.name, changes)
		}
	}
}

// A list comes with its first item, and goes as it went with its last; one that came or went while empty is approved by itself.
func TestApprovedListsArePresentAsTheyAre(t *testing.T) {
	const without, empty, one, two = `{"server":{"name":"s"}}`, `{"server":{"name":"s"},"tools":[]}`,
		`{"server":{"name":"s"},"tools":[{"name":"a"}]}`, `{"server":{"name":"s"},"tools":[{"name":"a"},{"name":"b"}]}`
	all, a := Address{Server: "e"}, Address{"e", "tool", "a"}
	for _, tt := range []struct {
		name, was, now string
		approved       Address
		present        bool
		items          int
	}{
		{"the first item", without, one, a, true, 1},
		{"the first of two", without, two, a, true, 1},
		{"both", without, two, all, true, 2},
		{"the last item, of a list that stays", one, empty, a, true, 0},
		{"the last item, with its list", one, without, a, false, 0},
		{"one of two", two, `{"server":{"name":"s"},"tools":[{"name":"b"}]}`, a, true, 1},
		{"an empty list that came", without, empty, Address{"e", "tools", ""}, true, 0},
		{"an empty list that went", empty, without, Address{"e", "tools", ""}, false, 0},
		{"an empty list that came and was not approved", without, empty, a, false, 0},
		{"an empty list that went and was not approved", empty, without, a, true, 0},
	} {
		f := &File{Servers: []Server{under(t, "e", tt.was)}}
		f.Approve([]Server{under(t, "e", tt.now)}, []Address{tt.approved}, date)
		if got := f.Servers[0].Lists[0]; got.Present != tt.present || len(got.Items) != tt.items {
			t.Errorf("%s: present %t with %d items, want %t, %d", tt.name, got.Present, len(got.Items), tt.present, tt.items)
		}
	}
}

// A lockfile that cannot be read leaves the catalog as it was, at whatever step it failed.
func TestAddFailsWhole(t *testing.T) {
	good := string((&File{Servers: []Server{under(t, "docs", readsDocs)}}).Bytes())
	for name, text := range map[string]string{
		"no JSON":                 "{",
		"of another version":      strings.Replace(good, `"lockfileVersion": 1`, `"lockfileVersion": 2`, 1),
		"an unknown member":       strings.Replace(good, `"entry"`, `"entries"`, 1),
		"a definition too little": strings.Replace(good, `"hash"`, `"name"`, 1),
	} {
		if text == good {
			t.Fatalf("%s: nothing was changed in %s", name, good)
		}
		c := parse(t, readsCode)
		before := *c
		if err := Add(c, "l.json", text, catalog.Limits{}); err == nil {
			t.Errorf("%s: no error", name)
		}
		if len(c.Servers) != len(before.Servers) || len(c.Documents) != len(before.Documents) || len(c.Problems) != len(before.Problems) {
			t.Errorf("%s: %d servers, %d documents, %d problems are left, want those of before", name, len(c.Servers), len(c.Documents), len(c.Problems))
		}
	}
	c := parse(t, readsCode)
	if err := Add(c, "l.json", good, catalog.Limits{}); err != nil || len(c.Servers) != 2 {
		t.Errorf("a good one: %d servers, %v", len(c.Servers), err)
	}
}
