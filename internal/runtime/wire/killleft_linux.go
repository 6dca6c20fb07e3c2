package wire

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// killRounds bounds how often the process table is looked at again: a server may start
// processes as fast as they are ended.
const killRounds = 20

// A tableEntry is one process in /proc.
type tableEntry struct {
	pid, parent, session int
	zombie               bool
}

// killGroupAndLeft ends the process group of a child and every process that came of it:
//   - those below it in the process table;
//   - those whose environment holds the entry mark, which a server's processes inherit
//     wherever they go: into another group or session, or to another parent;
//   - orphans that left both behind, once no other child of this package lives: they have
//     become our own children (see [ProtectProcess]), but nothing says whose they were.
//
// It cannot hit a stranger. Without ProtectProcess an orphan without the mark is not found.
func killGroupAndLeft(p *os.Process, mark string) {
	// Taken before the child is killed: its children then get another parent.
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

// openDescendants returns handles of the processes below pid. A handle is taken before the
// second look at the parent: if the number went to another process in between, the handle is
// that of one that has gone.
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

// killMarked ends every process whose environment holds the entry mark, and reports whether
// it ended one. A process that gave itself another environment is not found.
func killMarked(mark string) (found bool) {
	dirs, _ := filepath.Glob("/proc/[0-9]*") // fails for a malformed pattern only
	for _, dir := range dirs {
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && killIfMarked(pid, mark) {
			found = true
		}
	}
	return found
}

// killIfMarked reports whether it ended a process. The handle is taken before the look, as in
// openDescendants.
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

// killOrphans reaps the orphans that have become our children and have ended, kills the
// others unless a child other than ending lives, which they may belong to, and reports
// whether it killed one. Every child of this package has a session of its own, which what
// it starts can leave but never for ours: a child of ours in another session that we did not
// start is an orphan. Those that other packages start are in our session.
func killOrphans(ending int) (found bool) {
	children.Lock() // no child may start between the look and the judgement
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
		// It is our child: its number is not given away before we have reaped it.
		if !e.zombie && alone && syscall.Kill(e.pid, syscall.SIGKILL) == nil {
			found = true
		}
		if e.zombie || alone {
			_, _ = syscall.Wait4(e.pid, nil, 0, nil)
		}
	}
	return found
}

func readProcessTable() (entries []tableEntry) {
	dirs, _ := filepath.Glob("/proc/[0-9]*") // fails for a malformed pattern only
	for _, dir := range dirs {
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			if e, ok := readTableEntry(pid); ok {
				entries = append(entries, e)
			}
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
