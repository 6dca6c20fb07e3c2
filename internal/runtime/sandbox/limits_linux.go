package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// What a server could not do because of our limits did not happen, and says nothing of it. No limit of the kernel tells that it was
// reached, so that we look when a call shows that one is near.

// limitWatch is what is known of the limits. The supervisor alone uses it.
type limitWatch struct {
	forks int // that fit in for certain: of the limit, less what was counted last
	told  map[string]bool
}

// muchMemory is from how many bytes on an allocation is looked at. The heap of our own second stage grows by less: it runs below the
// filter until the server's program takes its place, and nobody looks yet.
const muchMemory = 16 << 20

// tellLimit records once that a limit was reached.
func (s *Sandbox) tellLimit(format string, most any) {
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
	got, _, err := s.control.ask(request{Threads: true})
	if s.limits.forks = s.config.Limits.Processes - got.Threads - 1; err == nil && s.limits.forks < 0 {
		s.tellLimit("as many processes and threads ran as may (%d): further ones did not start", s.config.Limits.Processes)
	}
}

// lookAtFile looks whether a process that uses the last descriptor has it: the kernel gives the lowest that is free. Some programs close
// all that there could be.
func (s *Sandbox) lookAtFile(pid, last int) {
	if _, err := os.Lstat(fmt.Sprintf("/proc/%d/fd/%d", pid, last)); err == nil {
		s.tellLimit("a process had as many files and connections open as it may (%d): further ones did not open", last+1)
	}
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

// countThreads counts the threads of the processes of this namespace, ours among them: the limit on processes counts them all.
func countThreads() (n int) {
	entries, _ := os.ReadDir("/proc") // what was read before an error counts
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err == nil {
			threads, _ := os.ReadDir("/proc/" + e.Name() + "/task") // none if it has ended meanwhile
			n += len(threads)
		}
	}
	return n
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
