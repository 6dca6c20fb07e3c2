package sandbox

import (
	"os"
	"strconv"
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
			sum += readSize(string(status), "VmHWM:")
		}
	}
	return sum
}
