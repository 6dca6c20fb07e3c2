package sandbox

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// What a server could not do because of our limits did not happen, and says nothing of it. No limit of the kernel tells that it was
// reached, so that we look when a call shows that one is near.

// limitWatch is what is known of the limits.
type limitWatch struct {
	forks int // that fit in for certain: of the limit, less what was counted last; the supervisor's
	mu    sync.Mutex
	told  map[string]bool
}

// muchMemory is from how many bytes on an allocation is looked at. Allocators ask for so much at once where less fails: glibc's a megabyte
// where the end of the heap cannot move, Python's and Go's always.
const muchMemory = 1 << 20

// reserveHeap makes room in the heap of our second stage, which runs below the filter until the server's program takes its place: nobody
// looks yet at what it would ask for.
func reserveHeap() {
	runtime.KeepAlive(make([]byte, 4*muchMemory))
	runtime.GC()
}

// tellLimit records once that a limit was reached.
func (s *Sandbox) tellLimit(format string, most any) {
	s.limits.mu.Lock()
	defer s.limits.mu.Unlock()
	if s.limits.told == nil {
		s.limits.told = map[string]bool{}
	}
	if !s.limits.told[format] {
		s.limits.told[format] = true
		s.recorder.record(Event{Kind: Limit, Text: fmt.Sprintf(format, most)})
	}
}

// lookAtFork counts what runs when so much was started since the last time that the limit may be reached.
func (s *Sandbox) lookAtFork() {
	if s.limits.forks--; s.limits.forks >= 0 {
		return
	}
	got, err := s.lookAtProcesses()
	if s.limits.forks = s.config.Limits.Processes - got.Threads - 1; err == nil && s.limits.forks < 0 {
		s.tellLimit("as many processes and threads ran as may (%d): further ones did not start", s.config.Limits.Processes)
	}
}

// lookAtProcesses looks at what runs, and whether a process has the last descriptor, which it may have opened and never used.
func (s *Sandbox) lookAtProcesses() (reply, error) {
	last := s.config.Limits.OpenFiles - 1
	var had unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &had) == nil {
		last = min(last, int(min(had.Max, math.MaxInt))-1)
	}
	got, _, err := s.control.ask(request{Last: last})
	if err == nil && got.Full {
		s.tellFull(last)
	}
	return got, err
}

// lookAtLimits looks at what no call shows, before the server's end.
func (s *Sandbox) lookAtLimits() {
	if s.control != nil {
		_, _ = s.lookAtProcesses() // an error means that nothing runs any more
	}
}

// lookAtFile looks whether a process that uses the last descriptor has it. Some programs close all that there could be.
func (s *Sandbox) lookAtFile(pid, last int) {
	if hasDescriptor(strconv.Itoa(pid), last) {
		s.tellFull(last)
	}
}

// tellFull says that a process had the last descriptor: the kernel gives the lowest that is free.
func (s *Sandbox) tellFull(last int) {
	s.tellLimit("a process had as many files and connections open as it may (%d): further ones did not open", last+1)
}

func hasDescriptor(pid string, number int) bool {
	_, err := os.Lstat(fmt.Sprintf("/proc/%s/fd/%d", pid, number))
	return err == nil
}

// lookAtMemory looks whether a process that asks for much memory would have more than it may.
func (s *Sandbox) lookAtMemory(pid int, call string, args [6]uint64) {
	more := args[1]
	switch {
	case call == "mremap":
		more = max(args[2], args[1]) - args[1]
	case args[2]&unix.PROT_WRITE == 0 || args[3]&unix.MAP_PRIVATE == 0: // it does not count
		return
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if has := readSize(string(status), "VmData:"); err == nil && more > uint64(max(0, s.config.Limits.Memory-has)) {
		s.tellLimit("a process asked for more memory than it may have (%d bytes)", s.config.Limits.Memory)
	}
}

// countThreads counts the threads of the processes of this namespace, ours among them: the limit on processes counts them all. full says
// that one has the last descriptor.
func countThreads(last int) (n int, full bool) {
	entries, _ := os.ReadDir("/proc") // what was read before an error counts
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err == nil {
			threads, _ := os.ReadDir("/proc/" + e.Name() + "/task") // none if it has ended meanwhile
			n += len(threads)
			full = full || hasDescriptor(e.Name(), last)
		}
	}
	return n, full
}

// readSize reads a size of the status of a process, in bytes; 0 for none.
func readSize(status, name string) int64 {
	for line := range strings.Lines(status) {
		value, ok := strings.CutPrefix(line, name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
		if err != nil || n < 0 || n > 1<<40 {
			return 0
		}
		return n << 10
	}
	return 0
}
