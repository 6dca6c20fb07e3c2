package sandbox

import (
	"encoding/hex"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attempts are ways out of the sandbox, each returning an error where it is closed. They get what
// the test planted outside: NAME=VALUE in the arguments.
var attempts = map[string]func(planted map[string]string) error{
	"mount": func(map[string]string) error { return unix.Mount("none", "/tmp", "tmpfs", 0, "") },
	"mount by the new calls": func(map[string]string) error {
		_, err := unix.Fsopen("tmpfs", 0)
		return err
	},
	"unmount":          func(map[string]string) error { return unix.Unmount("/proc", unix.MNT_DETACH) },
	"a remount":        func(map[string]string) error { return unix.Mount("", "/usr", "", unix.MS_REMOUNT|unix.MS_BIND, "") },
	"pivot_root":       func(map[string]string) error { return unix.PivotRoot("/tmp", "/tmp") },
	"chroot":           func(map[string]string) error { return unix.Chroot("/tmp") },
	"a user namespace": func(map[string]string) error { return unix.Unshare(unix.CLONE_NEWUSER) },
	"a user namespace by clone": func(map[string]string) error {
		cmd := exec.Command("/bin/true")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
		return cmd.Run()
	},
	"setns": func(map[string]string) error {
		fd, err := unix.Open("/proc/1/ns/net", unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unix.Setns(fd, 0)
	},
	"ptrace of the first process": func(map[string]string) error { return unix.PtraceAttach(1) },
	"memory of the first process": func(map[string]string) error {
		_, err := os.ReadFile("/proc/1/environ")
		if err == nil {
			return nil
		}
		_, err = os.Open("/proc/1/mem")
		return err
	},
	"the root of the first process": func(map[string]string) error {
		_, err := os.ReadDir("/proc/1/root/")
		return err
	},
	"a process outside": func(p map[string]string) error {
		pid, _ := strconv.Atoi(p["pid"])
		return syscall.Kill(pid, 0)
	},
	"a file outside": func(p map[string]string) error {
		_, err := os.ReadFile(p["file"])
		return err
	},
	"a file outside, past the root": func(p map[string]string) error {
		_, err := os.ReadFile("/proc/self/root/../../../.." + p["file"])
		return err
	},
	"writing to the system": func(map[string]string) error { return os.WriteFile("/usr/bin/escaped", []byte("x"), 0o755) },
	"writing to /etc":       func(map[string]string) error { return os.WriteFile("/etc/escaped", []byte("x"), 0o644) },
	"a setting of the kernel": func(map[string]string) error {
		return os.WriteFile("/proc/sys/kernel/core_pattern", []byte("|/tmp/x"), 0)
	},
	"an abstract socket outside": func(p map[string]string) error {
		c, err := net.Dial("unix", p["abstract"])
		if err == nil {
			c.Close()
		}
		return err
	},
	"a socket outside, in a shown folder": func(p map[string]string) error {
		c, err := net.Dial("unix", p["socket"])
		if err == nil {
			c.Close()
		}
		return err
	},
	"a port outside": func(p map[string]string) error {
		c, err := net.Dial("tcp", p["port"])
		if err == nil {
			c.Close()
		}
		return err
	},
	"a keyring": func(map[string]string) error {
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true)
		return err
	},
	"adding a key": func(map[string]string) error {
		_, err := unix.AddKey("user", "x", []byte("y"), unix.KEY_SPEC_SESSION_KEYRING)
		return err
	},
	"io_uring": func(map[string]string) error {
		var params [120]byte
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 4, uintptr(unsafe.Pointer(&params[0])), 0)
		if errno == 0 {
			return nil
		}
		return errno
	},
	"bpf": func(map[string]string) error {
		var attr [64]byte
		_, _, errno := unix.Syscall(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&attr[0])), 64)
		if errno == unix.EPERM {
			return errno
		}
		return nil
	},
	"a socket of the hypervisor": func(map[string]string) error {
		_, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)
		return err
	},
	"raw packets": func(map[string]string) error {
		_, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
		return err
	},
	"a device": func(map[string]string) error { return unix.Mknod("/tmp/disk", unix.S_IFBLK|0o666, 8<<8) },
	"a program with another user's rights": func(map[string]string) error {
		// sudo, su, mount and the like gain nothing.
		for _, name := range []string{"/usr/bin/su", "/bin/su", "/usr/bin/mount", "/bin/mount", "/usr/bin/passwd"} {
			if info, err := os.Stat(name); err == nil && info.Mode()&os.ModeSetuid != 0 {
				cmd := exec.Command("/bin/sh", "-c", "cp "+name+" /tmp/s && chmod 4755 /tmp/s; exec "+name+" --help >/dev/null 2>&1; grep CapEff /proc/self/status")
				_, _ = cmd.Output() // whatever it does
			}
		}
		status, err := os.ReadFile("/proc/self/status")
		if err != nil || !strings.Contains(string(status), "NoNewPrivs:\t1") || !strings.Contains(string(status), "CapBnd:\t0000000000000000") {
			return nil
		}
		return unix.EPERM
	},
	"becoming another user": func(map[string]string) error { return unix.Setresuid(1, 1, 1) },
	"input into a terminal": func(map[string]string) error {
		c := byte('x')
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
		if errno == unix.EPERM {
			return errno
		}
		return nil
	},
	"input into a terminal, asked for in 64 bits": func(map[string]string) error {
		c := byte('x')
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, 1<<32|unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
		if errno == unix.EPERM {
			return errno
		}
		return nil
	},
	"limits of the first process": func(map[string]string) error {
		return unix.Prlimit(1, unix.RLIMIT_NOFILE, nil, &unix.Rlimit{})
	},
	"memory that nothing counts": func(map[string]string) error {
		_, err := unix.MemfdCreate("x", 0)
		return err
	},
	"more files than a limit has": func(map[string]string) error {
		if err := os.MkdirAll("/tmp/many", 0o700); err != nil {
			return err
		}
		for i := range 70_000 {
			if err := unix.Mknod(fmt.Sprint("/tmp/many/", i), unix.S_IFREG|0o600, 0); err != nil {
				return err
			}
		}
		return nil
	},
	"descriptors that were inherited": func(map[string]string) error {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return nil
		}
		for _, e := range entries {
			target, _ := os.Readlink("/proc/self/fd/" + e.Name())
			n, _ := strconv.Atoi(e.Name())
			if n > 2 && !strings.HasPrefix(target, "anon_inode:") && !strings.Contains(target, "/proc/") && target != "" {
				return nil
			}
		}
		return unix.EBADF
	},
}

