package sandbox

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// refusedCalls are system calls that no server needs and that attackers like: they look into other
// processes, change namespaces and mounts, load code into the kernel, keep secrets in it,
// or reach parts of it that have had many holes. io_uring is among them also because what is
// asked for through it passes no filter.
var refusedCalls = []string{
	"acct", "add_key", "adjtimex", "bpf", "clock_adjtime", "clock_settime", "create_module", "delete_module", "fanotify_init", "finit_module",
	"fsconfig", "fsmount", "fsopen", "fspick", "get_kernel_syms", "init_module", "ioperm", "iopl", "kcmp", "kexec_file_load",
	"kexec_load", "keyctl", "listmount", "lookup_dcookie", "mount", "mount_setattr", "move_mount", "move_pages", "nfsservctl", "open_by_handle_at",
	"open_tree", "perf_event_open", "pidfd_getfd", "pivot_root", "process_madvise", "process_vm_readv", "process_vm_writev", "ptrace",
	"query_module", "quotactl", "quotactl_fd", "reboot", "request_key", "setdomainname", "sethostname", "setns", "settimeofday", "statmount",
	"stime", "swapoff", "swapon", "_sysctl", "sysfs", "syslog", "umount", "umount2", "uselib", "userfaultfd", "ustat", "vhangup", "vm86", "vm86old",
}

// absentCalls fail as on an older kernel, upon which programs do without. Memory behind a descriptor
// (memfd) counts towards no limit of a process, nor towards the ceiling on what is written.
var absentCalls = []string{"clone3", "io_uring_setup", "io_uring_enter", "io_uring_register", "memfd_create", "memfd_secret"}

// noticedCalls wait until they have been looked at, and go on then; refused ones fail then.
var noticedCalls = []string{"execve", "execveat", "connect", "clone", "fork", "vfork"}

// fileCalls are noticed with the last descriptor that a process may have, and memoryCalls, by their second and third argument, with much
// memory.
var (
	fileCalls   = []string{"bind", "close", "fcntl", "fstat", "getsockopt", "listen", "lseek", "read", "recvfrom", "sendto", "setsockopt", "write"}
	memoryCalls = []string{"mmap", "mremap"}
)

const newNamespace = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// filterProgram is the filter of system calls for the server.
func filterProgram(notify bool, limits Limits) ([]unix.SockFilter, error) {
	info, err := arch.GetInfo("")
	if err != nil {
		return nil, err
	}
	known := func(names []string) (out []string) {
		for _, n := range names {
			if _, ok := info.SyscallNames[n]; ok {
				out = append(out, n)
			}
		}
		return out
	}
	// One group for all that is noticed: after a condition that does not hold, the library no longer finds a call in later groups.
	first := seccomp.SyscallGroup{Action: seccomp.ActionErrno | seccomp.Action(unix.EPERM), Names: known(refusedCalls), NamesWithCondtions: refusedArguments("unshare", "clone")}
	if notify { // a try to break out is told of, see refusal
		first = seccomp.SyscallGroup{Action: seccomp.ActionUserNotify, Names: known(slices.Concat(refusedCalls, noticedCalls)), NamesWithCondtions: refusedArguments("unshare")}
	}
	policy := seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{
		first,
		{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: known(absentCalls)},
		{Action: seccomp.ActionErrno | seccomp.Action(unix.EAFNOSUPPORT), NamesWithCondtions: refusedFamilies()},
	}}
	instructions, err := policy.Assemble()
	if err != nil {
		return nil, err
	}
	// The library lets the calls of another architecture pass, such as those of 32 bits; and it compares arguments
	// in 64 bits, where the kernel reads the lower half of what is asked of ioctl.
	var near []bpf.Instruction
	if notify {
		near = limitFilter(info.SyscallNames, limits)
	}
	raw, err := bpf.Assemble(slices.Concat([]bpf.Instruction{
		bpf.LoadAbsolute{Off: 4, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(info.ID), SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
		bpf.LoadAbsolute{Off: 0, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_IOCTL, SkipTrue: 4},
		bpf.LoadAbsolute{Off: lowerHalf(1), Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCSTI, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.TIOCLINUX, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		bpf.LoadAbsolute{Off: 0, Size: 4},
	}, near, instructions))
	if err != nil {
		return nil, err
	}
	program := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		program[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	return program, nil
}

// lowerHalf is where the lower 32 bits of an argument of a call are, in struct seccomp_data.
func lowerHalf(argument uint32) uint32 {
	at := 16 + 8*argument
	if binary.NativeEndian.Uint16([]byte{0, 1}) == 1 { // big-endian
		at += 4
	}
	return at
}

// refusedArguments are calls that are refused with some arguments: the given ones that make namespaces, and the limits of another process,
// since with no descriptors left the first process could record nothing.
func refusedArguments(namespaces ...string) (out []seccomp.NameWithConditions) {
	for _, call := range namespaces {
		for bit := uint64(1); bit <= newNamespace; bit <<= 1 {
			if newNamespace&bit != 0 {
				out = append(out, seccomp.NameWithConditions{Name: call, Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.BitsSet, Value: bit}}})
			}
		}
	}
	return append(out, seccomp.NameWithConditions{Name: "prlimit64", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.NotEqual, Value: 0}}})
}

