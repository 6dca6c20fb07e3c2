package sandbox

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A limit that was reached is an event, what was lost is counted, and what decides is kept all the same.
func TestLimitsOfEvents(t *testing.T) {
	long := strings.Repeat("\x00", MaxText)
	for _, tt := range []struct {
		name  string
		noise Event
		times int
		loses bool
	}{
		{"as many as are kept", Event{Kind: Lookup, Host: "a.example"}, MaxEvents, false},
		{"more than are kept", Event{Kind: Lookup, Host: "a.example"}, 3 * MaxEvents, true},
		{"few that are long", Event{Kind: Data, Text: long}, 200, true},
		{"many that are graver", Event{Kind: Data, Text: long, Canaries: []string{"x"}}, 3 * MaxEvents, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRecorder(time.Now, nil)
			for range tt.times {
				r.record(tt.noise)
			}
			if len(tt.noise.Canaries) == 0 {
				r.record(Event{Kind: Data, Text: long, Canaries: []string{"theft"}})
				r.record(Event{Kind: FileChange, Path: "/root/.bashrc", Text: "changed"})
			}
			r.countLost()
			events := r.since(1)
			bytes := 0
			for i, e := range events {
				if bytes += len(e.Message().Raw); e.Seq != i+1 {
					t.Fatalf("the event at %d has the number %d", i, e.Seq)
				}
			}
			if most := MaxEvents + moreWeighty + 2; len(events) > most || bytes > MaxBytes+moreBytes+1<<20 {
				t.Errorf("%d events of %d bytes are kept", len(events), bytes)
			}
			last := events[len(events)-1]
			if loses := last.Kind == Limit && strings.Contains(last.Text, "were not kept"); loses != tt.loses {
				t.Errorf("the last event is %s %q, want a count: %t", last.Kind, last.Text[:min(len(last.Text), 40)], tt.loses)
			}
			for _, want := range []func(Event) bool{
				func(e Event) bool { return slices.Equal(e.Canaries, []string{"theft"}) },
				func(e Event) bool { return e.Path == "/root/.bashrc" },
			} {
				if len(tt.noise.Canaries) == 0 && !slices.ContainsFunc(events, want) {
					t.Error("what decides was lost")
				}
			}
		})
	}
}

// However many other files are written, a file from which programs start is listed first; and files that cannot be
// listed are said to be there.
func TestWatchedPlacesAreJudgedFirst(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		files        int
		limit        bool
	}{
		{"beside a few", "i=0; while [ $i -lt 20 ]; do : > /dev/shm/a$i; i=$((i+1)); done; echo x >> ~/.bashrc", 0, false},
		{"behind many", "mkdir ~/0 && cd ~/0 && seq 9000 | xargs touch; mkdir -p ~/.config/autostart; echo x > ~/.config/autostart/x.desktop; echo x >> ~/.bashrc", 0, true},
		{"where no more can be made", "echo x >> ~/.bashrc; cd /tmp && seq 20000 | xargs touch 2>/dev/null; true", 1000, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSandbox(t, Config{Limits: Limits{Files: tt.files}})
			cmd := exec.Command("/bin/sh", "-c", tt.script)
			cmd.Dir, cmd.Env = t.TempDir(), os.Environ()
			if out, err := s.run(t, cmd); err != nil {
				t.Fatal(err, out)
			}
			s.Close()
			changes := s.eventsOf(FileChange)
			if at := slices.IndexFunc(changes, func(e Event) bool { return strings.HasSuffix(e.Path, "/.bashrc") }); at < 0 || at > 2 {
				t.Errorf("of %d changes that of the profile is number %d", len(changes), at)
			}
			if strings.Contains(tt.script, "autostart") && !slices.ContainsFunc(changes, func(e Event) bool { return strings.HasSuffix(e.Path, "x.desktop") }) {
				t.Error("the autostart entry is missing")
			}
			if got := len(s.eventsOf(Limit)) > 0; got != tt.limit {
				t.Errorf("%d changes, limits %s, want one: %t", len(changes), fmt.Sprint(s.eventsOf(Limit)), tt.limit)
			}
		})
	}
}

