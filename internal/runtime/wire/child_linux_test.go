package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// holder starts an orphan as a server of its own and waits to be killed.
var _ = add("holder", func() {
	c := command("orphan")
	c.Env = append(c.Env, envAddr+"="+os.Getenv(envAddr))
	p, err := Start(c)
	if err != nil {
		os.Exit(9)
	}
	_, _ = p.Receive(testContext{}) // waits for ever
})

// runaway starts a process in a session of its own, without the environment that it had,
// whose parent ends at once: nothing ties it to the server any more.
var _ = add("runaway", func() {
	child := exec.Command(os.Args[0])
	child.Env = []string{envServer + "=between-bare", envAddr + "=" + os.Getenv(envAddr)}
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if child.Run() != nil {
		os.Exit(9)
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
})

var _ = add("between-bare", func() {
	child := exec.Command(os.Args[0])
	child.Env = []string{envServer + "=orphan", envAddr + "=" + os.Getenv(envAddr)}
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if child.Start() != nil {
		os.Exit(9)
	}
})

// opentty tells whether it can open the controlling terminal.
var _ = add("opentty", func() {
	_, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	fmt.Printf("%v\n", err == nil)
})

// terminal gets a controlling terminal and starts opentty as a server.
var _ = add("terminal", func() {
	if f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err != nil {
		fmt.Println("no terminal:", err)
		return
	} else {
		f.Close()
	}
	p, err := Start(command("opentty"))
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := p.Receive(testContext{})
	fmt.Println(m.Raw, err)
	p.Close()
})

// protected protects itself and starts a reader of its environment as a server.
var _ = add("protected", func() {
	if err := ProtectProcess(); err != nil {
		fmt.Println(err)
		return
	}
	c := command("reader")
	c.Env = append(c.Env, "PARENT="+strconv.Itoa(os.Getpid()))
	p, err := Start(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		m, _ := p.Receive(testContext{})
		fmt.Println(m.Raw)
	}
	p.Close()
	withMaps := func() error {
		cmd := exec.Command("/bin/true")
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
		}
		return cmd.Run()
	}
	fmt.Println("maps while hidden:", withMaps() == nil)
	fmt.Println("maps while readable:", WhileReadable(withMaps) == nil)
	n, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	fmt.Println("dumpable afterwards:", n, err)
})

// reader tells what it can open of the process whose number is in PARENT.
var _ = add("reader", func() {
	for _, name := range []string{"environ", "mem", "maps"} {
		_, err := os.ReadFile("/proc/" + os.Getenv("PARENT") + "/" + name)
		fmt.Println(name, errors.Is(err, os.ErrPermission))
	}
})

// testContext is a context that never ends, for servers, which have no *testing.T.
type testContext struct{}

func (testContext) Deadline() (time.Time, bool) { return time.Time{}, false }
func (testContext) Done() <-chan struct{}       { return nil }
func (testContext) Err() error                  { return nil }
func (testContext) Value(any) any               { return nil }

// awaitHangUp listens for one process, which run starts, and returns once it has gone.
func awaitHangUp(t *testing.T, run func(addr string) (kill func())) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_ = l.(*net.TCPListener).SetDeadline(time.Now().Add(20 * time.Second))
	kill := run(l.Addr().String())
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	kill()
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := c.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the process is still there")
	}
}

func TestAServerEndsWhenWeAreKilled(t *testing.T) {
	awaitHangUp(t, func(addr string) func() {
		cmd := again("holder")
		cmd.Env = append(cmd.Env, envAddr+"="+addr, "GOCOVERDIR="+t.TempDir())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
}

// The parent-death signal follows a thread: servers must outlive the goroutine and the thread
// that asked for them.
func TestAServerOutlivesTheThreadThatAskedForIt(t *testing.T) {
	done := make(chan *Process)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends here
		p, err := Start(command("echo"))
		if err != nil {
			t.Error(err)
		}
		done <- p
	}()
	p := <-done
	t.Cleanup(func() { p.Close() })
	if err := p.Send(t.Context(), []byte(`{"jsonrpc":"2.0","method":"x"}`)); err != nil {
		t.Fatal(err)
	}
	if m, err := p.Receive(t.Context()); err != nil || m.Method != "x" {
		t.Errorf("%v, %v", m, err)
	}
}

func TestARunawayEndsWithItsServer(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(*Process) error
	}{
		{"Close", (*Process).Close},
		{"Kill", (*Process).Kill},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
				t.Fatal(err)
			}
			defer unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) //nolint:errcheck // it was 0
			// A child of ours in our session is none of a server's.
			bystander := exec.Command("/bin/cat")
			in, err := bystander.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := bystander.Start(); err != nil {
				t.Fatal(err)
			}
			awaitHangUp(t, func(addr string) func() {
				c := command("runaway")
				c.Env = append(c.Env, envAddr+"="+addr)
				p := start(t, c)
				if m, err := p.Receive(t.Context()); err != nil || m.Raw != "ready" {
					t.Fatal(m.Raw, err)
				}
				return func() {
					if err := tt.end(p); err != nil {
						t.Error(err)
					}
				}
			})
			in.Close()
			if err := bystander.Wait(); err != nil {
				t.Errorf("the bystander: %v", err)
			}
		})
	}
}

