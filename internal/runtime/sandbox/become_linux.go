package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// becomeServer gives up every right on the calling thread and starts the server's program in
// place of this one. It returns only if that fails.
func becomeServer(o *startOrder, notices *os.File) error {
	runtime.LockOSThread() // rights belong to a thread, and the one that starts a program passes its own on
	// None of our descriptors, whatever they are, is for the server.
	if err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close_range: %w", err)
	}
	if err := setLimits(&o.Limits); err != nil {
		return fmt.Errorf("limits: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	held := []Protection{{Name: "limits", Held: true, Detail: "rlimits on memory, processes, open files and file sizes; the size of what is written"}}
	held = append(held, restrictFiles(o.Writable))
	if err := dropRights(); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	held = append(held, Protection{Name: "rights", Held: true, Detail: "user namespace without capabilities, no_new_privs"})
	if err := os.Chdir(o.Dir); err != nil {
		if err := os.Chdir("/"); err != nil {
			return err
		}
	}
	reserveHeap()
	fd, err := installFilter(true, o.Limits)
	noticed := Protection{Name: "program starts and connections", Held: err == nil, Detail: "noticed by seccomp"}
	if err != nil {
		noticed.Detail = "not noticed: " + err.Error()
		fd, err = installFilter(false, o.Limits)
	}
	if err != nil {
		return err
	}
	held = append(held, Protection{Name: "system calls", Held: true, Detail: fmt.Sprintf("a seccomp filter refuses %d of them, and sockets other than of IP and Unix", len(refusedCalls)+len(absentCalls))}, noticed)
	var fds []int
	if fd >= 0 {
		fds = []int{fd}
	}
	if err := sendMessage(notices, reply{Held: held}, fds); err != nil {
		return err
	}
	if fd >= 0 {
		_ = unix.Close(fd)
	}
	err = syscall.Exec(o.Path, o.Args, o.Env)
	return fmt.Errorf("%w (is it, and what it needs, visible in the sandbox?)", err)
}

// setLimits bounds what one process of the server can use, and sets how many files it can open in fact. Memory is counted where a program
// means to use it, since runtimes reserve much more address space than they ever touch.
func setLimits(l *Limits) error {
	for _, r := range []struct {
		resource int
		value    uint64
	}{
		{unix.RLIMIT_DATA, uint64(l.Memory)},
		{unix.RLIMIT_NPROC, uint64(l.Processes)},
		{unix.RLIMIT_NOFILE, uint64(l.OpenFiles)},
		{unix.RLIMIT_FSIZE, uint64(l.FileSize)},
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_MSGQUEUE, 64 << 10},
		{unix.RLIMIT_MEMLOCK, 8 << 20},
		{unix.RLIMIT_SIGPENDING, 1024},
	} {
		limit := unix.Rlimit{Cur: r.value, Max: r.value}
		var had unix.Rlimit
		if unix.Getrlimit(r.resource, &had) == nil {
			limit.Cur, limit.Max = min(limit.Cur, had.Max), min(limit.Max, had.Max)
		}
		if err := setLimit(r.resource, &limit); err != nil {
			return err
		}
		if r.resource == unix.RLIMIT_NOFILE {
			l.OpenFiles = int(limit.Cur)
		}
	}
	return nil
}

// setLimit is for descriptors what the runtime must know, too, or it would put the old value back
// when a program is started.
func setLimit(resource int, limit *unix.Rlimit) error {
	if resource == unix.RLIMIT_NOFILE {
		return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: limit.Cur, Max: limit.Max})
	}
	return unix.Setrlimit(resource, limit)
}

// restrictFiles says with landlock once more what the mounts say already, and keeps signals and
// abstract sockets in.
func restrictFiles(writable []string) Protection {
	p := Protection{Name: "landlock", Held: true, Detail: "files read-only but for the private ones; signals and abstract sockets stay inside"}
	version, err := syscallLandlockVersion()
	if err != nil {
		return Protection{Name: "landlock", Detail: "this kernel has none: " + err.Error()}
	}
	config := landlock.V6.BestEffort()
	private := landlock.RWDirs(writable...).WithIoctlDev().IgnoreIfMissing()
	if version > 1 {
		private = private.WithRefer() // moving files from one folder to another
	}
	if err := config.RestrictPaths(landlock.RODirs("/"), private); err != nil {
		return Protection{Name: "landlock", Detail: err.Error()}
	}
	if err := config.RestrictScoped(); err != nil {
		return Protection{Name: "landlock", Detail: err.Error()}
	}
	if version < 6 {
		p.Detail = "files read-only but for the private ones"
	}
	return p
}

func syscallLandlockVersion() (int, error) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(version), nil
}

// dropRights takes every capability from the calling thread, for good.
func dropRights() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	for c := uintptr(0); ; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			break // behind the last one that the kernel knows
		} else if err != nil {
			return err
		}
	}
	// Being user 0 is no right either.
	const noRoot, noRootLocked = 1 << 0, 1 << 1
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, noRoot|noRootLocked, 0, 0, 0); err != nil {
		return err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}
