package wire

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// rounds bounds how often killMarked looks again: a server may start processes as fast as
// they are ended.
const rounds = 20

// killMarked ends every process whose environment holds the entry mark, which a server's
// processes inherit wherever they go: into another group or session, or to another parent.
// It cannot hit a stranger, who does not have the mark. A process that gave itself another
// environment is not found.
func killMarked(mark string) {
	for range rounds {
		found := false
		dirs, _ := filepath.Glob("/proc/[0-9]*") // fails for a malformed pattern only
		for _, dir := range dirs {
			if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && killIfMarked(pid, mark) {
				found = true
			}
		}
		if !found {
			return
		}
	}
}

// killIfMarked reports whether it ended a process. The handle is taken before the look: if
// the number went to another process in between, the handle is that of one that has gone.
func killIfMarked(pid int, mark string) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release() //nolint:errcheck // a handle of ours
	// Unreadable for processes of others, and empty for one that has ended.
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil || !bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+mark+"\x00")) {
		return false
	}
	return p.Kill() == nil
}