// While another server runs, an orphan may be that one's.
func TestAnOrphanIsSparedWhileAnotherServerRuns(t *testing.T) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	defer unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) //nolint:errcheck // it was 0
	awaitHangUp(t, func(addr string) func() {
		c := command("runaway")
		c.Env = append(c.Env, envAddr+"="+addr)
		p, other := start(t, c), start(t, command("echo"))
		if m, err := p.Receive(t.Context()); err != nil || m.Raw != "ready" {
			t.Fatal(m.Raw, err)
		}
		return func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			orphans := 0
			self, _ := readTableEntry(os.Getpid())
			for _, e := range readProcessTable() {
				if e.parent == self.pid && e.session != self.session && !e.zombie && e.pid != other.Pid() {
					orphans++
				}
			}
			if orphans != 1 {
				t.Errorf("%d orphans while another server runs, want 1", orphans)
			}
			if err := other.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestAServerHasNoTerminal(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here:", err)
	}
	defer master.Close()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	var out bytes.Buffer
	cmd := again("terminal")
	cmd.Env = append(cmd.Env, "GOCOVERDIR="+t.TempDir())
	cmd.Stdin, cmd.Stdout = slave, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(out.String()); got != "false <nil>" {
		t.Errorf("the server could open /dev/tty, or did not run: %s", got)
	}
}

// Root may read everything, so this looks as another user where the test runs as root.
func TestAServerCannotReadUs(t *testing.T) {
	var out bytes.Buffer
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{envServer + "=protected", "SECRET=hidden", "GOCOVERDIR=" + t.TempDir()}
	cmd.Stdout = &out
	if os.Getuid() == 0 {
		const nobody = 65534
		// The test binary stands in a folder of root's.
		program, err := os.ReadFile("/proc/self/exe")
		if err != nil {
			t.Fatal(err)
		}
		dir, err := os.MkdirTemp("/tmp", "wire")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd.Path = dir + "/wire.test"
		if err := os.WriteFile(cmd.Path, program, 0o755); err != nil { //nolint:gosec // for another user
			t.Fatal(err)
		}
		cmd.Args = []string{cmd.Path}
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	if err := cmd.Run(); err != nil {
		t.Fatal(err, out.String())
	}
	got := out.String()
	for _, want := range []string{"environ true\nmem true\nmaps true\n", "dumpable afterwards: 0 <nil>"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
	// Some systems let nobody but root begin user namespaces.
	if strings.Contains(got, "maps while hidden: true") {
		t.Errorf("id maps could be written although the process is hidden:\n%s", got)
	}
	if mayBeginUserNamespaces(t) && !strings.Contains(got, "maps while readable: true") {
		t.Errorf("id maps could not be written:\n%s", got)
	}
}

// mayBeginUserNamespaces asks whether a user without rights may.
func mayBeginUserNamespaces(t *testing.T) bool {
	t.Helper()
	cmd := exec.Command("/bin/true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
		cmd.SysProcAttr.Cloneflags = 0
		cmd = exec.Command("/bin/sh", "-c", "unshare --user true")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	return cmd.Run() == nil
}

func TestParseStat(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       tableEntry
		ok         bool
	}{
		{"plain", "7 (sh) S 3 7 5 0 -1", tableEntry{7, 3, 5, false}, true},
		{"zombie", "7 (sh) Z 3 7 5 0", tableEntry{7, 3, 5, true}, true},
		{"a name with parentheses and spaces", "7 (a) Z 9 9 9) (b) R 3 7 5 0", tableEntry{7, 3, 5, false}, true},
		{"cut short", "7 (sh) S 3 7", tableEntry{}, false},
		{"no numbers", "7 (sh) S x y z", tableEntry{pid: 7}, false},
		{"empty", "", tableEntry{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := parseStat(7, tt.text); got != tt.want || ok != tt.ok {
				t.Errorf("parseStat(%q) = %v, %v, want %v, %v", tt.text, got, ok, tt.want, tt.ok)
			}
		})
	}
}

// Whatever the name of a program is, the fields behind it are read as they are.
func FuzzParseStat(f *testing.F) {
	f.Add("sh", "7 (sh) S 3 7 5 0")
	f.Add(") Z 1 1 1", "7 (")
	f.Fuzz(func(t *testing.T, name, text string) {
		parseStat(7, text)
		if got, ok := parseStat(7, "7 ("+name+") S 3 7 5 0"); !ok || got != (tableEntry{7, 3, 5, false}) {
			t.Errorf("the name %q changes what is read: %v, %v", name, got, ok)
		}
	})
}
