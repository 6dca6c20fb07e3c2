// Package sandbox starts a server sealed off: in namespaces of its own, with a view of the files
// of this machine that it cannot write to, a home that is not the user's, and a network that
// leads nowhere but back to this process. It needs no root. What the server does there is
// recorded as [Event]s, and what it can steal are [Canary] values, which nothing else knows.
//
// It works on Linux. Elsewhere, and where the system forbids user namespaces, [New] says so.
// docs/probing.md describes the layers, what each of them stops and what none stops.
package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os/exec"
	"time"

	"gauntlet/internal/leaf/redact"
)

// A Level says whether a server is to be started in a sandbox.
type Level string

// The levels. On starts the server without a sandbox where none can be had, and the report says
// so; Require does not start it then. The zero Level is Off.
const (
	Off     Level = "off"
	On      Level = "on"
	Require Level = "require"
)

// ParseLevel reads the value of a flag.
func ParseLevel(text string) (Level, error) {
	switch l := Level(text); l {
	case Off, On, Require:
		return l, nil
	}
	return "", fmt.Errorf("%q is none of off, on, require", text)
}

// Wanted reports whether a sandbox is wanted at all.
func (l Level) Wanted() bool { return l == On || l == Require }

// A Config says what a sandbox is to be like. The zero Config but for Environ is a good one.
type Config struct {
	// Environ is our own environment, of which HOME and PATH decide what the server sees.
	Environ []string
	// Dir is the server's working directory, "" for ours. The server sees it with its content and
	// writes to a copy that is gone afterwards.
	Dir string
	// Args are words by which further files are visible if OwnFiles is set: the part of a command that the user wrote.
	Args []string
	// Read are further files and directories that the server sees; it writes to a copy.
	Read []string
	// OwnFiles says that arguments and variables come from a stranger: no file is visible because they name it,
	// only Dir, Read, the program with what it is installed with, and what Args and Environ say.
	OwnFiles bool
	// Allow are the hosts that connections really go out to, as HOST or HOST:PORT, by way of this
	// process. Everything else ends in the sandbox.
	Allow []string
	// Scratch says that files are written for us, and are no events.
	Scratch bool
	// Files are put into the sandbox before the server starts, beside the canaries.
	Files []File
	// Services answer inside the sandbox at addresses that lead nowhere else.
	Services []Service
	Limits   Limits
}

// A File is a file, a directory (Mode.IsDir) or a symbolic link (Link is set) that is put into
// the sandbox. Only places that are private to the sandbox can hold one: HOME, /tmp, /run,
// the working directory, and directories at the root that this machine does not have.
type File struct {
	Path string      // absolute; folders on the way are made. "~/" at the beginning is HOME
	Mode fs.FileMode // 0 stands for 0600, or 0700 of a directory
	Data []byte
	Link string
}

// A Service answers every HTTP request to an address inside the sandbox with one body.
type Service struct {
	Addr netip.AddrPort // 127.0.0.1:8081, 10.0.0.5:80
	Name string         // a host name that leads there; "" for none
	Type string         // of the body; "" for text/plain
	// Status and Header are those of the answer; 0 stands for 200. A redirect has 302 and Location.
	Status int
	// Redirect is an address without a path that requests are sent on to, path and all, with 302;
	// "" for none.
	Redirect string
	Header   map[string]string
	Body     string
}

// Limits bound what the server can use. A zero field means its default.
type Limits struct {
	Memory    int64 // of one process, in bytes; default 4 GiB
	Processes int   // default 512, threads included
	OpenFiles int   // of one process; default 4096
	FileSize  int64 // of one file, in bytes; default 256 MiB
	Disk      int64 // of all that is written, in bytes; default 512 MiB
	Files     int   // files, folders and links that can be made in all; default 50,000
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Memory: cmp.Or(l.Memory, 4<<30), Processes: cmp.Or(l.Processes, 512), OpenFiles: cmp.Or(l.OpenFiles, 4096),
		FileSize: cmp.Or(l.FileSize, 256<<20), Disk: cmp.Or(l.Disk, 512<<20), Files: cmp.Or(l.Files, 50_000),
	}
}

// ErrUnavailable says that this machine has no sandbox to offer; the error around it says why.
var ErrUnavailable = errors.New("no sandbox")

// A Sandbox holds one server. [Sandbox.Wrap] puts a command into it, Close ends everything in it.
// Its methods can be used from several goroutines.
type Sandbox struct {
	config   Config
	canaries []Canary
	planted  []File // the files that hold canaries
	recorder *recorder
	finder   *redact.Redactor
	platform
}

