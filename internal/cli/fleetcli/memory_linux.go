package fleetcli

import "golang.org/x/sys/unix"

// limitMemory has the kernel refuse this process, and each one that it starts, more data than a size. What a process reserves
// and does not write to does not count.
func limitMemory(size uint64) error {
	return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: size, Max: size})
}
