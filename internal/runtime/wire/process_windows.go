package wire

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/windows"
)

// ownSession does nothing: there are no process groups to end.
func ownSession(*exec.Cmd) {}

// terminateGroup does nothing: there is no polite signal for a console program. Closing stdin was the request.
func terminateGroup(*os.Process) {}

// groupLives reports nothing: a program without a parent is not found here.
func groupLives(*os.Process) bool { return false }

// killGroup ends the process and its descendants as far as the system knows them: a process whose parent has ended is not found.
// taskkill is named by its full path, since a search path can lead anywhere.
func killGroup(p *os.Process) {
	if system, err := windows.GetSystemDirectory(); err == nil {
		_ = exec.Command(filepath.Join(system, "taskkill.exe"), "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run()
	}
	_ = p.Kill()
}