// New prepares a sandbox. It fails with [ErrUnavailable] where there can be none.
// The caller must Close it.
func New(c Config) (*Sandbox, error) {
	c.Limits = c.Limits.withDefaults()
	s := &Sandbox{config: c, canaries: newCanaries()}
	s.planted = s.canaryFiles()
	s.recorder, s.finder = newRecorder(time.Now, s.canaries), newCanaryFinder(s.canaries)
	if err := s.prepare(); err != nil {
		return nil, err
	}
	return s, nil
}

// Available starts a program that does nothing in a sandbox and returns what stood in the way.
func Available() error {
	s, err := New(Config{Dir: "/", Environ: []string{"HOME=/root", "PATH=/usr/bin:/bin"}})
	if err != nil {
		return err
	}
	defer s.Close()
	cmd := exec.Command("/bin/sh", "-c", "exit 0")
	cmd.Dir, cmd.Env = "/", s.config.Environ
	started, err := s.Wrap(cmd)
	if err != nil {
		return err
	}
	err = started(cmd.Start())
	if err != nil && cmd.Process != nil {
		_ = cmd.Process.Kill()
	}
	if cmd.Process != nil {
		_ = cmd.Wait() // its exit code says nothing
	}
	return err
}

// Wrap changes a command that is about to be started so that it runs in the sandbox. started
// must be called once after the command's Start, with its error; where it fails the command has
// to be killed. A sandbox takes one command.
func (s *Sandbox) Wrap(cmd *exec.Cmd) (started func(error) error, err error) { return s.wrap(cmd) }

// Canaries are the values that only the sandbox holds, in a fixed order.
func (s *Sandbox) Canaries() []Canary { return s.canaries }

// Events returns what happened so far, from the event with this number on; the first is 1.
func (s *Sandbox) Events(from int) []Event { return s.recorder.since(from) }

// OnEvent calls do for every event from now on, in their order. do must not wait.
func (s *Sandbox) OnEvent(do func(Event)) { s.recorder.onEvent(do) }

// BeginCall says that a tool call begins: events carry its name until the function that is
// returned is called. Calls may overlap; an event then carries the one that began last.
func (s *Sandbox) BeginCall(name string) (end func()) { return s.recorder.beginCall(name) }

// Report says which protections held.
func (s *Sandbox) Report() Report { return s.report() }

// ReadFile returns the beginning of a file as the server sees it, at most limit bytes.
// Links are followed inside the sandbox alone.
func (s *Sandbox) ReadFile(path string, limit int) ([]byte, error) { return s.readFile(path, 0, limit) }

// ReadFileFrom is ReadFile from an offset on, in bytes. Behind the end there is nothing.
func (s *Sandbox) ReadFileFrom(path string, from int64, limit int) ([]byte, error) {
	return s.readFile(path, from, limit)
}

// WriteFile puts a file into the sandbox while the server runs.
func (s *Sandbox) WriteFile(f File) error { return s.writeFile(f) }

// TakeOut copies a folder that was written in the sandbox to a folder of this machine, which is made: regular files
// and folders, and links that lead nowhere but within it. It is for the time behind the server's end and before Close.
func (s *Sandbox) TakeOut(path, to string) error { return s.takeOut(path, to) }

// Dial connects from inside the sandbox to an address inside: an IP address or localhost, and a port. No name
// is looked up, and nothing of it is an event. network is tcp.
func (s *Sandbox) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return s.dial(ctx, address)
}

// Listening returns where programs in the sandbox listen for connections of TCP.
func (s *Sandbox) Listening() ([]netip.AddrPort, error) { return s.listening() }

// PeakMemory returns the most memory that the processes which now run in the sandbox ever held, in bytes: the sum
// of the largest resident size of each.
func (s *Sandbox) PeakMemory() (int64, error) { return s.peakMemory() }

// The time that Settle gives a server, and the silence after which it has done what it was about to do.
const (
	longestSettling = 5 * time.Second
	settledAfter    = 500 * time.Millisecond
)

// Settle waits while a server that has sent something or opened a canary goes on with it. A polite server exits when its input
// ends, and that may be between the key that it has read and the connection that was to follow.
func (s *Sandbox) Settle() {
	s.lookAtLimits()
	for end := time.Now().Add(longestSettling); time.Now().Before(end); time.Sleep(settledAfter / 20) {
		if since, never := s.recorder.idle(); never || since >= settledAfter {
			return
		}
	}
}

// Close ends everything in the sandbox and waits for that. Events can be read afterwards,
// files cannot.
func (s *Sandbox) Close() error { return s.close() }

// ClientName and ClientVersion are by what a client introduces itself to a server in a sandbox: what an ordinary agent
// says, since our own name would tell the server who watches.
const (
	ClientName    = "claude-code"
	ClientVersion = "2.1.34"
)
