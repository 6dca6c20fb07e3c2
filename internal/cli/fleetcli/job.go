package fleetcli

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"

	"gauntlet/internal/run/fleet"
)

// JobCommand is the first argument of a process that does one job.
const JobCommand = "job"

// JobArguments bounds the memory of this process as the arguments behind JobCommand say, and returns those of gauntlet.
func JobArguments(args []string) ([]string, error) {
	if len(args) < 2 || args[1] != "--" {
		return nil, fmt.Errorf("%s is for workers alone", JobCommand)
	}
	value, ok := strings.CutPrefix(args[0], fleet.MemoryFlag+"=")
	size, err := strconv.ParseUint(value, 10, 63)
	if !ok || err != nil {
		return nil, fmt.Errorf("%s is for workers alone", JobCommand)
	}
	// The collector works harder from nine tenths on; the system refuses more than all of it.
	debug.SetMemoryLimit(int64(size / 10 * 9))
	return args[2:], limitMemory(size)
}
