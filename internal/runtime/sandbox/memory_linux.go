package sandbox

import (
	"os"
	"strconv"
	"strings"
)

func (s *Sandbox) peakMemory() (int64, error) {
	if s.control == nil {
		return 0, os.ErrClosed
	}
	got, _, err := s.control.ask(request{Memory: true})
	return got.Memory, err
}

// peakMemory adds up the peaks of the processes of this namespace but for the first, which is ours.
func peakMemory() (sum int64) {
	entries, _ := os.ReadDir("/proc") // what was read before an error counts
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		status, err := os.ReadFile("/proc/" + e.Name() + "/status")
		if err == nil { // else it has ended meanwhile
			sum += readPeak(string(status))
		}
	}
	return sum
}

// readPeak reads the largest resident size of a process, in bytes, from the text of its status; 0 for none.
func readPeak(status string) int64 {
	for line := range strings.Lines(status) {
		value, ok := strings.CutPrefix(line, "VmHWM:")
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