var _ = addServer("escape", func() int { return attempt(slices.Collect(maps.Keys(attempts))) })

var _ = addServer("planted", func() int { return attempt(plantedAttempts) })

// attempt tries ways out and says which are open.
func attempt(names []string) int {
	planted := map[string]string{}
	for _, arg := range os.Args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		text, _ := hex.DecodeString(value) // what an argument names is shown in the sandbox
		planted[name] = string(text)
	}
	for _, name := range names {
		if err := attempts[name](planted); err == nil {
			fmt.Println("OPEN:", name)
		}
	}
	fmt.Println("tried", len(names))
	return 0
}

func TestNoWayOut(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	abstract := fmt.Sprintf("@sandbox-test-%d", os.Getpid())
	named, err := net.Listen("unix", abstract)
	if err != nil {
		t.Fatal(err)
	}
	defer named.Close()
	shown := t.TempDir()
	socket := filepath.Join(shown, "s")
	inFolder, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip("the folder for temporary files has too long a name for a socket:", err)
	}
	defer inFolder.Close()
	inherited, err := os.Open(outside)
	if err != nil {
		t.Fatal(err)
	}
	defer inherited.Close()
	// A descriptor that somebody forgot to mark: without the sandbox every child has it.
	if _, err := unix.FcntlInt(inherited.Fd(), unix.F_SETFD, 0); err != nil {
		t.Fatal(err)
	}
	pid := exec.Command("/bin/cat")
	in, err := pid.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := pid.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = pid.Wait() }()
	var args []string
	for name, value := range map[string]string{"file": outside, "abstract": abstract, "socket": socket, "port": tcp.Addr().String(), "pid": strconv.Itoa(pid.Process.Pid)} {
		args = append(args, name+"="+hex.EncodeToString([]byte(value)))
	}
	t.Run("the same without a sandbox", func(t *testing.T) {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env, cmd.ExtraFiles = append(os.Environ(), envServer+"=planted", "GOCOVERDIR="+t.TempDir()), []*os.File{inherited}
		out, err := cmd.CombinedOutput()
		for _, name := range plantedAttempts {
			if err != nil || !strings.Contains(string(out), "OPEN: "+name+"\n") {
				t.Errorf("%s is closed outside as well, so that the test proves nothing: %v\n%s", name, err, out)
			}
		}
	})
	s, out := runServer(t, Config{Read: []string{shown}}, "escape", args...)
	if !strings.Contains(out, fmt.Sprint("tried ", len(attempts))) || strings.Contains(out, "OPEN") {
		t.Errorf("ways out:\n%s", out)
	}
	if !slices.ContainsFunc(s.eventsOf(Denied), func(e Event) bool { return e.Path == socket }) {
		t.Errorf("the try to reach a socket of this machine is no event: %+v", s.eventsOf(Denied))
	}
	for _, call := range []string{"prlimit64", "ptrace", "bpf", "add_key"} {
		if !slices.ContainsFunc(s.eventsOf(Denied), func(e Event) bool { return e.Text == "the system call "+call }) {
			t.Errorf("the refused call %s is no event: %+v", call, s.eventsOf(Denied))
		}
	}
}

// plantedAttempts reach what the test planted where there is no sandbox.
var plantedAttempts = []string{
	"a process outside", "a file outside", "an abstract socket outside", "a socket outside, in a shown folder", "a port outside", "descriptors that were inherited",
}
