package sandbox

import (
	"encoding/binary"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// A notice is a system call that waits for us: struct seccomp_notif of the kernel.
type notice struct {
	ID    uint64
	Pid   uint32
	Flags uint32
	Call  int32
	Arch  uint32
	IP    uint64
	Args  [6]uint64
}

// A noticeAnswer is struct seccomp_notif_resp.
type noticeAnswer struct {
	ID    uint64
	Value int64
	Error int32
	Flags uint32
}

// supervise looks at each system call that is noticed, and lets it go on or fail.
func (s *Sandbox) supervise(notices *os.File) {
	end, wake, err := os.Pipe()
	if err != nil {
		_ = notices.Close() // noticed calls then fail, which ends the server
		return
	}
	s.mu.Lock()
	s.ending = append(s.ending, func() { _ = wake.Close() })
	s.mu.Unlock()
	s.running.Go(func() { // ends when the sandbox is closed, or nothing in it is left
		// The kernel's wait for a notice blocks a thread.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer notices.Close()
		defer end.Close()
		s.answerNotices(int(notices.Fd()), int(end.Fd()))
	})
}

func (s *Sandbox) answerNotices(fd, end int) {
	for {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(end), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); err != nil && err != unix.EINTR {
			return
		}
		switch {
		case poll[1].Revents != 0, poll[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0:
			return
		case poll[0].Revents&unix.POLLIN == 0:
			continue
		}
		var n notice
		if errno := ioctl(fd, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); errno != 0 {
			continue // the process has gone meanwhile
		}
		answer := noticeAnswer{ID: n.ID, Error: -int32(unix.EPERM)}
		if s.look(&n) {
			answer.Error, answer.Flags = 0, unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
		}
		_ = ioctl(fd, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&answer)) // fails for a process that has gone
	}
}

func ioctl(fd int, request uintptr, at unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(at))
	return errno
}

// look records what a call is about, and reports whether it may go on: of the calls that are noticed those of
// noticedCalls may. What is read from the memory of the server may change before
// the kernel reads it: an event can be wrong, the walls do not rest on it.
func (s *Sandbox) look(n *notice) bool {
	pid := int(n.Pid)
	switch uintptr(n.Call) {
	case unix.SYS_EXECVE:
		s.lookAtStart(pid, uintptr(n.Args[0]), uintptr(n.Args[1]))
	case unix.SYS_EXECVEAT:
		s.lookAtStart(pid, uintptr(n.Args[1]), uintptr(n.Args[2]))
	case unix.SYS_CONNECT:
		s.lookAtConnect(pid, uintptr(n.Args[1]), n.Args[2])
	default:
		name := callName(int(n.Call))
		forks := slices.Contains(noticedCalls, name)
		switch {
		case forks && (name != "clone" || n.Args[0]&newNamespace == 0):
			s.lookAtFork()
		case slices.Contains(fileCalls, name):
			s.lookAtFile(pid, int(n.Args[0]))
		case slices.Contains(memoryCalls, name):
			s.lookAtMemory(pid, name, n.Args)
		default:
			s.recorder.record(Event{Kind: Denied, Pid: pid, Text: "the system call " + name})
			return false
		}
	}
	return true
}

func callName(number int) string {
	if info, err := arch.GetInfo(""); err == nil {
		if name, ok := info.SyscallNumbers[number]; ok {
			return name
		}
	}
	return strconv.Itoa(number)
}

const (
	longestPath      = 4096
	mostArguments    = 64
	longestArguments = 16 << 10 // all of them together, in bytes
)

// lookAtStart records the start of a program, but for that of the server itself.
func (s *Sandbox) lookAtStart(pid int, path, arguments uintptr) {
	s.mu.Lock()
	first := !s.serverRuns
	s.serverRuns = true
	s.mu.Unlock()
	if first {
		return
	}
	e := Event{Kind: Start, Pid: pid, Path: readText(pid, path, longestPath)}
	if strings.HasPrefix(e.Path, "/") { // shells try every folder of PATH
		f, err := s.openInside(e.Path, unix.O_PATH)
		if err != nil {
			return
		}
		_ = f.Close()
	}
	list := readMemory(pid, arguments, 8*mostArguments)
	for left := longestArguments; len(list) >= 8 && left > 0; {
		at := binary.NativeEndian.Uint64(list)
		if at == 0 {
			break
		}
		arg := readText(pid, uintptr(at), left)
		e.Args = append(e.Args, arg)
		left -= len(arg) + 1
		list = list[8:]
	}
	s.recorder.record(e)
}

// readMemory reads what it can of n bytes of a process's memory.
func readMemory(pid int, at uintptr, n int) []byte {
	if at == 0 || n <= 0 {
		return nil
	}
	out := make([]byte, 0, n)
	for n > 0 {
		// One page at a time: a read that touches a page that is not there fails as a whole.
		part := min(n, 4096-int(at%4096))
		buffer := make([]byte, part)
		got, err := unix.ProcessVMReadv(pid, []unix.Iovec{{Base: &buffer[0], Len: uint64(part)}}, []unix.RemoteIovec{{Base: at, Len: part}}, 0)
		if err != nil || got <= 0 {
			break
		}
		out = append(out, buffer[:got]...)
		at, n = at+uintptr(got), n-got
	}
	return out
}

// readText reads a text that ends with a zero byte, at most n bytes of it.
func readText(pid int, at uintptr, n int) string {
	var out []byte
	for n > 0 && at != 0 {
		part := readMemory(pid, at, min(n, 4096-int(at%4096)))
		for i, c := range part {
			if c == 0 {
				return string(append(out, part[:i]...))
			}
		}
		if len(part) == 0 {
			break
		}
		out = append(out, part...)
		at, n = at+uintptr(len(part)), n-len(part)
	}
	return string(out)
}