// limitFilter notices calls that show that a limit is near. No other rule knows these calls, so that each is decided here: the library
// compares the number of a call no more once it has loaded an argument.
func limitFilter(numbers map[string]int, limits Limits) (out []bpf.Instruction) {
	notice := func(call string, argument uint32, cond bpf.JumpTest, value int) {
		lower := lowerHalf(argument)
		out = append(out,
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(numbers[call]), SkipTrue: 6},
			bpf.LoadAbsolute{Off: 2*(16+8*argument) + 4 - lower, Size: 4}, // the upper half
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 2},
			bpf.LoadAbsolute{Off: lower, Size: 4},
			bpf.JumpIf{Cond: cond, Val: uint32(value), SkipFalse: 1},
			bpf.RetConstant{Val: unix.SECCOMP_RET_USER_NOTIF},
			bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
		)
	}
	for _, call := range fileCalls {
		notice(call, 0, bpf.JumpEqual, limits.OpenFiles-1)
	}
	for i, call := range memoryCalls {
		notice(call, uint32(i+1), bpf.JumpGreaterOrEqual, muchMemory)
	}
	return out
}

// refusedFamilies are sockets that a network namespace does not keep in: all but those of IP, Unix
// and the kernel's routing, which libraries ask for the machine's addresses.
func refusedFamilies() []seccomp.NameWithConditions {
	var other seccomp.ArgumentConditions
	for _, family := range []uint64{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} {
		other = append(other, seccomp.Condition{Argument: 0, Operation: seccomp.NotEqual, Value: family})
	}
	return []seccomp.NameWithConditions{
		{Name: "socket", Conditions: other},
		{Name: "socket", Conditions: seccomp.ArgumentConditions{
			{Argument: 0, Operation: seccomp.Equal, Value: unix.AF_NETLINK}, {Argument: 2, Operation: seccomp.NotEqual, Value: unix.NETLINK_ROUTE},
		}},
	}
}

// installFilter puts the filter on the calling thread. With notify it returns the descriptor that
// notices come from.
func installFilter(notify bool, limits Limits) (notices int, err error) {
	program, err := filterProgram(notify, limits)
	if err != nil {
		return -1, err
	}
	list := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	flags := uintptr(0)
	if notify {
		flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&list)))
	runtime.KeepAlive(program)
	if errno != 0 {
		return -1, fmt.Errorf("seccomp: %w", errno)
	}
	if !notify {
		return -1, nil
	}
	return int(fd), nil
}
