package wire

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// killRounds bounds how often the process table is read again: a server may start processes as fast as they are ended.
const killRounds = 20

// A tableEntry is one process in /proc.
type tableEntry struct {
	pid, parent, session int
	zombie               bool
}

// killGroupAndLeft ends the process group of a child and every process that came from it:
//   - those below it in the process table;
//   - those whose environment holds the entry mark, which a server's processes inherit
//     wherever they go: into another group or session, or to another parent;
//   - orphans that left both, once no other child of this package lives: they have become
//     our own children (see [ProtectProcess]), but nothing says whose they were.
//
// It cannot hit an unrelated process. Without ProtectProcess an unmarked orphan is not found.
func killGroupAndLeft(p *os.Process, mark string) {
	// Collected before the child is killed, which gives its children another parent.
	below := openDescendants(p.Pid)
	killGroup(p)
	for _, d := range below {
		_ = d.Kill()
		_ = d.Release()
	}
	for range killRounds {
		if !killMarked(mark) && !killOrphans(p.Pid) {
			return
		}
	}
}

// openDescendants returns handles of the processes below pid. A handle is opened before the parent is checked again: if the number
// was reused in between, the handle refers to a process that has ended.
func openDescendants(pid int) []*os.Process {
	children := map[int][]int{}
	for _, e := range readProcessTable() {
		children[e.parent] = append(children[e.parent], e.pid)
	}
	var found []*os.Process
	queue := []int{pid}
	for len(queue) > 0 {
		parent := queue[0]
		queue = queue[1:]
		for _, child := range children[parent] {
			p, err := os.FindProcess(child)
			if err != nil {
				continue
			}
			if e, ok := readTableEntry(child); !ok || e.parent != parent {
				_ = p.Release()
				continue
			}
			found = append(found, p)
			queue = append(queue, child)
		}
	}
	return found
}

// killMarked ends every process whose environment holds the entry mark, and reports whether there was one. A process that replaced
// its environment is not found.
func killMarked(mark string) (found bool) {
	for _, pid := range processIDs() {
		found = killIfMarked(pid, mark) || found
	}
	return found
}

// killIfMarked reports whether it ended a process. The handle is opened before the check, as in openDescendants.
func killIfMarked(pid int, mark string) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release() //nolint:errcheck // a handle of ours
	// Unreadable for other users' processes, and empty for one that has ended.
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil || !bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+mark+"\x00")) {
		return false
	}
	return p.Kill() == nil
}

// killOrphans reaps orphans that became our children and have ended. It kills the others unless a child other than ending lives, to
// which they may belong, and reports whether it killed one. Every child of this package has its own session, and what it starts can
// leave that session but never join ours: a child in another session that we did not start is therefore an orphan. Children that
// other packages start are in our session.
func killOrphans(ending int) (found bool) {
	children.Lock() // no child may start between the look and the decision
	defer children.Unlock()
	alone := true
	for pid := range children.pids {
		alone = alone && pid == ending
	}
	self := os.Getpid()
	own, ok := readTableEntry(self)
	if !ok {
		return false
	}
	for _, e := range readProcessTable() {
		_, known := children.pids[e.pid]
		if e.parent != self || e.session == own.session || known {
			continue
		}
		// It is our child: its number is not reused before we reap it.
		if !e.zombie && alone && syscall.Kill(e.pid, syscall.SIGKILL) == nil {
			found = true
		}
		if e.zombie || alone {
			_, _ = syscall.Wait4(e.pid, nil, 0, nil)
		}
	}
	return found
}

func processIDs() (out []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*") // fails for a malformed pattern only
	for _, dir := range dirs {
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

func readProcessTable() (entries []tableEntry) {
	for _, pid := range processIDs() {
		if e, ok := readTableEntry(pid); ok {
			entries = append(entries, e)
		}
	}
	return entries
}

// readTableEntry reads /proc/PID/stat (proc_pid_stat(5)). The second field is the program's
// name in parentheses, which may itself hold parentheses and white space.
func readTableEntry(pid int) (tableEntry, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return tableEntry{}, false
	}
	return parseStat(pid, string(text))
}

func parseStat(pid int, text string) (tableEntry, bool) {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 4 {
		return tableEntry{}, false
	}
	parent, err := strconv.Atoi(fields[1])
	session, err2 := strconv.Atoi(fields[3])
	return tableEntry{pid, parent, session, fields[0] == "Z"}, err == nil && err2 == nil
}