// A file that cannot grow any more is a limit that was reached: what was to follow was not written, and so was not seen.
func TestLongestFile(t *testing.T) {
	for size, want := range map[int]bool{4095: false, 4096: true, 9000: true} {
		s := newSandbox(t, Config{Limits: Limits{FileSize: 4096}})
		cmd := exec.Command("/bin/sh", "-c", fmt.Sprintf("trap '' XFSZ; head -c %d /dev/zero > ~/a 2>/dev/null; true", size))
		cmd.Dir, cmd.Env = t.TempDir(), os.Environ()
		if out, err := s.run(t, cmd); err != nil {
			t.Fatal(err, out)
		}
		s.Close()
		if got := slices.ContainsFunc(s.eventsOf(Limit), func(e Event) bool { return strings.Contains(e.Text, "as long as one may be") }); got != want {
			t.Errorf("%d bytes: %s, want a limit: %t", size, fmt.Sprint(s.eventsOf(Limit)), want)
		}
	}
}

var _ = addServer("starts many", func() int {
	for range argument() {
		cmd := exec.Command("/bin/sleep", "30")
		if cmd.Start() != nil {
			return 0
		}
		defer cmd.Process.Kill()
	}
	return 0
})

var _ = addServer("opens many", func() int {
	for range argument() {
		if _, err := net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return 0
		}
	}
	return 0
})

var _ = addServer("asks for all", func() int {
	for fd := 3; fd < 100; fd++ {
		_, _ = unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0) // as programs do that do not know what is open
	}
	return 0
})

var _ = addServer("keeps many", func() int {
	for range argument() {
		if _, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
			break
		}
	}
	_, _ = io.Copy(os.Stdout, os.Stdin) // until it is told to end
	return 0
})

var _ = addServer("takes memory bit by bit", func() int {
	for range argument() >> 20 {
		_, err := unix.Mmap(-1, 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		_ = err // it may not
	}
	return 0
})

var _ = addServer("takes memory", func() int {
	_, err := unix.Mmap(-1, 0, argument(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	_ = err // it may not
	return 0
})

func argument() int {
	n, _ := strconv.Atoi(os.Args[1])
	return n
}

// What a process has open counts before its end, whether it was ever used or not.
func TestDescriptorsThatAreNotUsed(t *testing.T) {
	for n, want := range map[int]bool{60: false, 120: true} {
		s := newSandbox(t, Config{Limits: Limits{OpenFiles: 100}})
		cmd := exec.Command(os.Args[0], strconv.Itoa(n))
		cmd.Env = append(os.Environ(), envServer+"=keeps many", "GOCOVERDIR=/tmp")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		started, err := s.Wrap(cmd)
		if err != nil {
			t.Fatal(err)
		}
		if err := started(cmd.Start()); err != nil {
			t.Skip(err)
		}
		_, _ = in.Write([]byte("x"))
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		s.Settle()
		_ = in.Close()
		_ = cmd.Wait() // it counts what was open
		s.Close()
		if got := len(s.eventsOf(Limit)) > 0; got != want {
			t.Errorf("%d descriptors: limits %s, want one: %t", n, fmt.Sprint(s.eventsOf(Limit)), want)
		}
	}
}

// A program or a connection that there was no more room for is behaviour that did not happen, which says nothing of the server.
func TestLimitsOfProcesses(t *testing.T) {
	limits := Limits{Processes: 80, OpenFiles: 100, Memory: 2 << 30}
	for _, tt := range []struct {
		server string
		n      int
		want   string
	}{
		{"starts many", 30, ""},
		{"starts many", 100, "as many processes and threads ran as may (80)"},
		{"opens many", 60, ""},
		{"opens many", 120, "a process had as many files and connections open as it may (100)"},
		{"asks for all", 0, ""},
		{"takes memory bit by bit", 256 << 20, ""},
		{"takes memory bit by bit", 3 << 30, "a process asked for more memory than it may have"},
		{"takes memory", 256 << 20, ""},
		{"takes memory", 3 << 30, "a process asked for more memory than it may have"},
	} {
		t.Run(fmt.Sprintf("%s, %d", tt.server, tt.n), func(t *testing.T) {
			s, _ := runServer(t, Config{Limits: limits}, tt.server, strconv.Itoa(tt.n))
			s.Close()
			if got := s.eventsOf(Limit); len(got) > 1 || (len(got) == 1) != (tt.want != "") || len(got) == 1 && !strings.HasPrefix(got[0].Text, tt.want) {
				t.Errorf("%s, want %q", fmt.Sprint(got), tt.want)
			}
		})
	}
}
